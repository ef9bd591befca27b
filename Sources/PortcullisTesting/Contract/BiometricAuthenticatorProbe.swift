internal import PortcullisCore
internal import Synchronization

/// A new authenticator, with the functions that check the authenticator for each clause.
final class BiometricAuthenticatorProbe: Sendable {
    /// A prompt that a task has asked for.
    final class Asking: Sendable {
        let user: UserID
        let reason: String
        private let ended = Mutex<BiometricOutcome?>(nil)
        private let task = Mutex<Task<Void, Never>?>(nil)

        fileprivate init(user: UserID, reason: String) {
            self.user = user
            self.reason = reason
        }

        /// The prompt's outcome; `nil` while it has not ended.
        var outcome: BiometricOutcome? { ended.withLock { $0 } }

        fileprivate func begin(_ run: @escaping @Sendable () async -> BiometricOutcome) {
            let task = Task { @concurrent [self] in
                let outcome = await run()
                ended.withLock { $0 = outcome }
            }
            self.task.withLock { $0 = task }
        }

        func cancel() { task.withLock { $0 }?.cancel() }
    }

    let place: BiometricAuthenticatorSubject.Place
    let binding: BiometricBinding
    let digestAtFirst: [UInt8]?
    let patience: Duration
    private let reasons = Atomic<Int>(0)

    init(_ subject: BiometricAuthenticatorSubject) async throws {
        patience = subject.patience
        place = try await subject.makePlace()
        let found = await place.authenticator.availability(for: Self.user("user"))
        binding = found.binding
        digestAtFirst = found.enrolmentDigest
    }

    var authenticator: any BiometricAuthenticator { place.authenticator }

    static func user(_ name: String) -> UserID {
        guard let user = UserID("contract.\(name)") else { preconditionFailure("names of the suite are ids") }
        return user
    }

    var user: UserID { Self.user("user") }
    var other: UserID { Self.user("User") }

    /// The beginning of every key, as text. A clause searches messages and errors for this text, because they
    /// must not contain a key.
    static let keyText = "contract-key-"

    /// A key of 32 bytes; each number gives a different key. A key contains the byte 0, which ends a text in
    /// C, and the byte 0xFF, which is never valid in UTF-8.
    func key(_ number: UInt8 = 0) -> SecretBytes {
        SecretBytes(copying: Array(Self.keyText.utf8) + [number, 0, 0xFF, 0] + (0..<15).map { $0 ^ number })
    }

    func reader() throws(Finding) -> BiometricAuthenticatorSubject.Reader {
        guard let reader = place.reader else {
            throw Finding("a clause about prompts ran where no person can show up")
        }
        return reader
    }

    // MARK: Prompts

    /// Asks for a prompt in a new task.
    ///
    /// - Parameter isCancelled: whether the task is cancelled before it asks.
    func ask(
        _ user: UserID,
        at authenticator: (any BiometricAuthenticator)? = nil,
        fallbackTitle: String = "Enter Passcode",
        isCancelled: Bool = false,
        hint: @escaping @Sendable (BiometricHint) -> Void = { _ in }
    ) -> Asking {
        let authenticator = authenticator ?? self.authenticator
        let number = reasons.wrappingAdd(1, ordering: .relaxed).newValue
        let asking = Asking(user: user, reason: "Unlock Ledger \(number) \"ü\"")
        asking.begin { [reason = asking.reason] in
            if isCancelled { while !Task.isCancelled { await Task.yield() } }
            return await authenticator.authenticate(
                user: user,
                reason: reason,
                fallbackTitle: fallbackTitle,
                hint: hint
            )
        }
        if isCancelled { asking.cancel() }
        return asking
    }

    /// Waits until a prompt is shown or has ended.
    func waitUntilUp(_ asking: Asking) async throws {
        let reader = try reader()
        let isSeen = try await wait {
            if asking.isOver { return true }
            return try await reader.prompt()?.reason == asking.reason
        }
        if !isSeen { throw stuck(asking, "a prompt was not shown") }
    }

