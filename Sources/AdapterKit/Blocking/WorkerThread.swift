package import PortcullisCore
internal import Synchronization

/// Runs jobs that may block, one after the other, on a thread of its own.
///
/// The thread starts with the first job, or earlier if the owner calls `start()`. When this object is
/// deallocated, the thread ends after the remaining jobs.
public final class WorkerThread: BlockingQueue {
    /// The queue of jobs. The thread retains only the queue, so the thread does not keep this object alive.
    private let queue = JobLoop()
    /// Whether the thread has been started, or is about to be started by a caller.
    private let started = Mutex(false)

    /// Makes an object whose thread has not started yet.
    public init() {}

    deinit { queue.end() }

    /// Starts the thread before the first job. If the jobs must run even when the system refuses new threads,
    /// the owner starts the thread in advance.
    ///
    /// The call must come before the first job is added.
    ///
    /// - Throws: `ThreadRefusal` when the system has no thread left.
    package func start() throws(ThreadRefusal) {
        guard claimStart() else { return }
        let queue = queue
        do throws(ThreadRefusal) { try Threads.startAtOnce { queue.run() } } catch {
            started.withLock { $0 = false }
            throw error
        }
    }

    /// Adds a job. It runs on the thread after the jobs that were added before.
    public func enqueue(_ job: @escaping @Sendable () -> Void) {
        queue.add(job)
        guard claimStart() else { return }
        let queue = queue
        Threads.start { queue.run() }
    }

    /// Returns whether the caller has to start the thread, and marks the thread as started.
    private func claimStart() -> Bool {
        started.withLock { started in
            defer { started = true }
            return !started
        }
    }
}
