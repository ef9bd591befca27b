internal import Dispatch

/// A queue for jobs that may block. It runs them one after the other on threads of Dispatch.
///
/// The queue suits occasional jobs whose callers wait, because handing a job to Dispatch takes less time than
/// waking a ``WorkerThread``. A job that may wait for ever, such as a prompt to a person, belongs on its own
/// thread.
public final class WorkerQueue: BlockingQueue {
    private let queue: DispatchQueue

    /// Makes a queue without jobs.
    ///
    /// - Parameter label: the name that debuggers show.
    public init(_ label: String) { queue = DispatchQueue(label: label) }

    /// Adds a job. It runs after the jobs that were added before.
    public func enqueue(_ job: @escaping @Sendable () -> Void) { queue.async(execute: job) }
}
