#define _GNU_SOURCE
#include "CLinux.h"

#if defined(__linux__)
#include <linux/keyctl.h>
#include <sys/syscall.h>
#include <unistd.h>

// Returns the keyring that outlives this user's processes and sessions. The call links it to the calling thread's process
// keyring. Without that link its keys could be found but not read.
static long persistent_keyring(void) {
    return syscall(SYS_keyctl, KEYCTL_GET_PERSISTENT, -1L, KEY_SPEC_PROCESS_KEYRING);
}

int clinux_keep_key(const char *name, const void *bytes, size_t count) {
    long keyring = persistent_keyring();
    if (keyring < 0) return -1;
    return syscall(SYS_add_key, "user", name, bytes, count, keyring) < 0 ? -1 : 0;
}

ssize_t clinux_read_key(const char *name, void *bytes, size_t capacity) {
    long keyring = persistent_keyring();
    if (keyring < 0) return -1;
    long key = syscall(SYS_keyctl, KEYCTL_SEARCH, keyring, "user", name, 0L);
    if (key < 0) return -1;
    return syscall(SYS_keyctl, KEYCTL_READ, key, bytes, capacity);
}

int clinux_drop_key(const char *name) {
    long keyring = persistent_keyring();
    if (keyring < 0) return -1;
    long key = syscall(SYS_keyctl, KEYCTL_SEARCH, keyring, "user", name, 0L);
    if (key < 0) return -1;
    return syscall(SYS_keyctl, KEYCTL_UNLINK, key, keyring) < 0 ? -1 : 0;
}

int clinux_leave_session_keyring(void) {
    return syscall(SYS_keyctl, KEYCTL_JOIN_SESSION_KEYRING, 0L) < 0 ? -1 : 0;
}
#endif
