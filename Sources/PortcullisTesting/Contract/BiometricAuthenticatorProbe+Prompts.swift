internal import PortcullisCore
internal import Synchronization

extension BiometricAuthenticatorProbe {
    func checkMatch() async throws {
        for round in 0..<3 {
            try await authenticator.enroll(key(), for: user)
            try await requireSuccess(user, key(), "prompt \(round + 1)")
            try await requireSuccess(user, key(), "prompt \(round + 1), again")
        }
    }

    func checkTexts() async throws {
        let reader = try reader()
        try await authenticator.enroll(key(), for: user)
        for title in ["Enter Passcode", "Andere Möglichkeit 🔑"] {
            let asking = ask(user, fallbackTitle: title)
            _ = try await wait {
                if asking.isOver { return true }
                return try await reader.prompt() != nil
            }
            let seen = try await reader.prompt()
            guard let seen else { throw Finding("a prompt was not shown") }
            try await reader.present(.match)
            try requireSuccess(await end(of: asking), key(), "a prompt that was looked at")
            try requireEqual(seen.reason, asking.reason, "the reason that the prompt shows")
            guard let shown = seen.fallbackTitle else { continue }
            try requireEqual(shown, title, "the title of the button that the prompt shows")
        }
    }

    func checkHints() async throws {
        let reader = try reader()
        guard let give = reader.give else { return }
        try await authenticator.enroll(key(), for: user)
        let seen = Hints()
        let asking = ask(user, hint: { seen.add($0) })
        try await waitUntilUp(asking)
        let wanted: [BiometricHint] = [.touch, .tooShort, .touch]
        for hint in wanted { try await give(hint) }
        let hasCome = try await wait { seen.all.count >= wanted.count }
        try require(hasCome, "a hint did not come")
        try requireEqual(seen.all, wanted, "the hints while the prompt is up")
        try await reader.present(.match)
        try requireSuccess(await end(of: asking), key(), "a prompt with hints")
        let next = ask(user)
        try await waitUntilUp(next)
        try await give(.swipe)
        try await reader.present(.match)
        try requireSuccess(await end(of: next), key(), "the next prompt")
        try requireEqual(seen.all, wanted, "the hints after the prompt's end")
    }

    /// The hints that the authenticator gave, in order.
    private final class Hints: Sendable {
        private let hints = Mutex<[BiometricHint]>([])
        var all: [BiometricHint] { hints.withLock { $0 } }
        func add(_ hint: BiometricHint) { hints.withLock { $0.append(hint) } }
    }

    func checkNoMatch() async throws {
        try await authenticator.enroll(key(), for: user)
        let ended = try await outcome(of: .noMatch, user)
        guard case .failed(let message) = ended else { throw Finding("a failure ended in \(ended)") }
        try require(!message.isEmpty, "a failure has no message")
        try await requireState(.available, "after one failure")
        try await requireSuccess(user, key(), "after a failure")
    }

    func checkCancelled(
        _ event: BiometricAuthenticatorSubject.PromptEvent,
        by canceller: BiometricCanceller
    ) async throws {
        try await authenticator.enroll(key(), for: user)
        try requireCancelled(await outcome(of: event, user), by: canceller, event.rawValue)
        try await requireSuccess(user, key(), "after \(event.rawValue)")
    }

    private func requireCancelled(
        _ outcome: BiometricOutcome,
        by canceller: BiometricCanceller,
        _ what: String
    ) throws(Finding) {
        guard case .cancelled(let seen) = outcome else { throw Finding("\(what) ended in \(outcome)") }
        try requireEqual(seen, canceller, "who ended \(what)")
    }

    func checkPasscodeChosen() async throws {
        try await authenticator.enroll(key(), for: user)
        let ended = try await outcome(of: .choosesPasscode, user)
        guard case .passcodeChosen = ended else { throw Finding("the passcode instead ended in \(ended)") }
        try await requireSuccess(user, key(), "after the passcode was chosen")
    }

    // MARK: Tasks that are cancelled

    func checkTaskCancelled() async throws {
        try await authenticator.enroll(key(), for: user)
        let asking = try await up(user)
        asking.cancel()
        let what = "a prompt whose task was cancelled"
        try requireCancelled(await end(of: asking, what), by: .app, what)
        try await requireNoPrompt(what)
        try await requireSuccess(user, key(), "after \(what)")
    }

    func checkCancelledBefore() async throws {
        try await authenticator.enroll(key(), for: user)
        let what = "a prompt whose task was cancelled before"
        try requireCancelled(await end(of: ask(user, isCancelled: true), what), by: .app, what)
        try await requireNoPrompt(what)
        try await requireSuccess(user, key(), "after \(what)")
        let first = try await up(user)
        try requireCancelled(await end(of: ask(other, isCancelled: true), what), by: .app, what)
        try await reader().present(.match)
        try requireSuccess(await end(of: first), key(), "a prompt that was up before \(what)")
    }

