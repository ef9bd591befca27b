#define _GNU_SOURCE
#define _DARWIN_C_SOURCE
#include "CLinux.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int clinux_open_pseudo_terminal(char *slave_path, size_t capacity) {
    int master = posix_openpt(O_RDWR | O_NOCTTY);
    if (master < 0) return -1;
    const char *path = NULL;
    if (fcntl(master, F_SETFD, FD_CLOEXEC) == 0 && grantpt(master) == 0 && unlockpt(master) == 0) {
        path = ptsname(master);
    }
    if (path == NULL || strlen(path) >= capacity) {
        int error = path == NULL ? errno : ENAMETOOLONG;
        close(master);
        errno = error;
        return -1;
    }
    strcpy(slave_path, path);
    return master;
}

int clinux_spawn_on_terminal(
    pid_t *pid, const char *slave_path, const char *program, char *const arguments[], char *const environment[]
) {
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    posix_spawn_file_actions_init(&actions);
    posix_spawnattr_init(&attributes);

    // The first terminal that a session leader opens becomes its controlling terminal on Linux. Darwin has the
    // same rule for posix_spawn with POSIX_SPAWN_SETSID since macOS 10.15.
    posix_spawn_file_actions_addopen(&actions, 0, slave_path, O_RDWR, 0);
    posix_spawn_file_actions_adddup2(&actions, 0, 1);
    posix_spawn_file_actions_adddup2(&actions, 0, 2);

    sigset_t all, none;
    sigfillset(&all);
    sigdelset(&all, SIGKILL);
    sigdelset(&all, SIGSTOP);
    sigemptyset(&none);
    posix_spawnattr_setsigdefault(&attributes, &all);
    posix_spawnattr_setsigmask(&attributes, &none);
    short flags = POSIX_SPAWN_SETSID | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK;
#ifdef __APPLE__
    flags |= POSIX_SPAWN_CLOEXEC_DEFAULT;
#else
    posix_spawn_file_actions_addclosefrom_np(&actions, 3);
#endif
    posix_spawnattr_setflags(&attributes, flags);

    int result = posix_spawnp(pid, program, &actions, &attributes, arguments, environment);
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&actions);
    return result;
}

static volatile sig_atomic_t signal_descriptor = -1;

static void note_signal(int signal) {
    int error = errno;
    unsigned char number = (unsigned char)signal;
    // A full pipe has the same signal in it many times over: nothing is lost.
    ssize_t written = write(signal_descriptor, &number, 1);
    (void)written;
    errno = error;
}

void clinux_watch_signals(int descriptor, const int *signals, int count) {
    signal_descriptor = descriptor;
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_handler = note_signal;
    action.sa_flags = SA_RESTART;
    sigemptyset(&action.sa_mask);
    for (int index = 0; index < count; index++) sigaction(signals[index], &action, NULL);
}
