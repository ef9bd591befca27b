#if Passkeys
internal import AdapterKit
internal import Crypto
public import PortcullisCore
internal import Synchronization

/// Releases the passcode's key for a passkey that is used in a browser.
///
/// The browser lies outside: the authenticator has a ``prompt``, which a host publishes to a page, and ``answer(_:to:from:)``
/// for what the page sends back. One authenticator is for one session; what it keeps lies in the store, so that all
/// sessions of a user, and the next start, open with the same passkeys.
///
/// What is kept is the key under the output of the passkey's PRF extension for a random salt. Each unlock evaluates that
/// salt and a fresh one, and wraps the key anew under the second output: an output that was read on its way, or in the
/// memory of a page, opens nothing once the passkey was used again.
///
/// - The person is always verified, whatever ``RelyingParty/needsUserVerification`` says.
/// - Without the PRF extension nothing is kept: ``enroll(_:for:)`` throws `passkeyWithoutPRF`.
/// - A user may have several passkeys, each for the same key. The enrolment's digest is of the site alone, because a site
///   cannot see whose fingers a device knows; a key that is given anew and is another drops the passkeys of the one before.
public final class PasskeyAuthenticator: BiometricAuthenticator {
    let site: RelyingParty
    let store: any SecretStore
    let texts: PasskeyTexts
    let desk: PromptDesk
    let enrolling = SerialTurn()
    private let clock: any LockClock
    private let session: @Sendable () -> PasskeySession
    private let accountName: @Sendable (UserID) -> String
    private let numbers: Mutex<any RandomNumberGenerator & Sendable>

    /// An authenticator of one session.
    ///
    /// - Parameters:
    ///   - site: whose passkeys.
    ///   - store: where they are kept; under ``PasskeyNames``.
    ///   - clock: what a challenge's 60 seconds pass on.
    ///   - isAvailable: whether the browser is known to use passkeys; default: not before ``setAvailable(_:)``.
    ///   - texts: what a person reads; default: English.
    ///   - numbers: what challenges and salts are made of; cryptographically secure outside tests, as the system's are.
    ///   - accountName: how the browser's dialogue names the user; default: the user's id.
    ///   - session: the session, and its lock's generation now; challenges are bound to both.
    public init(
        site: RelyingParty,
        store: any SecretStore,
        clock: any LockClock,
        isAvailable: Bool = false,
        texts: PasskeyTexts = PasskeyTexts(),
        numbers: any RandomNumberGenerator & Sendable = SystemRandomNumberGenerator(),
        accountName: @escaping @Sendable (UserID) -> String = \.rawValue,
        session: @escaping @Sendable () -> PasskeySession
    ) {
        self.site = site.verifyingUsers
        (self.store, self.texts, self.clock) = (store, texts, clock)
        (self.session, self.accountName) = (session, accountName)
        self.numbers = Mutex(numbers)
        desk = PromptDesk(clock: clock, isAvailable: isAvailable)
    }

    // MARK: For the host

    /// The prompt that waits for an answer; `nil` when none does.
    public var prompt: PasskeyPrompt? { desk.prompt }

    /// A signal now, and each time that ``prompt`` has changed, until the stream is dropped.
    public func changes() -> AsyncStream<Void> { desk.changes() }

    /// Says what became of a prompt. Its challenge is spent by it, whatever the answer is.
    ///
    /// - Parameters:
    ///   - answer: what the page sent.
    ///   - id: the prompt's.
    ///   - session: who sent it, and under which generation of the lock; an answer of another session is refused.
    /// - Returns: whether that prompt was up. How it ended is the outcome of the call that asked for it.
    @discardableResult
    public func answer(_ answer: PasskeyAnswer, to id: String, from session: PasskeySession) -> Bool {
        desk.answer(answer, to: id, from: session)
    }

    /// Sets whether the browser can use passkeys, as the page's script finds out; a prompt that is up ends where it cannot.
    public func setAvailable(_ isAvailable: Bool) { desk.setAvailable(isAvailable) }

    // MARK: The port

    /// Available where the browser can use passkeys.
    public func availability(for user: UserID) async -> BiometricAvailability {
        BiometricAvailability(
            kind: .passkey,
            state: desk.isAvailable ? .available : .notAvailable,
            enrolmentDigest: Array(SHA256.hash(data: Array("portcullis.passkeys \(site.id)".utf8))),
            binding: .key
        )
    }

    /// Has the browser make a passkey and use it once, and keeps the key under what it gave.
    ///
    /// It waits for the person. Several calls wait for one another.
    ///
    /// - Throws: ``/PortcullisCore/BiometricErrorCode/notAvailable`` where the browser cannot use passkeys,
    ///   `passkeyPromptEnded`, `passkeyWithoutPRF`,
    ///   `passkeyRefused`, `passkeyRecordDamaged`, or
    ///   ``/PortcullisCore/BiometricErrorCode/systemFailure`` where the store failed. The passkeys from before then still
    ///   open.
    public func enroll(_ key: SecretBytes, for user: UserID) async throws(BiometricError) {
        await enrolling.begin()
        defer { enrolling.end() }
        try await enrollPasskey(key, for: user)
    }

    /// Has the browser use one of the user's passkeys.
    ///
    /// The prompt is drawn by the browser, so no hints are told. It ends by itself after 60 seconds.
    public func authenticate(
        user: UserID,
        reason: String,
        fallbackTitle: String,
        hint: @escaping @Sendable (BiometricHint) -> Void
    ) async -> BiometricOutcome {
        guard desk.isAvailable else { return .notAvailable }
        return await unlock(user, reason: reason, fallbackTitle: fallbackTitle)
    }

    /// Drops all passkeys of a user, also where what is kept cannot be understood.
    ///
    /// - Throws: ``/PortcullisCore/BiometricErrorCode/systemFailure`` where the store failed.
    public func forget(_ user: UserID) async throws(BiometricError) {
        try await PasskeyRecord.item(of: user, in: store).erase()
    }

    // MARK: Prompts

    /// 32 random bytes.
    func randomBytes() -> [UInt8] {
        numbers.withLock { numbers in
            (0..<KeyWrap.length).map { _ in UInt8.random(in: .min ... .max, using: &numbers) }
        }
    }

    /// Puts a prompt up and waits for its end.
    func ask(
        _ request: PasskeyPrompt.Request,
        of user: UserID,
        reason: String,
        fallbackTitle: String?
    ) async -> PromptDesk.Ending {
        let (session, moment) = (session(), clock.now)
        let challenge = numbers.withLock { numbers in
            PasskeyChallenge(for: request.ceremony, session: session, at: moment, using: &numbers)
        }
        let prompt = PasskeyPrompt(
            // As rare as the challenge, so that an answer that is late finds no other prompt.
            id: Base64URL.text(challenge.bytes.prefix(16)),
            user: user,
            isEnrolment: fallbackTitle == nil,
            reason: reason,
            fallbackTitle: fallbackTitle,
            site: site,
            challenge: challenge.bytes,
            request: request
        )
        return await desk.ask(prompt, challenge)
    }

    func accountName(of user: UserID) -> String { accountName(user) }

    /// What a wrap belongs to: the site and the passkey.
    func owner(of credentialID: [UInt8]) -> [UInt8] { Array("\(site.id) ".utf8) + credentialID }
}
#endif
