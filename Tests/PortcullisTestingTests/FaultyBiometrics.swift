import PortcullisCore
import PortcullisTesting
import Synchronization

/// An authenticator in memory, right but for one fault.
final class FaultyBiometrics: BiometricAuthenticator {
    typealias Event = BiometricAuthenticatorSubject.PromptEvent
    typealias Prompt = BiometricAuthenticatorSubject.Prompt

    static let failuresToLockOut = 3

    struct Kept {
        var key: SecretBytes
        var enrolment: UInt8
    }

    struct Waiting {
        let id: UInt64
        let user: UserID
        let prompt: Prompt
        let enrolment: UInt8
        let kept: Kept?
        /// Whose prompt gave way to it.
        var before: UserID?
        let hint: @Sendable (BiometricHint) -> Void
        let continuation: CheckedContinuation<BiometricOutcome, Never>
    }

    struct State {
        var isOn = true
        var isAnyoneEnrolled = true
        var enrolment: UInt8 = 1
        var keys: [String: Kept] = [:]
        var dropped: [String: Kept] = [:]
        var failures = 0
        var refusals = 0
        var prompts: UInt8 = 0
        var isNextToFail = false
        var lastID: UInt64 = 0
        var waiting: Waiting?
        /// Where the hints of all prompts so far go.
        var hinted: [@Sendable (BiometricHint) -> Void] = []
        /// Prompts that were lost or joined another, by a fault.
        var aside: [Waiting] = []
        var replacedInARow = 0
        var ghost: Prompt?
        var secret = ""
    }

    let fault: BiometricFault
    let state: Mutex<State>

    init(_ fault: BiometricFault, from old: FaultyBiometrics? = nil) {
        self.fault = fault
        var state = State()
        if let old {
            (state.keys, state.enrolment) = old.state.withLock { old in
                (
                    fault == .revivesKeys ? old.keys.merging(old.dropped) { now, _ in now } : old.keys,
                    old.enrolment
                )
            }
            if fault == .reopensEmpty { state.keys = [:] }
            if fault == .reopensOverChange {
                for name in state.keys.keys { state.keys[name]?.enrolment = state.enrolment }
            }
        }
        self.state = Mutex(state)
    }

    func availability(for user: UserID) async -> BiometricAvailability {
        if fault == .holdsUpQuestions {
            while state.withLock({ $0.waiting != nil }), !Task.isCancelled { await Task.yield() }
        }
        return state.withLock { state in
            var kind = BiometricKind.fingerprint
            if fault == .nameless { kind = BiometricKind(displayName: "", symbolName: "touchid") }
            if fault == .ofNoKind { kind = .none }
            var readiness = readiness(state)
            if fault == .locksOutUnsaid, readiness == .lockedOut { readiness = .available }
            if fault == .seesNobody, readiness == .notEnrolled { readiness = .available }
            if fault == .deniesOthers, user.rawValue != "contract.user" { readiness = .notAvailable }
            return BiometricAvailability(
                kind: kind,
                state: readiness,
                enrolmentDigest: digest(state),
                binding: .key
            )
        }
    }

    func enroll(_ key: SecretBytes, for user: UserID) async throws(BiometricError) {
        if fault == .cancelledEnrollLies, Task.isCancelled { return }
        let before = state.withLock { $0.keys }
        if fault == .losesEnrolments { for _ in 0..<5 { await Task.yield() } }
        let refusal = state.withLock { state -> BiometricError? in
            state.secret = Self.text(of: key)
            if let notNow = self.refusal(state) { return notNow }
            defer { state.isNextToFail = false }
            if state.isNextToFail {
                if fault == .failsButReplaces { state.keys[name(user)] = nil }
                return fault == .hidesFailedEnroll ? nil : failure(state)
            }
            if fault == .losesEnrolments { state.keys = before }
            if fault == .keepsFirstKey, state.keys[name(user)] != nil { return nil }
            state.keys[name(user)] = Kept(key: key, enrolment: state.enrolment)
            state.dropped[name(user)] = nil
            return nil
        }
        if let refusal { throw refusal }
    }

    func forget(_ user: UserID) async throws(BiometricError) {
        if fault == .cancelledForgetLies, Task.isCancelled { return }
        let refusal = state.withLock { state -> BiometricError? in
            defer { state.isNextToFail = false }
            if state.isNextToFail { return fault == .hidesFailedForget ? nil : failure(state) }
            if fault == .forgetsNothing { return nil }
            guard let kept = state.keys.removeValue(forKey: name(user)) else {
                if fault == .forgetsAll { state.keys = [:] }
                return fault == .refusesUnknown ? failure(state) : nil
            }
            state.dropped[name(user)] = kept
            return nil
        }
        if let refusal { throw refusal }
    }

