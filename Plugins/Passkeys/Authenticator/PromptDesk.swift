#if Passkeys
internal import AdapterKit
internal import PortcullisCore
internal import Synchronization

/// Holds the open prompt. `ask` opens the prompt and waits for its answer. The host passes the answer to
/// `answer`.
///
/// At most one prompt is open: a new prompt ends the previous one. The first answer spends the prompt's
/// challenge, even if the answer is refused.
final class PromptDesk: Sendable {
    /// How a prompt ended.
    enum Ending: Sendable {
        case answered(PasskeyAnswer, PasskeyChallenge)
        case refused(WebAuthnError)
        case ended(BiometricCanceller)
        /// The browser cannot use passkeys.
        case notAvailable
    }

    private struct Waiting {
        let prompt: PasskeyPrompt
        var challenge: OpenChallenge
        let continuation: CheckedContinuation<Ending, Never>
    }

    private struct State {
        var isAvailable: Bool
        var waiting: Waiting?
    }

    private let clock: any LockClock
    private let state: Mutex<State>
    private let signals = Broadcaster<Void>()

    init(clock: any LockClock, isAvailable: Bool) {
        self.clock = clock
        state = Mutex(State(isAvailable: isAvailable))
    }

    var prompt: PasskeyPrompt? { state.withLock { $0.waiting?.prompt } }
    var isAvailable: Bool { state.withLock { $0.isAvailable } }

    /// Returns a stream that sends one signal at once, and one after each change of the prompt. Signals that
    /// the reader has not received yet are merged into one.
    func changes() -> AsyncStream<Void> { signals.stream(after: [()], buffering: .bufferingNewest(1)) }

    /// Sets whether the browser can use passkeys. If the browser cannot use them, an open prompt ends.
    func setAvailable(_ isAvailable: Bool) {
        let ended = state.withLock { state -> Waiting? in
            state.isAvailable = isAvailable
            guard !isAvailable else { return nil }
            defer { state.waiting = nil }
            return state.waiting
        }
        finish(ended, .ended(.system))
    }

    /// Opens a prompt and waits for its end, at most until its challenge expires.
    func ask(_ prompt: PasskeyPrompt, _ challenge: PasskeyChallenge) async -> Ending {
        let timer = Task { [clock, weak self] in
            let deadline = challenge.issued.sinceBoot + PasskeyChallenge.lifetime
            // If the sleep was cancelled, the prompt has already ended.
            guard (try? await clock.sleep(until: .sinceBoot(deadline))) != nil else { return }
            self?.end(
                prompt.id,
                .refused(WebAuthnError(.challengeExpired, "the prompt was not answered in time"))
            )
        }
        defer { timer.cancel() }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { show(prompt, challenge, $0) }
        } onCancel: {
            end(prompt.id, .ended(.app))
        }
    }

    private func show(
        _ prompt: PasskeyPrompt,
        _ challenge: PasskeyChallenge,
        _ continuation: CheckedContinuation<Ending, Never>
    ) {
        let (refusal, overtaken) = state.withLock { state -> (Ending?, Waiting?) in
            // This code and `end` take the same lock. If the task is cancelled before this code takes the
            // lock, the check below notices the cancellation. If it is cancelled later, `end` finds the
            // prompt that is stored below.
            if Task.isCancelled { return (.ended(.app), nil) }
            guard state.isAvailable else { return (.notAvailable, nil) }
            var open = OpenChallenge()
            open.open(challenge)
            defer { state.waiting = Waiting(prompt: prompt, challenge: open, continuation: continuation) }
            return (nil, state.waiting)
        }
        if let refusal { return continuation.resume(returning: refusal) }
        overtaken?.continuation.resume(returning: .ended(.system))
        signals.send(())
    }

    /// Answers the prompt that has this id.
    ///
    /// - Returns: whether the prompt was open.
    func answer(_ answer: PasskeyAnswer, to id: String, from session: PasskeySession) -> Bool {
        let moment = clock.now
        let found = state.withLock { state -> (Waiting, Ending)? in
            guard var waiting = state.waiting, waiting.prompt.id == id else { return nil }
            state.waiting = nil
            let ceremony = answer.ceremony ?? waiting.prompt.ceremony
            do throws(WebAuthnError) {
                let challenge = try waiting.challenge.spend(on: ceremony, from: session, at: moment)
                return (waiting, .answered(answer, challenge))
            } catch {
                return (waiting, .refused(error))
            }
        }
        guard let (waiting, ending) = found else { return false }
        finish(waiting, ending)
        return true
    }

    private func end(_ id: String, _ ending: Ending) {
        let waiting = state.withLock { state -> Waiting? in
            guard state.waiting?.prompt.id == id else { return nil }
            defer { state.waiting = nil }
            return state.waiting
        }
        finish(waiting, ending)
    }

    private func finish(_ waiting: Waiting?, _ ending: Ending) {
        guard let waiting else { return }
        waiting.continuation.resume(returning: ending)
        signals.send(())
    }
}

extension PasskeyAnswer {
    /// The ceremony of the response in an answer; `nil` for an answer without a response.
    fileprivate var ceremony: PasskeyCeremony? {
        switch self {
        case .created: .registration
        case .used: .authentication
        default: nil
        }
    }
}
#endif
