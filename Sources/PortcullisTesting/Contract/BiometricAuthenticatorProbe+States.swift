internal import PortcullisCore

extension BiometricAuthenticatorProbe {
    func checkAvailable() async throws {
        for user in [user, other, user] {
            let found = await authenticator.availability(for: user)
            try requireEqual(found.state, .available, "the state with a finger or face enrolled")
            try require(found.kind != .none, "what is available is of no kind")
            try require(!found.kind.displayName.isEmpty, "the kind has no name")
            try require(!found.kind.symbolName.isEmpty, "the kind has no symbol")
            try requireEqual(found.binding, binding, "what a success proves, asked again")
        }
    }

    func checkSwitchedOff() async throws {
        guard let setSwitchedOn = place.setSwitchedOn else { return }
        let before = await authenticator.availability(for: user)
        try await authenticator.enroll(key(), for: user)
        try await setSwitchedOn(false)
        try await requireState(.notAvailable, "while it is switched off")
        guard case .notAvailable = try await end(of: ask(user), "a prompt while it is switched off") else {
            throw Finding("a prompt while it is switched off did not say so")
        }
        let code = await refusal(of: user, key(1))?.code
        try require(code == .notAvailable, "enrolling while it is switched off: \(Self.text(code))")
        try await setSwitchedOn(true)
        let after = await authenticator.availability(for: user)
        try requireEqual(after, before, "what is available after it was switched on")
        guard place.reader?.events.contains(.match) == true else { return }
        try await requireSuccess(user, key(), "after it was switched off and on")
    }

    func checkNoneEnrolled() async throws {
        guard let clearEnrolment = place.clearEnrolment else { return }
        try await clearEnrolment()
        try await requireState(.notEnrolled, "with none enrolled")
        guard case .notEnrolled = try await end(of: ask(user), "a prompt with none enrolled") else {
            throw Finding("a prompt with none enrolled did not say so")
        }
        let code = await refusal(of: user, key())?.code
        try require(code == .notEnrolled, "enrolling with none enrolled: \(Self.text(code))")
    }

    func checkDigestStays() async throws {
        try await requireDigest("asked again")
        try await authenticator.enroll(key(), for: user)
        try await authenticator.enroll(key(1), for: other)
        try await requireDigest("after keys were given")
        _ = try await outcome(of: .noMatch, user)
        try await requireDigest("after a failure")
        _ = try await outcome(of: .match, user)
        try await requireDigest("after a match")
        try await authenticator.forget(user)
        try await requireDigest("after a key was dropped")
        guard let setSwitchedOn = place.setSwitchedOn else { return }
        try await setSwitchedOn(false)
        try await setSwitchedOn(true)
        try await requireDigest("after it was switched off and on")
    }

    private func requireDigest(_ what: String) async throws(Finding) {
        let isSame = await authenticator.availability(for: user).enrolmentDigest == digestAtFirst
        try require(isSame, "the digest is another \(what)")
    }

    func checkDigestChanges() async throws {
        try await place.changeEnrolment?()
        let changed = await authenticator.availability(for: user)
        try requireEqual(changed.state, .available, "the state after one was added")
        try require(
            changed.enrolmentDigest != digestAtFirst,
            "the digest is the same after one was added"
        )
        let again = await authenticator.availability(for: user).enrolmentDigest
        try require(again == changed.enrolmentDigest, "the digest changes though none comes or goes")
    }

    // MARK: Locked out

    func checkLockOut() async throws {
        try await authenticator.enroll(key(), for: user)
        try await lockOut()
        try await requireLockOut("after failures in a row")
        if let refusal = await refusal(of: user, key()) {
            try requireEqual(refusal.code, .lockedOut, "the error of enrolling while locked out")
        }
    }

    func checkLockOutLasts() async throws {
        try await authenticator.enroll(key(), for: user)
        try await lockOut()
        for _ in 0..<12 { try await requireLockOut("while no person entered the passcode") }
        try await authenticator.forget(other)
        if let letPass = place.letPass {
            for wait in [Duration.seconds(60), .seconds(3_600), .seconds(86_400)] {
                try await letPass(wait)
                try await requireLockOut("after \(wait)")
            }
        }
        guard let enterPasscode = place.enterPasscode else { return }
        try await enterPasscode()
        try await requireState(.available, "after the passcode was entered")
        try await requireSuccess(user, key(), "after the passcode was entered")
    }

    func checkCountStartsAnew() async throws {
        guard let limit = try reader().failuresToLockOut else { return }
        try await authenticator.enroll(key(), for: user)
        for _ in 0..<3 {
            for _ in 1..<limit { _ = try await outcome(of: .noMatch, user) }
            try await requireSuccess(user, key(), "after one failure less than lock it out")
        }
    }

    private func lockOut() async throws {
        guard let limit = try reader().failuresToLockOut else { return }
        for count in 1...limit {
            switch try await outcome(of: .noMatch, user) {
            case .failed where count < limit: try await requireState(.available, "after \(count) failures")
            case .failed: break
            case .lockedOut where count == limit: break
            case let ended: throw Finding("failure \(count) of \(limit) ended in \(ended)")
            }
        }
    }

    private func requireLockOut(_ what: String) async throws {
        try await requireState(.lockedOut, what)
        let ended = try await outcome(of: .match, user)
        guard case .lockedOut = ended else { throw Finding("a prompt \(what) ended in \(ended)") }
    }

    private static func text(_ code: BiometricError.Code?) -> String {
        code.map { "the error was \($0)" } ?? "it was not refused"
    }
}
