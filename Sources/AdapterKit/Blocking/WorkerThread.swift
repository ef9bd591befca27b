#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#elseif canImport(Darwin)
internal import Darwin
#endif
package import PortcullisCore

/// Runs jobs that may block, one after the other, on a thread of its own.
///
/// The thread starts with the first job or with an earlier start. When this object is deallocated, the thread ends
/// after the remaining jobs.
public final class WorkerThread: BlockingQueue {
    /// The queue, shared with the thread so that the thread does not keep its owner alive.
    @safe
    private final class Queue: Sendable {
        // Every thread may lock this mutex. Only `init` and `deinit` access it in another way.
        nonisolated(unsafe) private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
        // Threads wait on this condition only while they hold `mutex`, and signal it with or without the mutex.
        nonisolated(unsafe) private let condition = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
        // The jobs are accessed only while `mutex` is locked.
        nonisolated(unsafe) private var jobs: [@Sendable () -> Void] = []
        // This flag is accessed only while `mutex` is locked.
        nonisolated(unsafe) private var ended = false
        // This flag is accessed only while `mutex` is locked.
        nonisolated(unsafe) private var started = false

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

        /// Adds a job. Returns whether the caller has to start the thread.
        func add(_ job: @escaping @Sendable () -> Void) -> Bool {
            unsafe pthread_mutex_lock(mutex)
            unsafe jobs.append(job)
            let first = unsafe !started
            unsafe started = true
            unsafe pthread_mutex_unlock(mutex)
            // The signal is sent after the unlock: a thread that woke while the mutex is locked would go to sleep
            // again.
            unsafe pthread_cond_signal(condition)
            return first
        }

        /// Returns whether the caller has to start the thread, and marks the thread as started.
        func claimStart() -> Bool {
            unsafe pthread_mutex_lock(mutex)
            defer { unsafe pthread_mutex_unlock(mutex) }
            defer { unsafe started = true }
            return unsafe !started
        }

        func giveUpStart() {
            unsafe pthread_mutex_lock(mutex)
            unsafe started = false
            unsafe pthread_mutex_unlock(mutex)
        }

        func end() {
            unsafe pthread_mutex_lock(mutex)
            unsafe ended = true
            unsafe pthread_cond_signal(condition)
            unsafe pthread_mutex_unlock(mutex)
        }

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

    private let queue = Queue()

    /// Makes an object whose thread has not started yet.
    public init() {}

    deinit { queue.end() }

    /// Starts the thread before its first job, for jobs that must run even if no thread can be started later.
    ///
    /// The caller calls it before it adds jobs.
    ///
    /// - Throws: `ThreadRefusal` when the system has no thread left.
    package func start() throws(ThreadRefusal) {
        guard queue.claimStart() else { return }
        let queue = queue
        do throws(ThreadRefusal) { try Threads.startAtOnce { queue.run() } } catch {
            queue.giveUpStart()
            throw error
        }
    }

    /// Adds a job. It runs on the thread after the jobs that were added before.
    public func enqueue(_ job: @escaping @Sendable () -> Void) {
        guard queue.add(job) else { return }
        let queue = queue
        Threads.start { queue.run() }
    }
}