    func authenticate(
        user: UserID,
        reason: String,
        fallbackTitle: String,
        hint: @escaping @Sendable (BiometricHint) -> Void
    ) async -> BiometricOutcome {
        if let outcome = state.withLock({ refused(&$0) }) { return outcome }
        if Task.isCancelled, fault != .promptsCancelled, fault != .cancelledTakesPlace {
            return .cancelled(by: .app)
        }
        let prompt = Prompt(
            reason: fault == .ownReason ? "Unlock" : reason,
            fallbackTitle: fault == .ownTitle ? "Enter Passcode" : fallbackTitle
        )
        let id = state.withLock { state in
            state.lastID += 1
            state.prompts &+= 1
            return state.lastID
        }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                state.withLock { state in
                    let waiting = Waiting(
                        id: id,
                        user: user,
                        prompt: prompt,
                        enrolment: state.enrolment,
                        kept: state.keys[name(user)],
                        hint: hint,
                        continuation: continuation
                    )
                    state.hinted.append(hint)
                    show(waiting, &state)
                }
                if fault != .promptsCancelled, Task.isCancelled { cancel(id) }
            }
        } onCancel: {
            cancel(id)
        }
    }
}

extension FaultyBiometrics {
    private func readiness(_ state: State) -> BiometricState {
        if !state.isOn { return .notAvailable }
        if !state.isAnyoneEnrolled { return .notEnrolled }
        let isLockedOut = state.failures >= Self.failuresToLockOut && fault != .neverLocksOut
        return isLockedOut ? .lockedOut : .available
    }

    private func digest(_ state: State) -> [UInt8]? {
        switch fault {
        case .sameDigest: [0]
        case .digestOfPrompts: [state.enrolment, state.prompts]
        case .digestOfKeys: [state.enrolment, UInt8(state.keys.count)]
        default: [state.enrolment]
        }
    }

    /// Under which name a user's key is kept.
    private func name(_ user: UserID) -> String {
        switch fault {
        case .sharesKeys: ""
        case .foldsNames: user.rawValue.lowercased()
        default: user.rawValue
        }
    }

    private func refused(_ state: inout State) -> BiometricOutcome? {
        switch readiness(state) {
        case .available: return nil
        case .notAvailable:
            return fault == .promptsWhileOff ? .cancelled(by: .system) : .notAvailable
        case .notEnrolled: return .notEnrolled
        case .lockedOut:
            state.refusals += 1
            if fault == .lockOutEndsByAsking, state.refusals == 5 { state.failures = 0 }
            return .lockedOut
        }
    }

    private func refusal(_ state: State) -> BiometricError? {
        let code: BiometricError.Code
        switch readiness(state) {
        case .available: return nil
        case .notAvailable: code = .notAvailable
        case .notEnrolled: code = fault == .refusesByAnotherName ? .systemFailure : .notEnrolled
        case .lockedOut: code = .lockedOut
        }
        return BiometricError(code: code, message: "not now")
    }

    private func failure(_ state: State) -> BiometricError {
        let message = fault == .tellsInErrors ? "no room for \(state.secret)" : "no room"
        return BiometricError(code: .systemFailure, message: message)
    }

    private func show(_ waiting: Waiting, _ state: inout State) {
        var waiting = waiting
        if let old = state.waiting {
            waiting.before = old.user
            state.replacedInARow += 1
            let isLost = fault == .losesPrompts && state.replacedInARow.isMultiple(of: 3)
            if fault == .secondGetsFirstsOutcome || isLost {
                state.aside.append(old)
            } else {
                let canceller: BiometricCanceller = fault == .secondEndsFirstAsUser ? .user : .system
                old.continuation.resume(returning: .cancelled(by: canceller))
            }
            if fault == .bothGiveWay {
                state.waiting = nil
                waiting.continuation.resume(returning: .cancelled(by: .system))
                return
            }
        }
        state.waiting = waiting
    }

    private func outcome(of event: Event, _ waiting: Waiting, _ state: inout State) -> BiometricOutcome {
        switch event {
        case .match: return release(for: waiting, &state)
        case .noMatch:
            if fault == .releasesWithoutMatch { return release(for: waiting, &state) }
            if fault == .errorInsteadOfOutcome { return .notAvailable }
            state.failures += 1
            if readiness(state) == .lockedOut { return .lockedOut }
            if fault == .tellsInMessages { return .failed(message: "not the owner of \(state.secret)") }
            return .failed(message: fault == .noMessage ? "" : BiometricOutcome.defaultFailureMessage)
        case .userCancels:
            if fault == .userCancelFails { return .failed(message: BiometricOutcome.defaultFailureMessage) }
            return .cancelled(by: .user)
        case .systemCancels: return .cancelled(by: fault == .systemIsUser ? .user : .system)
        case .choosesPasscode: return fault == .passcodeCancels ? .cancelled(by: .user) : .passcodeChosen
        }
    }

