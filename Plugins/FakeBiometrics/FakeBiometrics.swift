public import PortcullisCore
internal import Synchronization

/// Biometrics without hardware, for tests and examples. The calling code decides how the person and the
/// platform act.
///
/// A prompt waits until ``answer(_:)`` is called, or uses the next scripted answer of ``script(_:after:)``.
/// Everything else works as on a real device. Five failures in a row lock the reader until
/// ``passcodeEntered()``. A change of the enrolled fingers or faces changes the digest and deletes the stored
/// keys. A new prompt ends the current prompt. Cancelling the task closes the prompt.
///
/// A success does not prove a person's identity.
public final class FakeBiometrics: BiometricAuthenticator {
    /// The event that ends a prompt.
    public enum Answer: Hashable, Sendable {
        /// The reader recognizes the enrolled person.
        case success
        /// The person chooses the passcode.
        case choosePasscode
        /// The person, the app or the system closes the prompt.
        case cancel(by: BiometricCanceller)
        /// The reader sees another person. The message is `nil` for a platform that gives no message.
        case fail(message: String?)
    }

    /// The texts of a prompt, as they were shown.
    public struct Prompt: Hashable, Sendable {
        /// The user who is to be recognized.
        public let user: UserID
        /// The reason for the prompt, as the person reads it.
        public let reason: String
        /// The title of the button that chooses the passcode.
        public let fallbackTitle: String
    }

    /// The number of failures in a row that lock the reader.
    public static let failuresToLockOut = 5

    /// The way in which a call to `authenticate` ends: without a prompt, or with an answer to its prompt.
    private enum Course {
        /// The call shows no prompt.
        case refused(BiometricOutcome)
        /// The prompt gets this answer after a delay. `enrolment` is the number of the enrolment when the
        /// prompt was shown.
        case prompted(Answer, after: Duration, enrolment: UInt64)
    }

    private struct Waiting {
        let call: UInt64
        let prompt: Prompt
        let enrolment: UInt64
        let hint: @Sendable (BiometricHint) -> Void
        let continuation: CheckedContinuation<Course, Never>

        func resume(with answer: Answer) {
            continuation.resume(returning: .prompted(answer, after: .zero, enrolment: enrolment))
        }
    }

    private struct State {
        var kind: BiometricKind
        var isSwitchedOn = true
        var enrolled: Set<String>
        /// The number of the enrolment. It rises by one with every change, even if the change adds a removed
        /// finger or face again.
        var enrolment: UInt64 = 1
        var keys: [UserID: SecretBytes] = [:]
        var failures = 0
        var script: [(answer: Answer, delay: Duration)] = []
        var prompts: [Prompt] = []
        var calls: UInt64 = 0
        /// The number of the call whose prompt was shown last.
        var latest: UInt64 = 0
        var waiting: Waiting?
    }

    private let clock: any LockClock
    private let binding: BiometricBinding
    private let state: Mutex<State>

    /// Makes an authenticator whose reader is switched on.
    ///
    /// - Parameters:
    ///   - kind: the kind of reader.
    ///   - binding: whether a success releases the stored key; default: it does.
    ///   - enrolled: the names of the enrolled fingers or faces; default: one finger or face.
    ///   - clock: measures scripted delays.
    public init(
        kind: BiometricKind = .fingerprint,
        binding: BiometricBinding = .key,
        enrolled: Set<String> = ["owner"],
        clock: any LockClock
    ) {
        self.clock = clock
        self.binding = binding
        self.state = Mutex(State(kind: kind, enrolled: enrolled))
    }

    /// Returns the present state of the reader, which is the same for all users.
    public func availability(for user: UserID) async -> BiometricAvailability {
        state.withLock { state in
            BiometricAvailability(
                kind: state.isSwitchedOn ? state.kind : .none,
                state: Self.readiness(state),
                enrolmentDigest: state.enrolled.isEmpty ? nil : Self.digest(state),
                binding: binding
            )
        }
    }