    func checkLateMatch() async throws {
        try await authenticator.enroll(key(), for: user)
        for _ in 0..<8 {
            let asking = try await up(user)
            asking.cancel()
            try await reader().present(.match)
            let what = "a match that came after the cancellation"
            try requireCancelled(await end(of: asking, what), by: .app, what)
        }
        try await requireSuccess(user, key(), "after matches that came too late")
    }

    private func requireNoPrompt(_ what: String) async throws {
        let reader = try reader()
        let isGone = try await wait { try await reader.prompt() == nil }
        try require(isGone, "\(what) stays up")
    }

    /// Asks for a prompt and waits until it is shown.
    func up(_ user: UserID) async throws -> Asking {
        let asking = ask(user)
        try await waitUntilUp(asking)
        if let outcome = asking.outcome { throw Finding("a prompt ended by itself, in \(outcome)") }
        return asking
    }

    // MARK: Calls while a prompt is shown

    func checkAskedMeanwhile() async throws {
        try await authenticator.enroll(key(), for: user)
        let before = await authenticator.availability(for: user)
        let asking = try await up(user)
        let answer = Mutex<BiometricAvailability?>(nil)
        let probe = self
        let asker = Task { @concurrent in
            let found = await probe.authenticator.availability(for: probe.user)
            answer.withLock { $0 = found }
        }
        defer { asker.cancel() }
        let isAnswered = try await wait { answer.withLock { $0 != nil } }
        try await reader().present(.match)
        try requireSuccess(await end(of: asking), key(), "a prompt during which was asked")
        try require(isAnswered, "who asks what is available has to wait for the prompt")
        let found = answer.withLock { $0 }
        try require(found == before, "what is available is something else while a prompt is up")
    }

    func checkSwitchedOffMeanwhile() async throws {
        guard let setSwitchedOn = place.setSwitchedOn else { return }
        try await authenticator.enroll(key(), for: user)
        let asking = try await up(user)
        try await setSwitchedOn(false)
        try await reader().present(.match)
        let what = "a prompt that was up when it was switched off"
        try requireRefusal(await end(of: asking, what), what)
        try await setSwitchedOn(true)
        try await requireSuccess(user, key(), "after it was switched off and on")
    }

    // MARK: Several prompts

    func checkTwoPrompts() async throws {
        try await authenticator.enroll(key(), for: user)
        try await authenticator.enroll(key(1), for: other)
        for _ in 0..<3 {
            let first = try await up(user)
            let second = ask(other)
            // An authenticator may delay the second prompt until the first prompt has ended. The clause
            // cannot tell such an authenticator from a slow one. So the clause waits at most 500 ms for the
            // second prompt.
            let reader = try reader()
            _ = try await wait(upTo: .milliseconds(500)) {
                if first.isOver || second.isOver { return true }
                return try await reader.prompt()?.reason == second.reason
            }
            try await matchAll([(first, key()), (second, key(1))])
        }
        try await requireSuccess(user, key(), "after two prompts at once")
    }

    func checkConcurrentPrompts() async throws {
        let users = (0..<8).map { Self.user("user-\($0)") }
        for (number, user) in users.enumerated() {
            try await authenticator.enroll(key(UInt8(number)), for: user)
        }
        for _ in 0..<6 {
            try await matchAll(users.enumerated().map { (ask($0.element), key(UInt8($0.offset))) })
        }
        try await requireSuccess(users[0], key(), "after prompts from many tasks")
    }

    /// Causes a match at each prompt that is shown, until all prompts have ended. Each prompt must release
    /// its own user's key or end as cancelled by the system.
    private func matchAll(_ askings: [(asking: Asking, key: SecretBytes)]) async throws {
        let reader = try reader()
        var matched: Set<String> = []
        let haveEnded = try await wait {
            let seen = try await reader.prompt()?.reason
            if let asking = askings.map(\.asking).first(where: { $0.reason == seen && !$0.isOver }),
                matched.insert(asking.reason).inserted
            {
                try await reader.present(.match)
            }
            return askings.allSatisfy(\.asking.isOver)
        }
        for (asking, _) in askings { asking.cancel() }
        try require(haveEnded, "of \(askings.count) prompts at once some did not end")
        var successes = 0
        for (asking, key) in askings {
            guard let outcome = asking.outcome else { continue }
            if case .success = outcome {
                successes += 1
                try requireSuccess(outcome, key, "one of several prompts")
            } else {
                try requireCancelled(outcome, by: .system, "a prompt that gave way to another")
            }
        }
        try require(
            successes <= matched.count,
            "\(matched.count) matches at several prompts made \(successes) successes"
        )
        try require(successes > 0, "of several prompts none was a success, though someone showed up")
    }
}
