internal import PortcullisCore

/// A person's account, with the functions that check the account for each clause.
struct PasscodeAccountProbe: Sendable {
    typealias Call = @Sendable () async throws(PasscodeAccountError) -> Void

    let place: PasscodeAccountSubject.Place

    init(_ place: PasscodeAccountSubject.Place) { self.place = place }

    var account: any PasscodeAccount { place.account }
    var first: SecretBytes { place.passcodes.first }
    var second: SecretBytes { place.passcodes.second }
    var wrong: SecretBytes { place.passcodes.wrong }
    var malformed: SecretBytes { place.passcodes.malformed }

    /// Sets the first passcode.
    ///
    /// - Returns: the status afterwards.
    @discardableResult
    func begin() async throws -> AccountPasscodeStatus {
        try requireEqual(try await account.set(first, as: .random()), .set, "setting a first passcode")
        return try await account.status()
    }

    func expect(right: SecretBytes, wrong: SecretBytes...) async throws {
        for passcode in wrong {
            let outcome = try await account.verify(passcode)
            guard case .wrong = outcome else { throw Finding("a wrong passcode is \(outcome)") }
        }
        try requireEqual(try await account.verify(right), .right, "the passcode that should be right")
    }

    func expectWrong(_ outcome: AccountVerifyOutcome, failures: Int, _ what: String) throws {
        guard case .wrong(failures, _) = outcome else {
            throw Finding("\(what): expected wrong for the \(failures). time, was \(outcome)")
        }
    }

    func expectStatus(_ expected: AccountPasscodeStatus) async throws {
        try requireEqual(try await account.status(), expected, "the status")
    }

    /// Requires that a call fails with this code.
    func expectFailure(
        _ code: PasscodeAccountError.Code,
        of what: String,
        _ call: () async throws(PasscodeAccountError) -> Void
    ) async throws {
        do throws(PasscodeAccountError) {
            try await call()
        } catch {
            try requireEqual(error.code, code, "the code of \(what)")
            return
        }
        throw Finding("\(what) did not throw")
    }

    /// All calls of the port that change something or check a passcode. The calls assume that the first
    /// passcode is set.
    var acts: [(name: String, call: Call)] {
        let (account, first, second) = (account, first, second)
        let code = SecretBytes(copying: "000000".utf8)
        return [
            (
                "set",
                { () async throws(PasscodeAccountError) in _ = try await account.set(second, as: .random()) }
            ),
            (
                "change",
                { () async throws(PasscodeAccountError) in
                    _ = try await account.change(from: first, to: second, as: .random())
                }
            ),
            ("verify", { () async throws(PasscodeAccountError) in _ = try await account.verify(first) }),
            (
                "update",
                { () async throws(PasscodeAccountError) in
                    _ = try await account.update(.timeout(.minutes(2)))
                }
            ),
            (
                "switching off",
                { () async throws(PasscodeAccountError) in
                    _ = try await account.update(.switchOff(current: first, revision: .random()))
                }
            ),
            (
                "requestReset",
                { () async throws(PasscodeAccountError) in _ = try await account.requestReset() }
            ),
            (
                "reset",
                { () async throws(PasscodeAccountError) in
                    _ = try await account.reset(code: code, of: .random(), to: second, as: .random())
                }
            ),
        ]
    }
}

// MARK: Setting and changing

extension PasscodeAccountProbe {
    func checkNothingAtFirst() async throws {
        let status = try await account.status()
        try require(!status.hasPasscode, "the status tells of a passcode")
        try require(status.revision == nil, "there is a revision before there was a passcode")
        try require(status.isEnabled, "passcodes are switched off")
        try requireEqual(try await account.verify(first), .notSet, "verifying")
        try requireEqual(
            try await account.change(from: first, to: second, as: .random()),
            .notSet,
            "changing"
        )
        let off = try await account.update(.switchOff(current: first, revision: .random()))
        try requireEqual(off, .notSet, "switching off")
        try await expectStatus(status)
    }

    func checkSets() async throws {
        let revision = AccountRevision.random()
        try requireEqual(try await account.set(first, as: revision), .set, "setting a first passcode")
        let status = try await account.status()
        try require(status.hasPasscode, "the status does not tell of the passcode")
        try requireEqual(status.revision, revision, "the revision")
        try await expect(right: first, wrong: second, wrong)
    }

    func checkSetsOnce() async throws {
        let status = try await begin()
        for passcode in [first, second] {
            let outcome = try await account.set(passcode, as: .random())
            try requireEqual(outcome, .alreadySet, "setting where there is a passcode")
        }
        try await expectStatus(status)
        try await expect(right: first, wrong: second)
    }

    func checkRepeatsSet() async throws {
        let status = try await begin()
        guard let revision = status.revision else { throw Finding("there is no revision") }
        try requireEqual(try await account.set(first, as: revision), .set, "setting again")
        try await expectStatus(status)
        try await expect(right: first)
    }

