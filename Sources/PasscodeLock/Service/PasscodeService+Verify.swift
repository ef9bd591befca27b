internal import AdapterKit
public import PortcullisCore

/// The check of a passcode. Every check counts the try first, and then tries the passcode.
extension PasscodeService {
    /// Checks a passcode, on this device alone if possible.
    ///
    /// The account is asked once if this device does not have the account's passcode, or if another device
    /// has changed the passcode. The try also counts on this device. If the account certainly did not check
    /// the passcode, the try is removed from the count.
    ///
    /// - Returns: the proof with the key, or the reason why there is none.
    /// - Throws: ``PasscodeErrorCode/wrongFormat`` for a text that cannot be the passcode and so does not
    ///   count as a try; ``PasscodeError`` when the record cannot be read or written or the sealer fails;
    ///   ``PasscodeErrorCode/account`` when the account has to be asked and does not answer. If the count of
    ///   tries cannot be stored, the passcode is not tried. A counted try stays counted when the task is
    ///   cancelled or the sealer fails, except with the codes of
    ///   ``/PortcullisCore/PasscodeSealerErrorCode/untried``.
    public func verify(_ passcode: SecretBytes) async throws(PasscodeError) -> PasscodeAnswer {
        try await noting(.verify) { () throws(PasscodeError) in try await attempt(passcode) }
    }

    /// Checks a passcode as ``verify(_:)`` does. An error is not reported as an event, because the
    /// surrounding act reports the error.
    func attempt(_ passcode: SecretBytes) async throws(PasscodeError) -> PasscodeAnswer {
        try await attemptToOpen(passcode).answer
    }