    private func release(for waiting: Waiting, _ state: inout State) -> BiometricOutcome {
        let user = fault == .secondGetsFirstsKey ? waiting.before ?? waiting.user : waiting.user
        let kept = fault == .takesKeyAtStart ? waiting.kept : state.keys[name(user)]
        let enrolment = fault == .looksAtStart ? waiting.enrolment : state.enrolment
        guard let kept, kept.enrolment == enrolment || fault == .keepsKeysOverChange else {
            if fault == .opensWithoutKey { return .success(key: nil) }
            return .failed(message: BiometricOutcome.defaultFailureMessage)
        }
        if fault != .countsOn { state.failures = 0 }
        switch fault {
        case .keepsKeyBack: return .success(key: nil)
        case .losesKeysEnd: return .success(key: SecretBytes(copying: Self.text(of: kept.key).utf8))
        default: return .success(key: kept.key)
        }
    }

    private func cancel(_ id: UInt64) {
        switch fault {
        case .ignoresCancellation: return
        case .opensLate:
            Task {
                for _ in 0..<2_000 { await Task.yield() }
                end(id) { _, _ in .cancelled(by: .app) }
            }
        case .matchesCancelled: end(id) { [self] in release(for: $0, &$1) }
        case .cancelsAsUser: end(id) { _, _ in .cancelled(by: .user) }
        case .leavesPromptUp:
            end(id) { waiting, state in
                state.ghost = waiting.prompt
                return .cancelled(by: .app)
            }
        default: end(id) { _, _ in .cancelled(by: .app) }
        }
    }

    private func end(_ id: UInt64, _ outcome: (Waiting, inout State) -> BiometricOutcome) {
        state.withLock { state in
            if let index = state.aside.firstIndex(where: { $0.id == id }) {
                let lost = state.aside.remove(at: index)
                lost.continuation.resume(returning: outcome(lost, &state))
            }
            guard let waiting = state.waiting, waiting.id == id else { return }
            state.waiting = nil
            waiting.continuation.resume(returning: outcome(waiting, &state))
        }
    }

    /// What a key has before its first byte that ends a text.
    private static func text(of key: SecretBytes) -> String {
        key.withBytes { bytes in
            var text = ""
            for index in bytes.indices where bytes[index] != 0 {
                guard bytes[index] >= 0x20 else { break }
                text.unicodeScalars.append(Unicode.Scalar(bytes[index]))
            }
            return text
        }
    }
}

extension FaultyBiometrics: CustomStringConvertible {
    var description: String {
        fault == .tellsInDescription ? "keeps \(state.withLock { $0.secret })" : "authenticator"
    }
}

extension FaultyBiometrics {
    var prompt: Prompt? { state.withLock { $0.waiting?.prompt ?? $0.ghost } }

    func give(_ hint: BiometricHint) {
        state.withLock { state in
            guard let waiting = state.waiting, fault != .swallowsHints else { return }
            if fault == .hintsLate { for told in state.hinted { told(hint) } } else { waiting.hint(hint) }
        }
    }

    func present(_ event: Event) {
        state.withLock { state in
            guard let waiting = state.waiting else { return }
            state.waiting = nil
            state.replacedInARow = 0
            waiting.continuation.resume(returning: outcome(of: event, waiting, &state))
            guard fault == .secondGetsFirstsOutcome else { return }
            for joined in state.aside {
                joined.continuation.resume(returning: outcome(of: event, joined, &state))
            }
            state.aside = []
        }
    }

    func setSwitchedOn(_ isOn: Bool) {
        state.withLock { state in
            state.isOn = isOn
            if isOn || fault == .staysUpWhenOff { return }
            if fault == .dropsKeysWhenOff { state.keys = [:] }
            state.waiting?.continuation.resume(returning: .cancelled(by: .system))
            state.waiting = nil
        }
    }

    func changeEnrolment() { state.withLock { $0.enrolment += 1 } }

    func clearEnrolment() { state.withLock { $0.isAnyoneEnrolled = false } }

    func enterPasscode() { state.withLock { if fault != .lockOutStays { $0.failures = 0 } } }

    func letPass(_ time: Duration) {
        state.withLock { if fault == .lockOutEndsByTime, time >= .seconds(3_600) { $0.failures = 0 } }
    }

    func failNext() { state.withLock { $0.isNextToFail = true } }
}