    func checkChanges() async throws {
        try await begin()
        let revision = AccountRevision.random()
        let outcome = try await account.change(from: first, to: second, as: revision)
        try requireEqual(outcome, .right, "changing")
        try requireEqual(try await account.status().revision, revision, "the revision")
        try await expect(right: second, wrong: first)
    }

    func checkRefusesChange() async throws {
        let status = try await begin()
        let outcome = try await account.change(from: wrong, to: second, as: .random())
        try expectWrong(outcome, failures: 1, "changing with a wrong passcode")
        try await expectStatus(status)
        try await expect(right: first, wrong: second)
    }

    func checkRepeatsChange() async throws {
        try await begin()
        let revision = AccountRevision.random()
        for _ in 0..<2 {
            let outcome = try await account.change(from: first, to: second, as: revision)
            try requireEqual(outcome, .right, "changing")
        }
        try expectWrong(try await account.verify(wrong), failures: 1, "a wrong passcode afterwards")
        try await expect(right: second)
    }

    func checkConcurrentSets() async throws {
        let (account, first, second) = (account, first, second)
        let outcomes = try await withThrowingTaskGroup(of: (SecretBytes, AccountSetOutcome).self) { group in
            for index in 0..<8 {
                let passcode = index.isMultiple(of: 2) ? first : second
                group.addTask { (passcode, try await account.set(passcode, as: .random())) }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        let winners = outcomes.filter { $0.1 == .set }
        try requireEqual(winners.count, 1, "the settings that took place")
        try await expect(right: winners[0].0)
    }

    func checkShares() async throws {
        guard let other = place.other else { return }
        let status = try await begin()
        try requireEqual(try await other.status(), status, "the status on another device")
        try requireEqual(try await other.verify(first), .right, "the passcode on another device")
        let outcome = try await other.change(from: first, to: second, as: .random())
        try requireEqual(outcome, .right, "changing on another device")
        try require(try await account.status().revision != status.revision, "the change does not show")
        try await expect(right: second, wrong: first)
        _ = try await other.verify(wrong)
        try expectWrong(try await account.verify(wrong), failures: 2, "a wrong one on each device")
    }
}

// MARK: Settings

extension PasscodeAccountProbe {
    func checkSwitchesOff() async throws {
        try await begin()
        let revision = AccountRevision.random()
        for _ in 0..<2 {
            let outcome = try await account.update(.switchOff(current: first, revision: revision))
            try requireEqual(outcome, .right, "switching off")
        }
        let status = try await account.status()
        try require(!status.hasPasscode, "the status still tells of a passcode")
        try requireEqual(status.revision, revision, "the revision")
        try requireEqual(try await account.verify(first), .notSet, "verifying")
        try requireEqual(try await account.set(second, as: .random()), .set, "setting anew")
        try await expect(right: second, wrong: first)
    }

    func checkRefusesSwitchOff() async throws {
        let status = try await begin()
        let outcome = try await account.update(.switchOff(current: wrong, revision: .random()))
        try expectWrong(outcome, failures: 1, "switching off with a wrong passcode")
        try await expectStatus(status)
        try await expect(right: first)
    }

    func checkKeepsTimeout() async throws {
        let revision = try await begin().revision
        for timeout in [AccountTimeout.minutes(0), .minutes(5), .never, .minutes(525_600)] {
            try requireEqual(try await account.update(.timeout(timeout)), .right, "recording a timeout")
            let status = try await account.status()
            try requireEqual(status.timeout, timeout, "the timeout")
            try requireEqual(status.revision, revision, "the revision")
        }
    }

    func checkRefusesTimeout() async throws {
        let status = try await begin()
        for minutes in [-1, 525_601] {
            try await expectFailure(.refused, of: "\(minutes) minutes") { () throws(PasscodeAccountError) in
                _ = try await account.update(.timeout(.minutes(minutes)))
            }
        }
        try await expectStatus(status)
    }

    func checkRefusesFormat() async throws {
        try await expectFailure(.refused, of: "setting a bad one") { () throws(PasscodeAccountError) in
            _ = try await account.set(malformed, as: .random())
        }
        let status = try await begin()
        try await expectFailure(.refused, of: "changing to a bad one") { () throws(PasscodeAccountError) in
            _ = try await account.change(from: wrong, to: malformed, as: .random())
        }
        try await expectFailure(.refused, of: "verifying a bad one") { () throws(PasscodeAccountError) in
            _ = try await account.verify(malformed)
        }
        try await expectStatus(status)
        try expectWrong(try await account.verify(wrong), failures: 1, "a wrong passcode afterwards")
    }

    func checkDisabled() async throws {
        guard let disable = place.disable else { return }
        try await disable()
        try require(try await !account.status().isEnabled, "the status does not tell")
        try await expectFailure(.refused, of: "setting against the switch") {
            () throws(PasscodeAccountError) in
            _ = try await account.set(first, as: .random())
        }
        try require(try await !account.status().hasPasscode, "a passcode was set")
    }
}
