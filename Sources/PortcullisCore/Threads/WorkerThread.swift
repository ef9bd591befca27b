#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#elseif canImport(Darwin)
internal import Darwin
#endif

/// A thread of our own for work that may block, one job after the other.
///
/// The thread starts with the first job and ends when this object goes, after the jobs it was given.
package final class WorkerThread: Worker {
    /// The queue, shared with the thread so that the thread does not keep its owner alive.
    @safe
    private final class Queue: Sendable {
        // Touched only with `mutex` held, but for its creation and destruction.
        nonisolated(unsafe) private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
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

    /// A thread that has not started yet.
    package init() {}

    deinit { queue.end() }

    /// Runs a job on the thread, after those that were given before.
    package func enqueue(_ job: @escaping @Sendable () -> Void) {
        guard queue.add(job) else { return }
        let queue = queue
        Threads.start { queue.run() }
    }
}

/// Starting of threads.
package enum Threads {
    private final class Body: Sendable {
        let run: @Sendable () -> Void
        init(_ run: @escaping @Sendable () -> Void) { self.run = run }
    }

    /// Starts a detached thread.
    package static func start(_ body: @escaping @Sendable () -> Void) {
        let context = unsafe Unmanaged.passRetained(Body(body)).toOpaque()
        #if canImport(Darwin)
        var thread: pthread_t?
        #else
        var thread = pthread_t()
        #endif
        let result = unsafe pthread_create(
            &thread,
            nil,
            { context in
                #if canImport(Darwin)
                unsafe Unmanaged<Body>.fromOpaque(context).takeRetainedValue().run()
                #else
                unsafe Unmanaged<Body>.fromOpaque(context!).takeRetainedValue().run()
                #endif
                return nil
            },
            context
        )
        // As with memory: a process that cannot have one more thread cannot go on.
        precondition(result == 0, "no thread could be started")
        #if canImport(Darwin)
        if let thread { pthread_detach(thread) }
        #else
        pthread_detach(thread)
        #endif
    }

    /// Lets the current thread, which must be one of ours, wait.
    package static func sleep(microseconds: UInt32) { usleep(microseconds) }
}
