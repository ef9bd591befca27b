internal import PortcullisCore

extension PasscodeAccountProbe {
    /// Requires that another device, if there is one, sees this status and accepts the first passcode.
    private func requireUntouched(_ status: AccountPasscodeStatus) async throws {
        guard let other = place.other else { return }
        try requireEqual(try await other.status(), status, "the status on another device")
        try requireEqual(try await other.verify(first), .right, "the passcode on another device")
    }

    func checkSignedOut() async throws {
        guard let endSession = place.endSession else { return }
        let status = try await begin()
        try await endSession()
        for (name, call) in acts { try await expectFailure(.notSignedIn, of: name, call) }
        try await expectFailure(.notSignedIn, of: "status") { () throws(PasscodeAccountError) in
            _ = try await account.status()
        }
        try await requireUntouched(status)
    }

    func checkUnreachable() async throws {
        guard let inflict = place.inflict else { return }
        let status = try await begin()
        try await inflict(.cut)
        for (name, call) in acts { try await expectFailure(.unreachable, of: name, call) }
        try await expectFailure(.unreachable, of: "status") { () throws(PasscodeAccountError) in
            _ = try await account.status()
        }
        try await requireUntouched(status)
    }

    func checkLostAnswers() async throws {
        guard let inflict = place.inflict else { return }
        let set = AccountRevision.random()
        try await inflict(.loseAnswer)
        try await expectFailure(.outcomeUnknown, of: "setting") { () throws(PasscodeAccountError) in
            _ = try await account.set(first, as: set)
        }
        try requireEqual(try await account.status().revision, set, "the revision of what was set")
        try requireEqual(try await account.set(first, as: set), .set, "setting again")
        let change = AccountRevision.random()
        try await inflict(.loseAnswer)
        try await expectFailure(.outcomeUnknown, of: "changing") { () throws(PasscodeAccountError) in
            _ = try await account.change(from: first, to: second, as: change)
        }
        try requireEqual(try await account.status().revision, change, "the revision of what was changed")
        try await inflict(.loseAnswer)
        try await expectFailure(.outcomeUnknown, of: "verifying") { () throws(PasscodeAccountError) in
            _ = try await account.verify(wrong)
        }
        try expectWrong(try await account.verify(wrong), failures: 2, "after a wrong one without an answer")
        // A request for the status changes nothing, so its outcome is never unknown.
        try await inflict(.loseAnswer)
        do throws(PasscodeAccountError) {
            _ = try await account.status()
        } catch {
            let code = error.code == .invalidAnswer ? .unreachable : error.code
            try requireEqual(code, .unreachable, "the code of a status without an answer")
        }
    }

    func checkServerFailure() async throws {
        guard let inflict = place.inflict else { return }
        let status = try await begin()
        for (name, call) in acts {
            try await inflict(.fail)
            try await expectFailure(.serverFailure, of: name, call)
        }
        try await expectStatus(status)
        try expectWrong(try await account.verify(wrong), failures: 1, "a wrong passcode afterwards")
    }

    func checkCancelledCalls() async throws {
        let before = try await begin()
        let (account, first, second) = (account, first, second)
        let revision = AccountRevision.random()
        let task = Task { () async -> Result<AccountVerifyOutcome, PasscodeAccountError> in
            while !Task.isCancelled { await Task.yield() }
            do throws(PasscodeAccountError) {
                return .success(try await account.change(from: first, to: second, as: revision))
            } catch {
                return .failure(error)
            }
        }
        task.cancel()
        let result = await task.value
        let status = try await account.status()
        switch result {
        case .success(let outcome):
            try requireEqual(outcome, .right, "a cancelled change that has an outcome")
            try requireEqual(status.revision, revision, "the revision after it")
            try await expect(right: second)
        case .failure(let error) where error.code == .outcomeUnknown:
            try await expect(right: status.revision == revision ? second : first)
        case .failure(let error):
            try requireEqual(error.code, .cancelled, "the code of a cancelled change")
            try requireEqual(status, before, "the status after a change that was not sent")
            try await expect(right: first)
        }
    }
}
