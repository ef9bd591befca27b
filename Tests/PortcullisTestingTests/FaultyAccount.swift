import PortcullisCore
import PortcullisTesting
import Synchronization

/// One way in which an account can be wrong.
enum AccountFault: CaseIterable {
    case none, haunted, acceptsAnything, setsAgain, repeatedSetFails, changesNothing, changesAnyway
    case repeatedChangeCounts, countsApart, neverClears, neverThrottles, hidesWait, losesCounts,
        keepsSwitchedOff
    case switchesOffAnyway, forgetsTimeout, takesAnyTimeout, takesAnyFormat, countsMalformed, resetsNothing
    case acceptsAnyCode, codeIsReusable, codeHasAllTries, codeIsEternal, oldCodesWork, mailsForever, racyCodes
    case ignoresSession, cutIsUnknown, lostIsUnreachable, failsAfterEffect, cancelledLies,
        ignoresAdministrator
    case devicesApart, racySets, setsAnother, resetsToAnother

    /// The clause that is meant to catch it.
    var clause: PasscodeAccountContract? {
        switch self {
        case .none: nil
        case .haunted: .nothingAtFirst
        case .acceptsAnything: .sets
        case .setsAgain: .setsOnce
        case .repeatedSetFails: .repeatsSet
        case .changesNothing: .changes
        case .changesAnyway: .refusesChange
        case .repeatedChangeCounts: .repeatsChange
        case .countsApart: .countsAll
        case .neverClears: .clearsCount
        case .neverThrottles, .hidesWait: .throttles
        case .losesCounts: .countsConcurrent
        case .keepsSwitchedOff: .switchesOff
        case .switchesOffAnyway: .refusesSwitchOff
        case .forgetsTimeout: .keepsTimeout
        case .takesAnyTimeout: .refusesTimeout
        case .takesAnyFormat, .countsMalformed: .refusesFormat
        case .resetsNothing: .resets
        case .acceptsAnyCode: .refusesCode
        case .codeIsReusable: .codeOnce
        case .codeHasAllTries: .codeTries
        case .codeIsEternal: .codeExpires
        case .oldCodesWork: .codeReplaced
        case .mailsForever: .limitsRequests
        case .racyCodes, .resetsToAnother: .concurrentResets
        case .ignoresSession: .signedOut
        case .cutIsUnknown: .unreachable
        case .lostIsUnreachable: .lostAnswers
        case .failsAfterEffect: .serverFailure
        case .cancelledLies: .cancelledCalls
        case .ignoresAdministrator: .disabled
        case .devicesApart: .shares
        case .racySets, .setsAnother: .concurrentSets
        }
    }
}

/// An account, right but for one fault.
final class FaultyAccount: PasscodeAccount {
    private struct State {
        var failsNext = false
        var wrongOnes = 0
        var codes: [SecretBytes] = []
    }

    /// A passcode that no clause has set.
    private static let another = SecretBytes(copying: "000000".utf8)

    let clock = ManualClock()
    let server: InMemoryAccountServer
    let inner: InMemoryPasscodeAccount
    private let fault: AccountFault
    private let state = Mutex(State())

    init(_ fault: AccountFault) {
        self.fault = fault
        server = InMemoryAccountServer(
            clock: clock,
            delays: fault == .neverThrottles ? [] : [.zero, .zero, .zero, .zero, .seconds(60)],
            resets: .init(
                validity: .seconds(fault == .codeIsEternal ? 1_000_000 : 900),
                tries: fault == .codeHasAllTries ? 1000 : 5,
                requests: fault == .mailsForever ? 1000 : 3
            )
        )
        inner = InMemoryPasscodeAccount(server)
    }

    func subject() -> PasscodeAccountSubject.Place {
        let elsewhere = InMemoryAccountServer(clock: clock)
        return .init(
            account: self,
            other: InMemoryPasscodeAccount(fault == .devicesApart ? elsewhere : server),
            mailedCode: {
                let code = try self.present(self.server.mailedCode)
                self.state.withLock { $0.codes.append(code) }
                return code
            },
            advance: { await self.clock.advance(by: $0) },
            inflict: { fault in
                switch fault {
                case .cut: self.inner.setOffline(true)
                case .loseAnswer: self.inner.failNext(.lostAnswer)
                case .fail where self.fault == .failsAfterEffect: self.state.withLock { $0.failsNext = true }
                case .fail: self.inner.failNext(.serverFailure)
                }
            },
            endSession: { if self.fault != .ignoresSession { self.inner.setSignedIn(false) } },
            disable: { self.server.setEnabled(false) }
        )
    }

