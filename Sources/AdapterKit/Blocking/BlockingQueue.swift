/// Does work that may block, one job after the other, and not on a thread of Swift's pool.
///
/// Swift's pool has as many threads as the machine has processors: two tasks that block in the system stop every other
/// task on a machine of two. An adapter that has to call what blocks (a file's lock, a sync, a C library that waits) gives
/// the call to a queue and awaits the answer.
public protocol BlockingQueue: Sendable {
    /// Has a job done, after those that were given before.
    func enqueue(_ job: @escaping @Sendable () -> Void)
}

extension BlockingQueue {
    /// Has a job done and waits for what it gives, without blocking the caller's thread.
    ///
    /// A cancelled task waits, too: the job is done all the same.
    ///
    /// - Parameter job: is called once, after the jobs that were given before.
    /// - Returns: what the job returned.
    /// - Throws: what the job threw.
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