    /// Waits for the outcome of a prompt.
    func end(of asking: Asking, _ what: String = "a prompt") async throws -> BiometricOutcome {
        _ = try await wait { asking.isOver }
        guard let outcome = asking.outcome else { throw stuck(asking, "\(what) did not end") }
        return outcome
    }

    private func stuck(_ asking: Asking, _ text: String) -> Finding {
        asking.cancel()
        return Finding(text)
    }

    /// Asks for a prompt, causes an event at the prompt, and returns the prompt's outcome. If the
    /// authenticator refuses the prompt at once, the prompt is not shown, and the event has no effect.
    func outcome(
        of event: BiometricAuthenticatorSubject.PromptEvent,
        _ user: UserID,
        at authenticator: (any BiometricAuthenticator)? = nil
    ) async throws -> BiometricOutcome {
        let asking = ask(user, at: authenticator)
        try await waitUntilUp(asking)
        try await reader().present(event)
        return try await end(of: asking, event.rawValue)
    }

    /// Waits in real time until a condition holds or the limit has passed. Returns whether the condition
    /// holds. The wait is long only if other threads are slow, or if a clause fails.
    func wait(upTo limit: Duration? = nil, until condition: () async throws -> Bool) async throws -> Bool {
        let deadline = ContinuousClock.now + min(limit ?? patience, patience)
        while try await !condition() {
            if ContinuousClock.now >= deadline { return try await condition() }
            try await Task.sleep(for: .milliseconds(2))
        }
        return true
    }

    // MARK: Requirements

    // `@inline(never)` avoids a crash of the optimiser of Swift 6.3. The optimiser crashes when it inlines
    // this function into code that follows a call of `enroll`, which has typed throws.
    /// Requires that a match is a success. If the authenticator keeps keys, the match must release this key.
    @inline(never)
    func requireSuccess(
        _ user: UserID,
        _ key: SecretBytes,
        _ what: String,
        at authenticator: (any BiometricAuthenticator)? = nil
    ) async throws {
        try requireSuccess(await outcome(of: .match, user, at: authenticator), key, what)
    }

    func requireSuccess(_ outcome: BiometricOutcome, _ key: SecretBytes, _ what: String) throws(Finding) {
        guard case .success(let released) = outcome else {
            throw Finding("\(what): a match ended in \(outcome)")
        }
        guard binding == .key else {
            return try require(released == nil, "\(what): an authenticator that only asserts released a key")
        }
        guard let released else { throw Finding("\(what): a match released no key") }
        let isRight = released.matches(key)
        try require(isRight, "\(what): a match released another key")
    }

    /// Requires that a match is no success for a user.
    func requireRefusal(
        _ user: UserID,
        _ what: String,
        at authenticator: (any BiometricAuthenticator)? = nil
    ) async throws {
        try requireRefusal(await outcome(of: .match, user, at: authenticator), what)
    }

    func requireRefusal(_ outcome: BiometricOutcome, _ what: String) throws(Finding) {
        if case .success = outcome { throw Finding("\(what): a prompt was a success") }
    }

    func requireState(_ expected: BiometricState, _ what: String) async throws(Finding) {
        try requireEqual(await authenticator.availability(for: user).state, expected, "the state \(what)")
    }

    /// Returns the error with which the authenticator refuses a key; `nil` if the authenticator accepts the
    /// key.
    func refusal(
        of user: UserID,
        _ key: SecretBytes,
        at authenticator: (any BiometricAuthenticator)? = nil
    ) async -> BiometricError? {
        do throws(BiometricError) {
            try await (authenticator ?? self.authenticator).enroll(key, for: user)
            return nil
        } catch {
            return error
        }
    }
}

extension BiometricAuthenticatorProbe.Asking {
    var isOver: Bool { outcome != nil }
}
