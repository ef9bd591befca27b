#if Passkeys
internal import AdapterKit
internal import Crypto
public import PortcullisCore
internal import Synchronization

/// Releases the passcode's key after the browser has used a passkey.
///
/// The host publishes ``prompt`` to a page, and passes the page's answer to ``answer(_:to:from:)``. One
/// authenticator serves one session. The passkeys are in the store. So the same passkeys unlock all sessions
/// of a user, even after a restart.
///
/// The store holds the key encrypted under the output of the passkey's PRF extension for a random salt. Each
/// unlock requests the outputs for this salt and for a fresh salt. It opens the key with the first output,
/// and wraps the key again under the second. So an output that was intercepted, or read in a page's memory,
/// opens nothing after the passkey's next use.
///
/// - The person is always verified, even if ``RelyingParty/needsUserVerification`` is `false`.
/// - Without the PRF extension nothing is stored: ``enroll(_:for:)`` throws `passkeyWithoutPRF`.
/// - A user may have several passkeys for one key. When a passkey for another key is added, the passkeys of
///   the earlier key are removed.
/// - The enrolment digest is computed from the site's id alone. A site cannot see that a finger or a face was
///   added to a device or removed from it. So such a change does not change the digest.
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

    /// Makes the authenticator of one session.
    ///
    /// - Parameters:
    ///   - site: the site that the passkeys are bound to.
    ///   - store: the store that holds the passkeys, under ``PasskeyNames``.
    ///   - clock: the clock that measures a challenge's 60 seconds.
    ///   - isAvailable: whether the browser is already known to support passkeys; default: `false`. A later
    ///     call of ``setAvailable(_:)`` replaces this value.
    ///   - texts: the texts that a person reads; default: English.
    ///   - numbers: the generator of the random challenges and salts. Outside of tests it must be
    ///     cryptographically secure, as the system's generator is.
    ///   - accountName: returns the user's name for the browser's dialogue; default: the user's id.
    ///   - session: returns the session and its lock's current generation. Each challenge is bound to both.
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

    // MARK: Calls of the host

    /// The prompt that waits for an answer; `nil` if no prompt is open.
    public var prompt: PasskeyPrompt? { desk.prompt }

    /// Returns a stream that sends one signal at once, and one after each change of ``prompt``.
    public func changes() -> AsyncStream<Void> { desk.changes() }

    /// Answers a prompt. Every answer spends the prompt's challenge, even an answer that is refused.
    ///
    /// - Parameters:
    ///   - answer: the page's answer.
    ///   - id: the prompt's id.
    ///   - session: the session that sent the answer, with its lock's generation. An answer of another
    ///     session is refused.
    /// - Returns: whether this prompt was open. The outcome itself is returned by ``enroll(_:for:)`` or
    ///   ``authenticate(user:reason:fallbackTitle:hint:)``, which opened the prompt.
    @discardableResult
    public func answer(_ answer: PasskeyAnswer, to id: String, from session: PasskeySession) -> Bool {
        desk.answer(answer, to: id, from: session)
    }

    /// Sets whether the browser can use passkeys, as the page's script reports. If the browser cannot use
    /// them, an open prompt ends.
    public func setAvailable(_ isAvailable: Bool) { desk.setAvailable(isAvailable) }

    // MARK: The port

    /// Returns `available` if the browser can use passkeys, and `notAvailable` otherwise.
    public func availability(for user: UserID) async -> BiometricAvailability {
        BiometricAvailability(
            kind: .passkey,
            state: desk.isAvailable ? .available : .notAvailable,
            enrolmentDigest: Array(SHA256.hash(data: Array("portcullis.passkeys \(site.id)".utf8))),
            binding: .key,
            asksToEnroll: true
        )
    }

    /// Asks the browser to make a passkey and to use it once. Then stores the key, encrypted under the
    /// passkey's PRF output.
    ///
    /// The call waits for the person. Calls that overlap run one after the other. If the session's lock gets
    /// another generation during the call, another person may be at the page. From then on the call opens no
    /// prompt.
    ///
    /// - Throws: ``/PortcullisCore/BiometricErrorCode/notAvailable`` if the browser cannot use passkeys;
    ///   ``/PortcullisCore/BiometricErrorCode/systemFailure`` if the store failed; otherwise
    ///   `passkeyPromptEnded`, `passkeyWithoutPRF`, `passkeyRefused` or `passkeyRecordDamaged`. After an
    ///   error the earlier passkeys still work.
    public func enroll(_ key: SecretBytes, for user: UserID) async throws(BiometricError) {
        let begun = session()
        await enrolling.begin()
        defer { enrolling.end() }
        try await enrollPasskey(key, for: user, in: begun)
    }

    /// Asks the browser to use one of the user's passkeys.
    ///
    /// The browser draws the prompt, so `hint` is never called. The prompt ends after 60 seconds.
    public func authenticate(
        user: UserID,
        reason: String,
        fallbackTitle: String,
        hint: @escaping @Sendable (BiometricHint) -> Void
    ) async -> BiometricOutcome {
        guard desk.isAvailable else { return .notAvailable }
        return await unlock(user, reason: reason, fallbackTitle: fallbackTitle)
    }

    /// Removes all passkeys of a user, even if the stored record is damaged.
    ///
    /// - Throws: ``/PortcullisCore/BiometricErrorCode/systemFailure`` if the store failed.
    public func forget(_ user: UserID) async throws(BiometricError) {
        try await PasskeyRecord.item(of: user, in: store).erase()
    }

    // MARK: Prompts

    /// Makes 32 random bytes.
    func randomBytes() -> [UInt8] {
        numbers.withLock { numbers in
            (0..<KeyWrap.length).map { _ in UInt8.random(in: .min ... .max, using: &numbers) }
        }
    }

    /// Opens a prompt and waits for its end.
    ///
    /// - Parameter begun: the session and generation in which the caller's work began. If either has changed
    ///   by now, no prompt opens. With `nil` nothing is compared.
    func ask(
        _ request: PasskeyPrompt.Request,
        of user: UserID,
        in begun: PasskeySession? = nil,
        reason: String,
        fallbackTitle: String?
    ) async -> PromptDesk.Ending {
        let (session, moment) = (session(), clock.now)
        if let begun, begun != session { return .ended(.app) }
        let challenge = numbers.withLock { numbers in
            PasskeyChallenge(for: request.ceremony, session: session, at: moment, using: &numbers)
        }
        let prompt = PasskeyPrompt(
            // The id is random, so that a late answer never matches another prompt.
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

    /// The associated data of a wrap: the site and the passkey's id.
    func owner(of credentialID: [UInt8]) -> [UInt8] { Array("\(site.id) ".utf8) + credentialID }
}
#endif