    /// Stores the key until the enrolment changes or ``forget(_:)`` is called. With the binding `.assertion`
    /// no key is stored, because a success releases none.
    public func enroll(_ key: SecretBytes, for user: UserID) async throws(BiometricError) {
        let refusal = state.withLock { state -> BiometricError? in
            switch Self.readiness(state) {
            case .available:
                if binding == .key { state.keys[user] = key }
                return nil
            case .notAvailable:
                return BiometricError(code: .notAvailable, message: "there is no reader")
            case .notEnrolled:
                return BiometricError(code: .notEnrolled, message: "none is enrolled")
            case .lockedOut:
                return BiometricError(code: .lockedOut, message: "the passcode is needed first")
            }
        }
        if let refusal { throw refusal }
    }

    /// Deletes the stored key of a user.
    public func forget(_ user: UserID) async throws(BiometricError) {
        state.withLock { $0.keys[user] = nil }
    }

    /// Shows a prompt and waits for its end.
    public func authenticate(
        user: UserID,
        reason: String,
        fallbackTitle: String,
        hint: @escaping @Sendable (BiometricHint) -> Void
    ) async -> BiometricOutcome {
        let prompt = Prompt(user: user, reason: reason, fallbackTitle: fallbackTitle)
        let call = state.withLock { state in
            state.calls += 1
            return state.calls
        }
        let course = await withTaskCancellationHandler {
            await withCheckedContinuation { show(prompt, for: call, hint, $0) }
        } onCancel: {
            end(call, .cancel(by: .app))
        }
        switch course {
        case .refused(let outcome): return outcome
        case .prompted(let answer, let delay, let enrolment):
            if delay > .zero {
                let due = clock.now.sinceBoot + delay
                do { try await clock.sleep(until: .sinceBoot(due)) } catch { return .cancelled(by: .app) }
            }
            if Task.isCancelled { return .cancelled(by: .app) }
            return state.withLock { state in
                // The system has cancelled this prompt if another prompt has replaced it, or if the reader
                // is switched off now.
                guard state.latest == call, state.isSwitchedOn else { return .cancelled(by: .system) }
                return Self.outcome(of: answer, for: user, enrolment: enrolment, binding, &state)
            }
        }
    }

    /// Shows a prompt in place of the current one. If an answer is scripted, or no prompt can be shown, the
    /// call continues at once.
    private func show(
        _ prompt: Prompt,
        for call: UInt64,
        _ hint: @escaping @Sendable (BiometricHint) -> Void,
        _ continuation: CheckedContinuation<Course, Never>
    ) {
        // All steps are done under one lock. If the lock were released between two steps, a later call could
        // show its prompt there. This call would then replace the newer prompt with an older one.
        let (course, overtaken) = state.withLock { state -> (Course?, Waiting?) in
            switch Self.readiness(state) {
            case .notAvailable: return (.refused(.notAvailable), nil)
            case .notEnrolled: return (.refused(.notEnrolled), nil)
            case .lockedOut: return (.refused(.lockedOut), nil)
            case .available: break
            }
            // A call that is already cancelled shows no prompt, and must not close the current prompt.
            if Task.isCancelled { return (.refused(.cancelled(by: .app)), nil) }
            state.latest = call
            state.prompts.append(prompt)
            let overtaken = state.waiting
            let enrolment = state.enrolment
            if state.script.isEmpty {
                state.waiting = Waiting(
                    call: call,
                    prompt: prompt,
                    enrolment: enrolment,
                    hint: hint,
                    continuation: continuation
                )
                return (nil, overtaken)
            }
            state.waiting = nil
            let (answer, delay) = state.script.removeFirst()
            return (.prompted(answer, after: delay, enrolment: enrolment), overtaken)
        }
        overtaken?.resume(with: .cancel(by: .system))
        if let course { continuation.resume(returning: course) }
    }
}

