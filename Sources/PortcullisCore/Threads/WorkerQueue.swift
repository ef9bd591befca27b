internal import Dispatch

/// A queue for work that may block, one job after the other, on whatever thread Dispatch has at hand.
///
/// For jobs that come now and then, whose callers wait: to hand them over and back takes less time than a
/// ``WorkerThread`` needs to wake up. Jobs that may wait for ever, as for a person, belong on a thread of their own.
package final class WorkerQueue: Worker {
    private let queue: DispatchQueue

    /// A queue with a name that debuggers show.
    package init(_ label: String) { queue = DispatchQueue(label: label) }

    package func enqueue(_ job: @escaping @Sendable () -> Void) { queue.async(execute: job) }
}
