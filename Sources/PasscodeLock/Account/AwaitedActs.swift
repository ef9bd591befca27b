internal import PortcullisCore
internal import Synchronization

/// The acts that this process has sent and that the account has not answered yet.
///
/// The account may report its status before it receives an act. That status looks as if the act was not
/// carried out. So while this process awaits the answer to an act, a status does not decide whether the act
/// was carried out.
final class AwaitedActs: Sendable {
    private let waiting = Mutex<[AccountRevision: [CheckedContinuation<Void, Never>]]>([:])

    /// Sends an act, and counts it as awaited until the account has answered.
    ///
    /// The act counts as awaited before it is written to the record. If it counted only from the request on,
    /// another task could read the status between the write and the request. That status would remove the act
    /// from the record.
    ///
    /// - Parameters:
    ///   - act: the revision under which the act is sent.
    ///   - send: writes the act to the record and sends it. It returns or throws the account's answer.
    func during<Outcome, E: Error>(
        _ act: AccountRevision,
        _ send: () async throws(E) -> Outcome
    ) async throws(E) -> Outcome {
        waiting.withLock { $0[act] = [] }
        defer {
            let tasks = waiting.withLock { $0.removeValue(forKey: act) }
            for task in tasks ?? [] { task.resume() }
        }
        return try await send()
    }

    /// Waits for the account's answer to an act of this process. If no answer is awaited, the call returns at
    /// once.
    ///
    /// - Returns: whether this process was awaiting an answer to the act.
    func answer(to act: AccountRevision) async -> Bool {
        guard waiting.withLock({ $0[act] != nil }) else { return false }
        await withCheckedContinuation { task in
            let isAwaited = waiting.withLock { waiting in
                waiting[act]?.append(task)
                return waiting[act] != nil
            }
            if !isAwaited { task.resume() }
        }
        return true
    }
}
