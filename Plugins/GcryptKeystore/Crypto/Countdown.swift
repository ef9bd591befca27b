#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#elseif canImport(Darwin)
internal import Darwin
#endif

/// A count that threads of our own can wait for; never used on Swift's pool.
@safe
final class Countdown: Sendable {
    // Touched only with `mutex` held, but for creation and destruction.
    nonisolated(unsafe) private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    nonisolated(unsafe) private let condition = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
    // Guarded by `mutex`.
    nonisolated(unsafe) private var count = 0

    init() {
        unsafe pthread_mutex_init(mutex, nil)
        unsafe pthread_cond_init(condition, nil)
    }

    deinit {
        unsafe pthread_mutex_destroy(mutex)
        unsafe pthread_cond_destroy(condition)
        unsafe mutex.deallocate()
        unsafe condition.deallocate()
    }

    /// Counts up; returns the count before.
    func add() -> Int {
        unsafe pthread_mutex_lock(mutex)
        defer { unsafe pthread_mutex_unlock(mutex) }
        unsafe count += 1
        return unsafe count - 1
    }

    func done() {
        unsafe pthread_mutex_lock(mutex)
        unsafe count -= 1
        if unsafe count == 0 { unsafe pthread_cond_broadcast(condition) }
        unsafe pthread_mutex_unlock(mutex)
    }

    func waitForZero() {
        unsafe pthread_mutex_lock(mutex)
        while unsafe count > 0 { unsafe pthread_cond_wait(condition, mutex) }
        unsafe pthread_mutex_unlock(mutex)
    }
}
