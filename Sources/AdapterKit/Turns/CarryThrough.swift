/// Completes some work even if the calling task is cancelled. The work runs in a task of its own, which the
/// cancellation does not reach.
///
/// - Parameters:
///   - isolation: the actor on which the work runs, by default the caller's. `nil`: the work runs in Swift's
///     pool.
///   - work: the work.
/// - Returns: the result of the work.
/// - Throws: the error of the work.
package func carryThrough<Value: Sendable, Failure: Error>(
    isolation: isolated (any Actor)? = #isolation,
    _ work: @escaping @Sendable () async throws(Failure) -> Value
) async throws(Failure) -> Value {
    let task = Task { () async -> Result<Value, Failure> in
        // Capturing the actor makes the task run on it.
        _ = isolation
        do throws(Failure) { return .success(try await work()) } catch { return .failure(error) }
    }
    return try await task.value.get()
}