    /// Changes the passcode. The key stays the same.
    ///
    /// With an account, the passcode is changed at the account first, and then on this device. While it is
    /// unknown whether the account has changed the passcode, the old passcode stays valid on this device.
    /// ``synchronise()`` then asks the account.
    ///
    /// - Parameters:
    ///   - current: the current passcode; counted like every other try.
    ///   - new: the new passcode, in the configured format. It is checked first, so an invalid one does not
    ///     cost a try.
    /// - Throws: the errors of ``verify(_:)`` and ``set(_:)``; ``PasscodeErrorCode/account`` when an account
    ///   shares the passcode and this service has no account. The old passcode stays then.
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
                record.credential = .sealed(try await seal(key, under: new, replacing: record.credential))
                record.format = configuration.format
                return .replace(record)
            }
        }
        if try await settleFirst() == .change {
            // The account has carried out an earlier change whose answer was lost. If the person repeats that
            // change, the new passcode is already the right one.
            let answer = try await probe(new)
            guard case .wrong = answer else { return answer }
        }
        guard try await records.read()?.isSet == true else { return .notSet }
        return try await attempt(current) { record, key throws(PasscodeError) in
            try await change(record, from: current, to: new, key: key, with: account)
        }
    }

    /// Removes the passcode and all its data. Biometrics are off afterwards.
    ///
    /// With an account, the passcode is switched off at the account first. While it is unknown whether the
    /// account has done so, the passcode stays set on this device.
    ///
    /// - Parameter current: the passcode; counted like every other try.
    /// - Returns: ``PasscodeAnswer/right(_:)`` when the passcode is removed. The proof holds the key. After
    ///   this call, no passcode opens the key any more.
    /// - Throws: the errors of ``verify(_:)``; ``PasscodeErrorCode/account`` when an account shares the
    ///   passcode and this service has no account. If the passcode is on this device only,
    ///   ``PasscodeErrorCode/biometrics`` when the authenticator does not forget its key. The record is
    ///   removed last, so after an error the passcode still opens the key.
    public func remove(_ current: SecretBytes) async throws(PasscodeError) -> PasscodeAnswer {
        let answer = try await noting(.remove) { () throws(PasscodeError) in
            if account != nil {
                _ = try await settleFirst()
                guard try await records.read()?.isSet == true else { return PasscodeAnswer.notSet }
            }
            return try await attempt(current) { record, _ throws(PasscodeError) in
                var consequence = Consequence.remove
                if let account { consequence = try await switchOff(record, current, with: account) }
                switch consequence {
                // The authenticator forgets its key before the record is removed. If the authenticator fails,
                // the record stays, and the passcode still opens the key.
                case .remove: try await forgetBiometrics()
                // The account has switched the passcode off, so an error here must not keep the record.
                case .account: await forgetBiometricsIfPossible()
                case .keepRecord, .replace, .answer, .fail: break
                }
                return consequence
            }
        }
        if answer.isRight { note(.removed) }
        return answer
    }

    /// The change of the record after a right passcode. The count of failures is cleared before the act
    /// begins. In every case except `answer`, it stays cleared.
    enum Consequence: Sendable {
        case keepRecord
        case replace(PasscodeRecord)
        case remove
        /// The rules of the account apply this event to the record.
        case account(AccountRules.Event)
        /// The account did not accept the passcode. The count of failures is put back.
        case answer(PasscodeAnswer)
        /// The passcode was right, but the act failed.
        case fail(PasscodeError)
    }

    /// The reason why a passcode is checked.
    enum Purpose: Sendable {
        /// The passcode unlocks, or proves that the person knows it.
        case proof
        /// The passcode is the current one of an act.
        case act
        /// The passcode is the new one of an act; see ``PasscodeService/probe(_:)``.
        case probe
    }

    private enum Admission: Sendable {
        /// The try is counted, and the passcode may be tried against this record. `before` is the throttle
        /// before the try.
        case admitted(PasscodeRecord, before: Throttle)
        /// Before the try, the account has to be asked for its status.
        case accountFirst
        /// Before the try, the sealer has to be asked whether it can try this sealed key.
        case sealerFirst(SealedKey)
        case refused(PasscodeAnswer)
    }

    /// Checks a passcode, and does the act that needs it.
    func attempt(
        _ passcode: SecretBytes,
        consequence: (PasscodeRecord, SecretBytes) async throws(PasscodeError) -> Consequence
    ) async throws(PasscodeError) -> PasscodeAnswer {
        let answer = try await judge(passcode, for: .act, consequence: consequence).answer
        note(answer: answer)
        return answer
    }

    /// The answer to a passcode, and the credential that holds the key after a right passcode. The
    /// credential is `nil` if the passcode is not right, or if the passcode was switched off elsewhere.
    typealias Verdict = (answer: PasscodeAnswer, credential: PasscodeRecord.Credential?)

    /// Checks a passcode as ``attempt(_:)`` does, and also returns the credential that holds the key.
    func attemptToOpen(_ passcode: SecretBytes) async throws(PasscodeError) -> Verdict {
        let verdict = try await judge(passcode, for: .proof) { _, _ throws(PasscodeError) in .keepRecord }
        note(answer: verdict.answer)
        return verdict
    }

    func judge(
        _ passcode: SecretBytes,
        for purpose: Purpose,
        consequence: (PasscodeRecord, SecretBytes) async throws(PasscodeError) -> Consequence
    ) async throws(PasscodeError) -> Verdict {
        var hasAsked = false
        let foreseen = await readinessOfRemembered()
        var readied = foreseen?.isReady == true ? foreseen?.sealed : nil
        // A passcode that is tried again after a refund is still one try. The caller reports a probe.
        var isNoted = purpose == .probe
        while true {
            var record: PasscodeRecord
            let before: Throttle
            let admission = try await admit(passcode, for: purpose, hasAsked: hasAsked, readied: readied)
            hasAsked = false
            switch admission {
            // The account may have another passcode again, and judges the current passcode of the act.
            case .accountFirst where purpose == .probe: return (.wrong(failures: 0, retryAfter: .zero), nil)
            case .accountFirst:
                try await askAccountFirst()
                hasAsked = true
                continue
            case .sealerFirst(let sealed):
                // `foreseen` holds the sealer's answer about the remembered record, which may be out of date.
                // The answer is used only if the present record has the same sealed key.
                let answer = foreseen?.sealed == sealed ? foreseen?.answer : nil
                let readiness = if let answer { try answer.get() } else { try await readiness(of: sealed) }
                guard readiness == .ready else { return (.triesExhausted, nil) }
                readied = sealed
                continue
            case .refused(.limitReached(let action)):
                try await carryOut(action)
                return (.limitReached(action), nil)
            case .refused(let answer): return (answer, nil)
            case .admitted(let admitted, let earlier): (record, before) = (admitted, earlier)
            }
            if !isNoted {
                note(.tried)
                isNoted = true
            }
            SealsOfAct.current?.found(record)
            let key: SecretBytes
            if record.needsAccount {
                switch try await confirm(passcode, record, before: before) {
                case .answered(let answer): return (answer, nil)
                case .overtaken:
                    // The account has said that the passcode is right, but another process has changed the
                    // record meanwhile. So this try is refunded, and the loop tries the passcode against the
                    // new record.
                    try await refund(record, before)
                    continue
                case .confirmed(let confirmed, let opened): (record, key) = (confirmed, opened)
                }
            } else {
                switch try await open(record, with: passcode, before: before) {
                case .opened(let opened): key = opened
                case .wrongPasscode where purpose == .probe:
                    try await refund(record, before)
                    return (.wrong(failures: before.failures, retryAfter: .zero), nil)
                case .wrongPasscode: return (try await reject(record), nil)
                case .triesExhausted: return (.triesExhausted, nil)
                }
            }
            let right = PasscodeAnswer.right(UnlockProof(user: user, key: key, method: .passcode))
            if record.account?.isSwitchedOff == true {
                // If the record has changed meanwhile, this try is refunded, and the loop tries the passcode
                // against the new record.
                guard try await clear(record, .remove) != nil else {
                    try await refund(record, before)
                    continue
                }
                await forgetBiometricsIfPossible()
                return (right, nil)
            }
            // An act may wait for the account, for the sealer or for the authenticator. If the process ended
            // meanwhile, the right passcode would stay counted as a failure. So the count is cleared before
            // the act. If another process has changed the passcode, nothing is cleared, and `cleared` is
            // `nil`.
            let cleared = purpose == .act ? try await clearBeforeAct(record) : nil
            let consequence = try await consequence(record, key)
            switch consequence {
            case .answer(let answer):
                if let cleared {
                    try await edit { $0.throttle.restore(cleared.before, after: cleared.after) }
                }
                return (answer, nil)
            case .fail(let error): throw error
            default: break
            }
            // `clear` returns `nil` if the passcode was changed, or was sent to the account, during the
            // check. The consequence is then out of date, and the loop tries the passcode against the new
            // record.
            guard let current = try await clear(record, consequence) else {
                // If `cleared` is `nil`, this try may still be counted. The loop counts the passcode again,
                // so this try is refunded.
                if cleared == nil { try await refund(record, before) }
                continue
            }
            switch consequence {
            case .keepRecord:
                guard let credential = try await refresh(current, passcode, key) else { continue }
                return (right, credential)
            case .account(.carriedOut(let act, _)):
                // If the record has another credential, a later passcode has replaced the act's passcode.
                if let candidate = act.candidate, current.credential != .sealed(candidate) {
                    throw Self.overtaken
                }
                return (right, current.credential)
            default: return (right, current.credential)
            }
        }
    }

    /// Counts a try durably, or returns the reason why no try is made.
    ///
    /// At the limit of failures no further try is made, because it would exceed the limit (P-6). The last
    /// counted try may still be under way in another task or process, and its passcode may be right (P-7). So
    /// for a minute after that try, the answer is `throttled`. If the passcode of that try is wrong, the task
    /// that made the try carries out the action of the limit at once. If that task ended before it knew the
    /// result, the answer after the minute is `limitReached`, and the caller carries out the action. A
    /// process that leaves the action to the app does not carry it out.
    ///
    /// If the limit was lowered after the last try, one more try is made, because the person may not know of
    /// the new limit.
    private func admit(
        _ passcode: SecretBytes,
        for purpose: Purpose,
        hasAsked: Bool,
        readied: SealedKey?
    ) async throws(PasscodeError) -> Admission {
        try await records.update { found throws(PasscodeError) -> RecordStore.Change<Admission> in
            guard var record = found, record.credential != .none else { return .keep(.refused(.notSet)) }
            let now = clock.now
            let authority = record.policy.authority
            if let action = record.throttle.dueAction(under: record.policy) {
                let left = record.throttle.timeLeftOfLastTry(at: now, by: authority)
                return .keep(.refused(left > .zero ? .throttled(retryAfter: left) : .limitReached(action)))
            }
            let left = record.throttle.timeLeft(at: now, by: authority)
            if left > .zero {
                let answer = Admission.refused(.throttled(retryAfter: left))
                guard record.throttle.wantsNote(at: now, by: authority) else { return .keep(answer) }
                record.throttle.note(at: now, by: authority)
                return .write(record, answer)
            }
            if purpose != .proof, let share = record.account {
                // A passcode that was switched off elsewhere only unlocks a locked app. No act accepts it.
                if share.isSwitchedOff { return .keep(.refused(.notSet)) }
                // A service without the account would change the passcode on this device only.
                if account == nil { throw Self.sharedWithAccount }
            }
            // The sealer and the account are asked after the delay and the limit were checked. During a delay
            // or at the limit no passcode is tried, so they are not asked then.
            if case .sealed(let sealed) = record.credential, sealed != readied {
                return .keep(.sealerFirst(sealed))
            }
            if record.needsStatus, !hasAsked { return .keep(.accountFirst) }
            try check(passcode, against: record.askedFormat(configured: configuration.format))
            let before = record.throttle
            let margin = authority == .server ? configuration.clockMargin : .zero
            record.throttle.count(at: now, under: record.policy.lengthened(by: margin))
            return .write(record, .admitted(record, before: before))
        }
    }

    /// Returns the answer to a wrong passcode, and carries out the action of the limit if this try has
    /// reached it.
    func reject(_ record: PasscodeRecord) async throws(PasscodeError) -> PasscodeAnswer {
        let failures = record.throttle.failures
        if let action = record.policy.action(afterFailures: failures) {
            // Another task or process may have tried the right passcode meanwhile. That try has cleared the
            // count, or has removed the record together with the passcode. The action is then not carried
            // out. If the record cannot be read, no such try is known, so the action is carried out.
            let read: Result<PasscodeRecord?, PasscodeError>
            do throws(PasscodeError) { read = .success(try await records.read()) } catch {
                read = .failure(error)
            }
            if case .success(let current) = read {
                guard let current, current.credential != .none else { return .notSet }
                if current.policy.action(afterFailures: current.throttle.failures) == nil {
                    let left = current.throttle.timeLeft(at: clock.now, by: current.policy.authority)
                    return .wrong(failures: current.throttle.failures, retryAfter: left)
                }
            }
            try await carryOut(action)
            return .limitReached(action)
        }
        let left = record.throttle.timeLeft(at: clock.now, by: record.policy.authority)
        return .wrong(failures: failures, retryAfter: left)
    }
}
