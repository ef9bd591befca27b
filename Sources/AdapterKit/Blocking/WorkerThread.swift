#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#elseif canImport(Darwin)
internal import Darwin
#endif
package import PortcullisCore

/// A thread of its own for work that may block, one job after the other.
///
/// The thread starts with the first job, or by an earlier start, and ends when this object goes, after the jobs it was given.
public final class WorkerThread: BlockingQueue {
    /// The queue, shared with the thread so that the thread does not keep its owner alive.
    @safe
    private final class Queue: Sendable {
        // Touched only with `mutex` held, but for its creation and destruction.
        nonisolated(unsafe) private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
        // Waited on and signalled with `mutex` held, but for its creation and destruction.
        nonisolated(unsafe) private let condition = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
        // Guarded by `mutex`.
        nonisolated(unsafe) private var jobs: [@Sendable () -> Void] = []
        // Guarded by `mutex`.
        nonisolated(unsafe) private var ended = false
        // Guarded by `mutex`.
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

        /// Adds a job; says whether the thread has to be started for it.
        func add(_ job: @escaping @Sendable () -> Void) -> Bool {
            unsafe pthread_mutex_lock(mutex)
            unsafe jobs.append(job)
            let first = unsafe !started
            unsafe started = true
            unsafe pthread_mutex_unlock(mutex)
            // After the mutex was given back: a thread that wakes to find it taken goes to sleep once more.
            unsafe pthread_cond_signal(condition)
            return first
        }

        /// Says whether the thread has still to be started, and takes it for started.
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

    /// A thread that has not started yet; the first job starts it.
    public init() {}

    deinit { queue.end() }

    /// Starts the thread before its first job, for work that must be done though no thread is to be had by then.
    ///
    /// It is called before jobs come.
    ///
    /// - Throws: where the system has no thread left.
    package func start() throws(ThreadRefusal) {
        guard queue.claimStart() else { return }
        let queue = queue
        do throws(ThreadRefusal) { try Threads.startAtOnce { queue.run() } } catch {
            queue.giveUpStart()
            throw error
        }
    }

    /// Runs a job on the thread, after those that were given before.
    public func enqueue(_ job: @escaping @Sendable () -> Void) {
        guard queue.add(job) else { return }
        let queue = queue
        Threads.start { queue.run() }
    }
}
