internal import AdapterKit
public import PortcullisCore

/// Where every passcode is checked: it is counted first, then tried.
extension PasscodeService {
    /// Checks a passcode, on this device where it can be.
    ///
    /// The account is asked when the device does not have its passcode yet, or it was changed elsewhere: once, and
    /// counted here as well. A try that certainly did not reach it is given back.
    ///
    /// - Returns: proof with the key, or why not.
    /// - Throws: ``PasscodeErrorCode/wrongFormat`` for what cannot be the passcode, which is not counted;
    ///   ``PasscodeError`` when the record cannot be read or written or the sealer fails. Without a durable count
    ///   there is no try; a try that was counted stays counted when the task is cancelled or the sealer fails, but for the
    ///   codes of ``/PortcullisCore/PasscodeSealerErrorCode/untried``, which count nothing.
    ///   ``PasscodeErrorCode/account`` when the account has to be asked and does not answer.
    public func verify(_ passcode: SecretBytes) async throws(PasscodeError) -> PasscodeAnswer {
        try await noting(.verify) { () throws(PasscodeError) in try await attempt(passcode) }
    }

    /// As ``verify(_:)``, as a part of another act.
    func attempt(_ passcode: SecretBytes) async throws(PasscodeError) -> PasscodeAnswer {
        try await attempt(passcode) { _, _ throws(PasscodeError) in .keepRecord }
    }

    /// Changes the passcode; the key stays the same.
    ///
    /// With an account it is changed there first, and here once the account has done it. While it is not known
    /// whether the account has, the old one holds; ``synchronise()`` finds out.
    ///
    /// - Parameters:
    ///   - current: the passcode so far, counted like any other try.
    ///   - new: in the configured format; looked at first, so that a bad one costs no try.
    /// - Throws: as ``verify(_:)`` and ``set(_:)`` do. The old passcode holds then.
    public func change(
        from current: SecretBytes,
        to new: SecretBytes
    ) async throws(PasscodeError) -> PasscodeAnswer {
        let answer = try await noting(.change) { () throws(PasscodeError) in
            try await exchange(current, for: new)
        }
        if answer.isRight { note(.changed) }
        return answer
    }

    private func exchange(
        _ current: SecretBytes,
        for new: SecretBytes
    ) async throws(PasscodeError) -> PasscodeAnswer {
        try check(new: new)
        guard let account else {
            return try await attempt(current) { record, key throws(PasscodeError) in
                var record = record
                record.credential = .sealed(try await seal(key, under: new))
                record.format = configuration.format
                return .replace(record)
            }
        }
        if try await settleFirst() == .change {
            // The account has carried out an earlier change whose answer was lost. If it was this very
            // change, asked for again, the new passcode is the right one already.
            let answer = try await attempt(new)
            if answer.isRight { return answer }
        }
        guard try await records.read()?.isSet == true else { return .notSet }
        return try await attempt(current) { record, key throws(PasscodeError) in
            try await change(record, from: current, to: new, key: key, with: account)
        }
    }

    /// Removes the passcode and all that belongs to it; biometrics are off from then on.
    ///
    /// With an account it is switched off there first; while it is not known whether that was done, it stays.
    ///
    /// - Parameter current: the passcode, counted like any other try.
    /// - Returns: ``PasscodeAnswer/right(_:)`` with the key, for the last time, when it is removed.
    /// - Throws: as ``verify(_:)`` does.
    public func remove(_ current: SecretBytes) async throws(PasscodeError) -> PasscodeAnswer {
        let answer = try await noting(.remove) { () throws(PasscodeError) in
            if account != nil {
                _ = try await settleFirst()
                guard try await records.read()?.isSet == true else { return PasscodeAnswer.notSet }
            }
            let answer = try await attempt(current) { record, _ throws(PasscodeError) in
                guard let account else { return .remove }
                return try await switchOff(record, current, with: account)
            }
            if answer.isRight { try await forgetBiometrics() }
            return answer
        }
        if answer.isRight { note(.removed) }
        return answer
    }

