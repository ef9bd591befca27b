#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#elseif canImport(Darwin)
internal import Darwin
#endif

/// A queue of jobs. One thread runs them, one after the other, in the order in which they were added.
///
/// Any thread may add a job. The thread that calls ``run()`` sleeps while there is no job.
@safe
final class JobLoop: Sendable {
    // All threads may lock and unlock this mutex. Only `init` creates it, and only `deinit` destroys it.
    nonisolated(unsafe) private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    // The thread that runs the jobs locks `mutex` before it waits on this condition. Other threads may signal
    // the condition without locking `mutex`.
    nonisolated(unsafe) private let condition = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
    // The jobs are accessed only while `mutex` is locked.
    nonisolated(unsafe) private var jobs: [@Sendable () -> Void] = []
    // This flag is accessed only while `mutex` is locked.
    nonisolated(unsafe) private var ended = false

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

    /// Adds a job.
    func add(_ job: @escaping @Sendable () -> Void) {
        unsafe pthread_mutex_lock(mutex)
        unsafe jobs.append(job)
        unsafe pthread_mutex_unlock(mutex)
        // The signal is sent after the unlock. A signal before the unlock could wake the thread while the
        // mutex is still locked, and the thread would have to sleep again.
        unsafe pthread_cond_signal(condition)
    }

    /// Makes ``run()`` return when it has run all jobs that were added before.
    func end() {
        unsafe pthread_mutex_lock(mutex)
        unsafe ended = true
        unsafe pthread_cond_signal(condition)
        unsafe pthread_mutex_unlock(mutex)
    }

    /// Runs jobs, and returns when ``end()`` has been called and no job is left.
    func run() {
        while true {
            unsafe pthread_mutex_lock(mutex)
            while unsafe jobs.isEmpty && !ended { unsafe pthread_cond_wait(condition, mutex) }
            let batch = unsafe jobs
            unsafe jobs = []
            unsafe pthread_mutex_unlock(mutex)
            if batch.isEmpty { return }
            for job in batch { job() }
        }
    }
}
