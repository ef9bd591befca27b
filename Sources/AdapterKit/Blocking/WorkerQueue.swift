internal import Dispatch

/// A queue for work that may block, one job after the other, on whatever thread Dispatch has at hand.
///
/// For jobs that come now and then, whose callers wait: to hand them over and back takes less time than a
/// ``WorkerThread`` needs to wake up. Jobs that may wait for ever, as for a person, belong on a thread of their own.
public final class WorkerQueue: BlockingQueue {
    private let queue: DispatchQueue

    /// A queue without jobs.
    ///
    /// - Parameter label: the name that debuggers show.
    public init(_ label: String) { queue = DispatchQueue(label: label) }

    /// Runs a job after those that were given before.
    public func enqueue(_ job: @escaping @Sendable () -> Void) { queue.async(execute: job) }
}