    /// What a right passcode does to the record, beyond clearing the count.
    enum Consequence: Sendable {
        case keepRecord
        case replace(PasscodeRecord)
        case remove
        /// What the account's answer means for the record.
        case account(AccountRules.Event)
        /// The account says otherwise: nothing is cleared.
        case answer(PasscodeAnswer)
        /// It was right, but what it was asked for could not be done.
        case fail(PasscodeError)
    }

    private enum Admission: Sendable {
        /// Counted: this record's credential may be tried; and the count before.
        case admitted(PasscodeRecord, before: Throttle)
        /// The account has to be asked for its status before.
        case accountFirst
        /// The sealer has to be asked before whether it is ready for this.
        case sealerFirst(SealedKey)
        case refused(PasscodeAnswer)
    }

    func attempt(
        _ passcode: SecretBytes,
        consequence: (PasscodeRecord, SecretBytes) async throws(PasscodeError) -> Consequence
    ) async throws(PasscodeError) -> PasscodeAnswer {
        let answer = try await judge(passcode, consequence: consequence)
        note(answer: answer)
        return answer
    }

    private func judge(
        _ passcode: SecretBytes,
        consequence: (PasscodeRecord, SecretBytes) async throws(PasscodeError) -> Consequence
    ) async throws(PasscodeError) -> PasscodeAnswer {
        var hasAsked = false
        let foreseen = await readinessOfRemembered()
        var readied = foreseen?.isReady == true ? foreseen?.sealed : nil
        while true {
            var record: PasscodeRecord
            let before: Throttle
            let admission = try await admit(passcode, hasAsked: hasAsked, readied: readied)
            hasAsked = false
            switch admission {
            case .accountFirst:
                try await askAccountFirst()
                hasAsked = true
                continue
            case .sealerFirst(let sealed):
                // What was asked about this very key just now need not be asked again.
                let answer = foreseen?.sealed == sealed ? foreseen?.answer : nil
                let readiness = if let answer { try answer.get() } else { try await readiness(of: sealed) }
                guard readiness == .ready else { return .triesExhausted }
                readied = sealed
                continue
            case .refused(.limitReached(let action)):
                try await carryOut(action)
                return .limitReached(action)
            case .refused(let answer): return answer
            case .admitted(let admitted, let earlier): (record, before) = (admitted, earlier)
            }
            note(.tried)
            let key: SecretBytes
            if record.needsAccount {
                switch try await confirm(passcode, record, before: before) {
                case .answered(let answer): return answer
                case .overtaken: continue
                case .confirmed(let confirmed, let opened): (record, key) = (confirmed, opened)
                }
            } else {
                switch try await open(record, with: passcode, before: before) {
                case .opened(let opened): key = opened
                case .wrongPasscode: return try await reject(record)
                case .triesExhausted: return .triesExhausted
                }
            }
            let right = PasscodeAnswer.right(UnlockProof(user: user, key: key, method: .passcode))
            if record.account?.isSwitchedOff == true {
                guard try await clear(record, .remove) != nil else { continue }
                try await forgetBiometrics()
                return right
            }
            let consequence = try await carryOut(consequence, record, key)
            switch consequence {
            case .answer(let answer): return answer
            case .fail(let error):
                _ = try await clear(record, .keepRecord)
                throw error
            default: break
            }
            // Another process may have changed the passcode while this one was derived: then what was proved is
            // out of date, and the new passcode is asked.
            guard let cleared = try await clear(record, consequence) else { continue }
            if case .keepRecord = consequence { try await refresh(cleared, passcode, key) }
            return right
        }
    }

    /// What a right passcode was asked for; an error of it is none of the person's, so the count is cleared all the same.
    private func carryOut(
        _ consequence: (PasscodeRecord, SecretBytes) async throws(PasscodeError) -> Consequence,
        _ record: PasscodeRecord,
        _ key: SecretBytes
    ) async throws(PasscodeError) -> Consequence {
        do throws(PasscodeError) { return try await consequence(record, key) } catch { return .fail(error) }
    }

