internal import PortcullisCore
internal import Synchronization

/// A biometric authenticator behind two pipes. At the other end, a program drives a reader. The authenticator
/// writes each prompt to the program, and the program writes what happened, a line each.
///
/// The authenticator writes `7 prompt Unlock Ledger` and `7 over`. The program repeats the number, because a
/// line may come late and must not open the next prompt. `7 match`, `7 no match`, `7 passcode`, `7 cancel`
/// and `7 gone` end the prompt, and `7 hint touch` asks the person for something. A success rests on the
/// program's word alone, so it releases no key.
final class PipeReader: BiometricAuthenticator {
    private let state = Mutex<(prompt: Prompt?, lastID: UInt64)>((nil, 0))
    private let lines: PipeLines

    /// Makes a reader whose program uses these pipes.
    init(_ lines: PipeLines) {
        self.lines = lines
        lines.follow { [weak self] in self?.take($0) }
    }

    deinit { lines.end() }

    /// The prompt that is shown; `nil` if there is none.
    var prompt: Prompt? { state.withLock { $0.prompt } }

    func availability(for user: UserID) async -> BiometricAvailability {
        // The program does not tell which fingers it knows. So the digest is fixed, and a finger that is
        // added to the program can unlock the app at once.
        BiometricAvailability(
            kind: .fingerprint,
            state: lines.isOpen ? .available : .notAvailable,
            enrolmentDigest: [1],
            binding: .assertion
        )
    }

    func enroll(_ key: SecretBytes, for user: UserID) async throws(BiometricError) {
        guard lines.isOpen else {
            throw BiometricError(code: .notAvailable, message: "the reader's program has gone")
        }
    }

    func forget(_ user: UserID) async throws(BiometricError) {}

    func authenticate(
        user: UserID,
        reason: String,
        fallbackTitle: String,
        hint: @escaping @Sendable (BiometricHint) -> Void
    ) async -> BiometricOutcome {
        guard lines.isOpen else { return .notAvailable }
        let id = state.withLock { state in
            state.lastID += 1
            return state.lastID
        }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { answer in
                if Task.isCancelled { return answer.resume(returning: .cancelled(by: .app)) }
                let new = Prompt(
                    id: id,
                    reason: reason,
                    fallbackTitle: fallbackTitle,
                    hint: hint,
                    answer: answer
                )
                // The new prompt replaces the old one.
                let old = state.withLock { state in
                    defer { state.prompt = new }
                    return state.prompt
                }
                old?.answer.resume(returning: .cancelled(by: .system))
                if let old { lines.tell("\(old.id) over") }
                lines.tell("\(id) prompt \(reason)")
                // The task may have been cancelled before there was a prompt, so the cancellation is checked
                // again.
                if Task.isCancelled { end(id, .cancelled(by: .app)) }
            }
        } onCancel: {
            end(id, .cancelled(by: .app))
        }
    }

    private func take(_ line: PipeLines.Line) {
        guard let prompt, line.id == prompt.id || line.id == nil else { return }
        if let hint = line.hint { return prompt.hint(hint) }
        if let outcome = line.outcome { end(prompt.id, outcome) }
    }

    /// Ends a prompt, if it is still shown.
    private func end(_ id: UInt64, _ outcome: BiometricOutcome) {
        let ended = state.withLock { state in
            guard state.prompt?.id == id else { return nil as Prompt? }
            defer { state.prompt = nil }
            return state.prompt
        }
        guard let ended else { return }
        lines.tell("\(id) over")
        ended.answer.resume(returning: outcome)
    }
}