    /// Passes a call on, with the faults that have to do with the line.
    private func line<Answer: Sendable>(
        _ call: @Sendable @escaping () async throws(PasscodeAccountError) -> Answer
    ) async throws(PasscodeAccountError) -> Answer {
        if fault == .cancelledLies, Task.isCancelled {
            // It reaches the server all the same.
            _ = await Task { try? await call() }.value
            throw PasscodeAccountError(code: .cancelled, message: "cancelled")
        }
        do throws(PasscodeAccountError) {
            let answer = try await call()
            if state.withLock({ state in
                defer { state.failsNext = false }
                return state.failsNext
            }) {
                throw PasscodeAccountError(code: .serverFailure, message: "failed")
            }
            return answer
        } catch {
            let code: PasscodeAccountError.Code =
                switch (fault, error.code) {
                case (.cutIsUnknown, .unreachable): .outcomeUnknown
                case (.lostIsUnreachable, .outcomeUnknown): .unreachable
                default: error.code
                }
            let wait = fault == .hidesWait ? nil : error.retryAfter
            throw PasscodeAccountError(code: code, message: error.message, retryAfter: wait)
        }
    }

    func status() async throws(PasscodeAccountError) -> AccountPasscodeStatus {
        var status = try await line { [inner] () throws(PasscodeAccountError) in try await inner.status() }
        if fault == .haunted { status.hasPasscode = true }
        if fault == .ignoresAdministrator { status.isEnabled = true }
        if fault == .forgetsTimeout { status.timeout = .preset }
        return status
    }

    func set(
        _ passcode: SecretBytes,
        as revision: AccountRevision
    ) async throws(PasscodeAccountError) -> AccountSetOutcome {
        if fault == .repeatedSetFails, server.status.revision == revision { return .alreadySet }
        if fault == .takesAnyFormat, passcode.count != 6 { return .set }
        if fault == .ignoresAdministrator { server.setEnabled(true) }
        let outcome = try await line { [inner] () throws(PasscodeAccountError) in
            try await inner.set(passcode, as: revision)
        }
        if fault == .setsAnother { server.replacePasscode(Self.another) }
        guard outcome == .alreadySet, fault == .setsAgain || fault == .racySets else { return outcome }
        server.replacePasscode(passcode)
        return .set
    }

    func change(
        from current: SecretBytes,
        to new: SecretBytes,
        as revision: AccountRevision
    ) async throws(PasscodeAccountError) -> AccountVerifyOutcome {
        if fault == .repeatedChangeCounts, server.status.revision == revision {
            return try await verify(current)
        }
        if fault == .changesNothing { return try await verify(current) }
        let outcome = try await line { [inner] () throws(PasscodeAccountError) in
            try await inner.change(from: current, to: new, as: revision)
        }
        if fault == .changesAnyway, outcome != .right { server.replacePasscode(new) }
        return outcome
    }

    func verify(_ passcode: SecretBytes) async throws(PasscodeAccountError) -> AccountVerifyOutcome {
        if fault == .countsMalformed, passcode.count != 6 {
            _ = try await inner.verify(SecretBytes(copying: "999999".utf8))
        }
        let outcome = try await line { [inner] () throws(PasscodeAccountError) in
            try await inner.verify(passcode)
        }
        guard case .wrong(_, let wait) = outcome else { return outcome }
        switch fault {
        case .acceptsAnything: return .right
        case .losesCounts: return .wrong(failures: 1, retryAfter: wait)
        case .neverClears:
            let count = state.withLock { state in
                state.wrongOnes += 1
                return state.wrongOnes
            }
            return .wrong(failures: count, retryAfter: wait)
        default: return outcome
        }
    }

    func update(_ change: AccountSettingsChange) async throws(PasscodeAccountError) -> AccountVerifyOutcome {
        switch (fault, change) {
        case (.takesAnyTimeout, .timeout): return .right
        case (.keepsSwitchedOff, .switchOff(let current, _)): return try await verify(current)
        default: break
        }
        let outcome = try await line { [inner] () throws(PasscodeAccountError) in
            try await inner.update(change)
        }
        guard case .wrong(_, let wait) = outcome else { return outcome }
        if fault == .switchesOffAnyway { server.removePasscode() }
        return fault == .countsApart ? .wrong(failures: 1, retryAfter: wait) : outcome
    }

    func requestReset() async throws(PasscodeAccountError) -> AccountCodeRequest {
        try await line { [inner] () throws(PasscodeAccountError) in try await inner.requestReset() }
    }

    func reset(
        code: SecretBytes,
        of request: AccountCodeRequest,
        to new: SecretBytes,
        as revision: AccountRevision
    ) async throws(PasscodeAccountError) -> AccountResetOutcome {
        if fault == .resetsNothing { return .reset }
        let outcome = try await line { [inner] () throws(PasscodeAccountError) in
            try await inner.reset(code: code, of: request, to: new, as: revision)
        }
        if fault == .resetsToAnother { server.replacePasscode(Self.another) }
        let isLast = server.mailedCode?.matches(code) ?? false
        let isOld = state.withLock { $0.codes.contains { $0.matches(code) } }
        let isTaken: Bool =
            switch fault {
            case .acceptsAnyCode: true
            case .codeIsReusable, .racyCodes: isLast
            case .oldCodesWork: isOld
            default: false
            }
        guard outcome != .reset, isTaken else { return outcome }
        server.replacePasscode(new)
        return .reset
    }
}

private struct NoCode: Error {}

extension FaultyAccount {
    fileprivate func present(_ code: SecretBytes?) throws -> SecretBytes {
        guard let code else { throw NoCode() }
        return code
    }
}
