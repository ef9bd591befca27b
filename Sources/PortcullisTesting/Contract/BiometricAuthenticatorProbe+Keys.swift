internal import PortcullisCore

extension BiometricAuthenticatorProbe {
    func checkNeverEnrolled() async throws {
        try await requireRefusal(user, "a user for whom no key was given")
        try await authenticator.enroll(key(), for: other)
        try await requireRefusal(user, "a user for whom no key was given, beside one with a key")
    }

    func checkEnrolledAnew() async throws {
        for number in UInt8(0)..<3 {
            try await authenticator.enroll(key(number), for: user)
            try await requireSuccess(user, key(number), "key \(number + 1) of one user")
        }
    }

    func checkUsersApart() async throws {
        let users = ["user", "User", "user.", "ü", "用户 1"].map(Self.user)
        for (number, user) in users.enumerated() {
            try await authenticator.enroll(key(UInt8(number)), for: user)
        }
        for (number, user) in users.enumerated() {
            try await requireSuccess(user, key(UInt8(number)), "\(user) of several users")
        }
        try await authenticator.forget(users[0])
        try await requireRefusal(users[0], "the user whose key was dropped")
        for (number, user) in users.enumerated().dropFirst() {
            try await requireSuccess(user, key(UInt8(number)), "\(user), after another's key was dropped")
        }
    }

    func checkForgotten() async throws {
        try await authenticator.enroll(key(), for: user)
        try await authenticator.forget(user)
        try await requireRefusal(user, "after the key was dropped")
        try await authenticator.forget(user)
        try await requireRefusal(user, "after the key was dropped twice")
        try await authenticator.enroll(key(1), for: user)
        try await requireSuccess(user, key(1), "a key that was given after another was dropped")
    }

    func checkForgetUnknown() async throws {
        func forget(_ user: UserID) async throws {
            do throws(BiometricError) {
                try await authenticator.forget(user)
            } catch {
                throw Finding("dropping where nothing is kept threw \(error.code)")
            }
        }
        try await forget(user)
        try await authenticator.enroll(key(), for: user)
        try await forget(other)
        guard place.reader?.events.contains(.match) == true else { return }
        try await requireSuccess(user, key(), "after dropping where nothing is kept")
    }

    func checkForgottenMeanwhile() async throws {
        try await authenticator.enroll(key(), for: user)
        let asking = try await up(user)
        try await authenticator.forget(user)
        try await reader().present(.match)
        let what = "a prompt during which the key was dropped"
        try requireRefusal(await end(of: asking, what), what)
    }

    // MARK: Enrolled fingers and faces

    func checkEnrolmentChanged() async throws {
        try await authenticator.enroll(key(), for: user)
        try await authenticator.enroll(key(1), for: other)
        try await place.changeEnrolment?()
        try await requireRefusal(user, "after another one was enrolled")
        try await requireRefusal(user, "after another one was enrolled, asked again")
        try await authenticator.enroll(key(2), for: user)
        try await requireSuccess(user, key(2), "a key that was given after another one was enrolled")
        try await requireRefusal(other, "a user whose key was not given anew after another one was enrolled")
    }

    func checkChangedMeanwhile() async throws {
        try await authenticator.enroll(key(), for: user)
        let asking = try await up(user)
        try await place.changeEnrolment?()
        try await reader().present(.match)
        let what = "a prompt during which another one was enrolled"
        try requireRefusal(await end(of: asking, what), what)
    }

    // MARK: The next start of the app

    func checkReopening() async throws {
        guard let reopen = place.reopen else { return }
        try await authenticator.enroll(key(), for: user)
        try await authenticator.enroll(key(1), for: other)
        try await authenticator.forget(other)
        let anew = try await reopen()
        let digest = await anew.availability(for: user).enrolmentDigest
        try require(digest == digestAtFirst, "the digest is another though none came or went")
        try await requireSuccess(user, key(), "made anew", at: anew)
        try await requireRefusal(other, "made anew, for the user whose key was dropped", at: anew)
        try await anew.forget(user)
        try await requireRefusal(user, "made anew, after the key was dropped", at: anew)
    }

    func checkChangedBeforeReopening() async throws {
        try await authenticator.enroll(key(), for: user)
        try await place.changeEnrolment?()
        guard let anew = try await place.reopen?() else { return }
        try await requireRefusal(user, "made anew after another one was enrolled", at: anew)
    }

    // MARK: Failures

    func checkFailedEnroll() async throws {
        try await authenticator.enroll(key(), for: user)
        try await place.failNext?()
        let isRefused = await refusal(of: user, key(1)) != nil
        try require(isRefused, "a key that could not be kept was no error")
        try await requireSuccess(user, key(), "after another key could not be kept")
        try await authenticator.enroll(key(1), for: user)
        try await requireSuccess(user, key(1), "after the other key could be kept")
    }

    func checkFailedForget() async throws {
        try await authenticator.enroll(key(), for: user)
        try await place.failNext?()
        var isRefused = false
        do throws(BiometricError) { try await authenticator.forget(user) } catch { isRefused = true }
        try require(isRefused, "a key that could not be dropped was no error")
        try await authenticator.forget(user)
        try await requireRefusal(user, "after the key was dropped at the second attempt")
    }

    func checkNothingTold() async throws {
        var said: [String] = []
        func note(_ value: some Any) {
            said += ["\(value)", String(reflecting: value)]
            var text = ""
            dump(value, to: &text)
            said.append(text)
        }
        try await authenticator.enroll(key(), for: user)
        note(authenticator)
        note(await authenticator.availability(for: user))
        note(try await outcome(of: .match, user))
        let events = try reader().events.subtracting([.match])
        for event in BiometricAuthenticatorSubject.PromptEvent.allCases where events.contains(event) {
            note(try await outcome(of: event, user))
        }
        if let failNext = place.failNext {
            try await failNext()
            if let error = await refusal(of: user, key()) { note(error) }
            try await failNext()
            do throws(BiometricError) { try await authenticator.forget(user) } catch { note(error) }
        }
        if let setSwitchedOn = place.setSwitchedOn {
            try await setSwitchedOn(false)
            if let error = await refusal(of: user, key()) { note(error) }
            try await setSwitchedOn(true)
        }
        if let clearEnrolment = place.clearEnrolment {
            try await clearEnrolment()
            if let error = await refusal(of: user, key()) { note(error) }
        }
        let isTold = said.contains { text in Self.tellingTexts.contains { text.contains($0) } }
        try require(!isTold, "an error, a message or a description tells the key")
    }

    /// The texts that would show a key in a message: the beginning of the key as text, in hexadecimal, as
    /// decimal numbers, and in base 64.
    private static var tellingTexts: [String] {
        let bytes = Array(keyText.utf8.prefix(12))
        let hexadecimal = bytes.map { String($0, radix: 16) }.joined()
        return [
            keyText, hexadecimal, hexadecimal.uppercased(),
            bytes.map { "\($0)" }.joined(separator: ", "), "Y29udHJhY3Qta2V5",
        ]
    }
}