    /// Counts a try, durably, or says why there is none.
    private func admit(
        _ passcode: SecretBytes,
        hasAsked: Bool,
        readied: SealedKey?
    ) async throws(PasscodeError) -> Admission {
        try await records.update { found throws(PasscodeError) -> RecordStore.Change<Admission> in
            guard var record = found, record.credential != .none else { return .keep(.refused(.notSet)) }
            let now = clock.now
            let authority = record.policy.authority
            // A process killed between the last failure and the action has left the action to do.
            if let action = record.policy.action(afterFailures: record.throttle.failures) {
                return .keep(.refused(.limitReached(action)))
            }
            let left = record.throttle.timeLeft(at: now, by: authority)
            if left > .zero {
                let answer = Admission.refused(.throttled(retryAfter: left))
                guard record.throttle.wantsNote(at: now, by: authority) else { return .keep(answer) }
                record.throttle.note(at: now, by: authority)
                return .write(record, answer)
            }
            // During a delay and at the limit a passcode is not checked at all, so neither is needed before.
            if case .sealed(let sealed) = record.credential, sealed != readied {
                return .keep(.sealerFirst(sealed))
            }
            if record.needsAccount, !hasAsked { return .keep(.accountFirst) }
            try check(passcode, against: record.format)
            let before = record.throttle
            record.throttle.count(at: now, under: record.policy)
            return .write(record, .admitted(record, before: before))
        }
    }

    func reject(_ record: PasscodeRecord) async throws(PasscodeError) -> PasscodeAnswer {
        let failures = record.throttle.failures
        if let action = record.policy.action(afterFailures: failures) {
            try await carryOut(action)
            return .limitReached(action)
        }
        let left = record.throttle.timeLeft(at: clock.now, by: record.policy.authority)
        return .wrong(failures: failures, retryAfter: left)
    }

    /// Clears the count and carries the consequence out, in one write apart from the one that counted.
    ///
    /// - Returns: the record as it was written, or before it was removed; `nil` when the passcode that was tried is no longer
    ///   the one recorded.
    private func clear(
        _ tried: PasscodeRecord,
        _ consequence: Consequence
    ) async throws(PasscodeError) -> PasscodeRecord? {
        try await records.update { found throws(PasscodeError) -> RecordStore.Change<PasscodeRecord?> in
            guard var record = found else { return .keep(nil) }
            if case .account(let event) = consequence {
                // The rules themselves compare the act with a record that has changed meanwhile.
                record.throttle.clear()
                guard let new = rules.after(event, record).record else { return .remove(record) }
                return .write(new, new)
            }
            guard record.credential == tried.credential else { return .keep(nil) }
            record.throttle.clear()
            switch consequence {
            case .remove: return .remove(record)
            case .keepRecord, .account, .answer, .fail: break
            case .replace(let new):
                // Only what a change of passcode changes: a timeout set meanwhile stays.
                record.credential = new.credential
                record.format = new.format
            }
            return .write(record, record)
        }
    }

    /// Seals what was taken over, and renews what has aged: a seal that is too weak, the baseline of biometrics.
    ///
    /// Renewing is no condition of having been right: what fails is tried again with the next right passcode. A
    /// hash that was taken over must become a seal, because only that makes its key lasting.
    private func refresh(
        _ record: PasscodeRecord,
        _ passcode: SecretBytes,
        _ key: SecretBytes
    ) async throws(PasscodeError) {
        switch record.credential {
        case .legacy:
            try await reseal(record, passcode, key)
        case .sealed(let sealed):
            if sealed.parameters.isWeaker(than: sealer.parameters) {
                try? await reseal(record, passcode, key)
            }
        case .account, .none:
            break
        }
        if let choice = record.biometrics { try? await renewBiometrics(choice, key) }
    }

    private func reseal(
        _ record: PasscodeRecord,
        _ passcode: SecretBytes,
        _ key: SecretBytes
    ) async throws(PasscodeError) {
        let sealed = try await seal(key, under: passcode)
        try await edit { current in
            if current.credential == record.credential { current.credential = .sealed(sealed) }
        }
    }
}
