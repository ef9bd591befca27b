// Tells ThreadSanitizer what it cannot see of Swift's Mutex on Linux; preloaded by `.ci/sanitize`.
//
// An uncontended lock or unlock is an atomic operation in the program itself, which is seen. A contended one ends in the
// standard library, which is not instrumented, so whoever had to wait for a Mutex seems to race with whoever held it: ten
// lines in which tasks append to an array in a Mutex are reported. A suppression of what happens in `withLock` would hide
// real races too. These stand before the library's functions and say what they do.
#include <dlfcn.h>
#include <stdbool.h>
#include <stdint.h>

#define SWIFT __attribute__((swiftcall))
#define SELF __attribute__((swift_context)) void *self

// Absent in processes that are not sanitized.
void __tsan_acquire(void *) __attribute__((weak));
void __tsan_release(void *) __attribute__((weak));

#define LOCK "$s15Synchronization12_MutexHandleV9_lockSlowyys6UInt32VF"
#define TRY_LOCK "$s15Synchronization12_MutexHandleV12_tryLockSlowSbyF"
#define UNLOCK "$s15Synchronization12_MutexHandleV11_unlockSlowyyF"

SWIFT void lock_slow(uint32_t thread, SELF) __asm__(LOCK);
SWIFT bool try_lock_slow(SELF) __asm__(TRY_LOCK);
SWIFT void unlock_slow(SELF) __asm__(UNLOCK);

static void *next_lock, *next_try_lock, *next_unlock;

__attribute__((constructor)) static void find(void) {
    next_lock = dlsym(RTLD_NEXT, LOCK);
    next_try_lock = dlsym(RTLD_NEXT, TRY_LOCK);
    next_unlock = dlsym(RTLD_NEXT, UNLOCK);
}

SWIFT void lock_slow(uint32_t thread, SELF) {
    ((SWIFT void (*)(uint32_t, SELF))next_lock)(thread, self);
    if (__tsan_acquire) __tsan_acquire(self);
}

SWIFT bool try_lock_slow(SELF) {
    bool locked = ((SWIFT bool (*)(SELF))next_try_lock)(self);
    if (locked && __tsan_acquire) __tsan_acquire(self);
    return locked;
}

SWIFT void unlock_slow(SELF) {
    if (__tsan_release) __tsan_release(self);
    ((SWIFT void (*)(SELF))next_unlock)(self);
}