extension FakeBiometrics {
    private static func readiness(_ state: State) -> BiometricState {
        if !state.isSwitchedOn || state.kind == .none { return .notAvailable }
        if state.enrolled.isEmpty { return .notEnrolled }
        return state.failures >= failuresToLockOut ? .lockedOut : .available
    }

    private static func digest(_ state: State) -> [UInt8] {
        // The enrolment's number serves as the digest, because the number changes exactly when the enrolment
        // changes.
        Array(String(state.enrolment).utf8)
    }

    private static func outcome(
        of answer: Answer,
        for user: UserID,
        enrolment: UInt64,
        _ binding: BiometricBinding,
        _ state: inout State
    ) -> BiometricOutcome {
        switch answer {
        case .choosePasscode: return .passcodeChosen
        case .cancel(let canceller): return .cancelled(by: canceller)
        case .fail(let message):
            state.failures += 1
            if state.failures >= failuresToLockOut { return .lockedOut }
            return .failed(message: message ?? BiometricOutcome.defaultFailureMessage)
        case .success:
            // If the enrolment has changed while the prompt was shown, no key is released.
            let key = state.enrolment == enrolment ? state.keys[user] : nil
            if binding == .key, key == nil {
                return .failed(message: BiometricOutcome.defaultFailureMessage)
            }
            state.failures = 0
            return .success(key: key)
        }
    }

    @discardableResult
    private func end(_ call: UInt64?, _ answer: Answer) -> Bool {
        let waiting = state.withLock { state -> Waiting? in
            guard let waiting = state.waiting, call == nil || waiting.call == call else { return nil }
            state.waiting = nil
            return waiting
        }
        waiting?.resume(with: answer)
        return waiting != nil
    }
}

extension FakeBiometrics {
    /// The prompts that were shown so far, in order.
    public var prompts: [Prompt] { state.withLock { $0.prompts } }

    /// The prompt that waits for an answer; `nil` if no prompt waits.
    public var prompt: Prompt? { state.withLock { $0.waiting?.prompt } }

    /// Whether a prompt waits for an answer.
    public var isPrompting: Bool { prompt != nil }

    /// Answers the prompt that waits for an answer.
    ///
    /// - Returns: whether a prompt waited for an answer.
    @discardableResult
    public func answer(_ answer: Answer) -> Bool { end(nil, answer) }

    /// Gives a hint of the reader to the prompt that waits for an answer.
    ///
    /// A lock is held while the receiver of the hint is called. Therefore no hint follows the prompt's
    /// outcome, and the receiver must not call this object.
    ///
    /// - Returns: whether a prompt waited for an answer. A prompt with a scripted answer gets no hints.
    @discardableResult
    public func give(_ hint: BiometricHint) -> Bool {
        state.withLock { state in
            state.waiting?.hint(hint)
            return state.waiting != nil
        }
    }

    /// Scripts the answers of later prompts. Each prompt takes the next answer, and gets it after the delay.
    public func script(_ answers: Answer..., after delay: Duration = .zero) {
        state.withLock { state in
            for answer in answers { state.script.append((answer, delay)) }
        }
    }

    /// Replaces the enrolled fingers or faces. The digest changes, and the stored keys are deleted.
    public func changeEnrolment(to enrolled: Set<String>) {
        state.withLock { state in
            state.enrolled = enrolled
            state.enrolment += 1
            state.keys = [:]
        }
    }

    /// Switches the reader on or off. Switching the reader off ends a prompt that waits for an answer.
    public func setSwitchedOn(_ isSwitchedOn: Bool) {
        state.withLock { $0.isSwitchedOn = isSwitchedOn }
        if !isSwitchedOn { end(nil, .cancel(by: .system)) }
    }

    /// Replaces the reader by a reader of another kind.
    public func setKind(_ kind: BiometricKind) { state.withLock { $0.kind = kind } }

    /// Ends a lock-out, as a platform does after the passcode was entered.
    public func passcodeEntered() { state.withLock { $0.failures = 0 } }
}
