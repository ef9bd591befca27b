/// Does work that may block, one job after the other, and not on a thread of Swift's pool.
package protocol Worker: Sendable {
    /// Has a job done, after those that were given before.
    func enqueue(_ job: @escaping @Sendable () -> Void)
}

extension Worker {
    /// Has a job done and waits for what it gives, without blocking the caller's thread.
    package func run<Value: Sendable, E: Error>(
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
