#if Passkeys
internal import AdapterKit
internal import PortcullisCore
internal import Synchronization

/// Where the prompt lies that is up, between the call that waits for it and the host that answers it.
///
/// At most one is up; another takes its place. Its challenge is spent by the first answer, whatever that is.
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

    /// A signal now, and each time that the prompt has changed; those that were not taken yet are one.
    func changes() -> AsyncStream<Void> { signals.stream(after: [()], buffering: .bufferingNewest(1)) }

    /// Sets whether the browser can use passkeys; a prompt that is up ends where it cannot.
    func setAvailable(_ isAvailable: Bool) {
        let ended = state.withLock { state -> Waiting? in
            state.isAvailable = isAvailable
            guard !isAvailable else { return nil }
            defer { state.waiting = nil }
            return state.waiting
        }
        finish(ended, .ended(.system))
    }

    /// Puts a prompt up and waits for its end, no longer than its challenge can be answered.
    func ask(_ prompt: PasskeyPrompt, _ challenge: PasskeyChallenge) async -> Ending {
        let timer = Task { [clock, weak self] in
            let deadline = challenge.issued.sinceBoot + PasskeyChallenge.lifetime
            // Cancelled: the prompt ended before.
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
            // Within the lock, which `end` takes too: a cancellation is seen here, or finds the prompt.
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

    /// Answers the prompt of this id.
    ///
    /// - Returns: whether it was up.
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
    /// What an answer with a response is of; `nil` for one without.
    fileprivate var ceremony: PasskeyCeremony? {
        switch self {
        case .created: .registration
        case .used: .authentication
        default: nil
        }
    }
}
#endif
