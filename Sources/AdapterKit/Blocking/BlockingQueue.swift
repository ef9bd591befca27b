/// Runs jobs that may block, one after the other, outside of Swift's shared pool.
///
/// Swift's pool has as many threads as the machine has processors. On a machine with two processors, two
/// tasks whose calls block their threads stop every other task. So an adapter gives each blocking call to a
/// queue and awaits the result. Examples of such calls are locking a file, flushing a file to the disk, and
/// calling a C library that waits.
public protocol BlockingQueue: Sendable {
    /// Adds a job. It runs after the jobs that were added before.
    func enqueue(_ job: @escaping @Sendable () -> Void)
}

extension BlockingQueue {
    /// Runs a job on the queue and awaits its result, without blocking the caller's thread.
    ///
    /// A cancelled task also waits for the job, because cancelling does not stop the job.
    ///
    /// - Parameter job: is called once, after the jobs that were added before.
    /// - Returns: the job's result.
    /// - Throws: the job's error.
    public func run<Value: Sendable, E: Error>(
        _ job: @escaping @Sendable () throws(E) -> Value
    ) async throws(E) -> Value {
        let result = await withCheckedContinuation {
            (continuation: CheckedContinuation<Result<Value, E>, Never>) in
            enqueue {
                continuation.resume(returning: Result { () throws(E) in try job() })
            }
        }
        return try result.get()
    }
}
