package import PortcullisCore
internal import Synchronization

/// Runs jobs that may block, one after the other, on a thread of its own.
///
/// The thread starts with the first job or with an earlier start. When this object is deallocated, the thread ends
/// after the remaining jobs.
public final class WorkerThread: BlockingQueue {
    /// The queue, shared with the thread so that the thread does not keep its owner alive.
    private let queue = JobLoop()
    /// Whether the thread was started, or a caller is about to start it.
    private let started = Mutex(false)

    /// Makes an object whose thread has not started yet.
    public init() {}

    deinit { queue.end() }

    /// Starts the thread before its first job, for jobs that must run even if no thread can be started later.
    ///
    /// The caller calls it before it adds jobs.
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
