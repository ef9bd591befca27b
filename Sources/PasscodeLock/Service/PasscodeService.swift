internal import AdapterKit
public import PortcullisCore

/// A user's passcode: set, verify, change, remove, take over.
///
/// A passcode opens a key. What is stored is a random key sealed under the passcode; a right passcode gives it
/// back, and the app may protect data with it. The key stays the same when the passcode is changed.
///
/// The service keeps no state: all of it is one item in the store, changed by compare-and-set, so any number of
/// instances and processes may work at once. Every try is counted, durably, before it is made.
///
/// A record that cannot be read throws ``PasscodeErrorCode/damagedRecord``, ``PasscodeErrorCode/newerRecord``
/// or ``PasscodeErrorCode/store``; the app then stays locked. ``logOut()`` is the way out.
public struct PasscodeService: Sendable {
    /// Whose passcode.
    public let user: UserID
    /// How the lock behaves.
    public let configuration: PasscodeConfiguration

    let records: RecordStore
    let secrets: any SecretStore
    let sealer: any PasscodeSealer
    package let clock: any LockClock
    let authenticator: any BiometricAuthenticator
    let session: any SignedInSession
    let account: (any PasscodeAccount)?
    let awaitedActs = AwaitedActs()
    let eventStreams = Broadcaster<PasscodeEvent>()

    /// The service for one user.
    ///
    /// - Parameters:
    ///   - user: whose passcode.
    ///   - backends: the store, sealer, clock and biometrics are used.
    ///   - session: who is signed in, for ``logOut()`` and the limit of the throttle policy.
    ///   - configuration: how the lock behaves.
    ///   - account: the user's account, through which devices share the passcode; `nil`: a passcode of this
    ///     device alone.
    /// - Throws: ``PasscodeErrorCode/invalidConfiguration`` when the format is none.
    public init(
        user: UserID,
        backends: Backends,
        session: any SignedInSession,
        configuration: PasscodeConfiguration,
        account: (any PasscodeAccount)? = nil
    ) throws(PasscodeError) {
        guard configuration.format.isValid else {
            throw PasscodeError(
                code: .invalidConfiguration,
                message: "a passcode has 4 to 12 digits, or 4 to 64 characters"
            )
        }
        self.user = user
        self.configuration = configuration
        self.records = RecordStore(store: backends.secrets, user: user)
        self.secrets = backends.secrets
        self.sealer = backends.sealer
        self.clock = backends.clock
        self.authenticator = backends.biometrics
        self.session = session
        self.account = account
    }

    /// What the sealed key is bound to, so that one user's record does not open for another.
    var context: String { "portcullis passcode of \(user.rawValue)" }

    // MARK: Set

    /// What is known of the passcode without asking for it; notes the time served of a delay on the way.
    ///
    /// - Throws: ``PasscodeError`` when the record cannot be read.
    public func status() async throws(PasscodeError) -> PasscodeStatus {
        let now = clock.now
        // The note of the time served changes nothing that a follower of the record reads.
        return try await records.update(isAnnounced: false) { record throws(PasscodeError) in
            guard var record else {
                return .keep(
                    PasscodeStatus(
                        isSet: false,
                        isEnabled: false,
                        failures: 0,
                        retryAfter: .zero,
                        format: configuration.format,
                        timeout: configuration.timeout,
                        usesBiometrics: false,
                        lock: LockMark()
                    )
                )
            }
            let authority = record.policy.authority
            let status = PasscodeStatus(
                isSet: record.isSet,
                isEnabled: record.isEnabled,
                failures: record.throttle.failures,
                retryAfter: record.throttle.timeLeft(at: now, by: authority),
                format: record.format,
                timeout: record.effectiveTimeout,
                usesBiometrics: record.biometrics != nil,
                lock: record.lock,
                standing: record.standing
            )
            guard record.throttle.wantsNote(at: now, by: authority) else { return .keep(status) }
            record.throttle.note(at: now, by: authority)
            return .write(record, status)
        }
    }

    /// Whether a new passcode may be set: its format, and under ``WeakPasscodePolicy/reject`` its strength.
    ///
    /// - Throws: ``PasscodeErrorCode/wrongFormat``, ``PasscodeErrorCode/easilyGuessed``.
    public func check(new passcode: SecretBytes) throws(PasscodeError) {
        try check(passcode, against: configuration.format)
        if configuration.weakPasscodes == .reject, PasscodeWeakness.of(passcode) != nil {
            throw PasscodeError(code: .easilyGuessed, message: "This passcode is easily guessed.")
        }
    }

    func check(_ passcode: SecretBytes, against format: PasscodeFormat) throws(PasscodeError) {
        if let violation = format.violation(of: passcode) {
            throw PasscodeError(code: .wrongFormat, message: violation.description, violation: violation)
        }
    }

    /// Sets the first passcode.
    ///
    /// With an account it is sent there first. If the account cannot be reached, or does not answer, the passcode
    /// is set on this device and sent when it is next entered: see ``push(_:)``.
    ///
    /// - Parameter passcode: in the configured format.
    /// - Returns: proof with the new key.
    /// - Throws: ``PasscodeErrorCode/wrongFormat``, ``PasscodeErrorCode/easilyGuessed``,
    ///   ``PasscodeErrorCode/alreadySet``, also when one was set on another device;
    ///   ``PasscodeErrorCode/account`` when the account refuses; ``PasscodeErrorCode/sealer`` and
    ///   ``PasscodeErrorCode/store``. Nothing is set then.
    @discardableResult
    public func set(_ passcode: SecretBytes) async throws(PasscodeError) -> UnlockProof {
        let proof = try await noting(.set) { () throws(PasscodeError) in
            try check(new: passcode)
            if let account { return try await set(passcode, with: account) }
            guard try await records.read() == nil else { throw Self.alreadySet }
            let key = SecretBytes(randomCount: 32)
            let record = newRecord(.sealed(try await seal(key, under: passcode)), configuration.format)
            try await create(record)
            return UnlockProof(user: user, key: key, method: .passcode)
        }
        note(.set)
        return proof
    }

    /// Takes over the record of an app that kept hex SHA-256(passcode + base64 salt).
    ///
    /// It is verified once, throttled like any other, and then sealed; the hash is gone from that moment.
    ///
    /// - Parameters:
    ///   - hash: the app's record.
    ///   - format: what that app's passcodes look like.
    /// - Throws: ``PasscodeErrorCode/alreadySet``, ``PasscodeErrorCode/invalidConfiguration`` for an impossible
    ///   format or hash, ``PasscodeErrorCode/store``.
    public func takeOver(
        _ hash: LegacyPasscodeHash,
        format: PasscodeFormat
    ) async throws(PasscodeError) {
        let isDigest = hash.hexDigest.utf8.count == 64 && hash.hexDigest.allSatisfy(\.isHexDigit)
        try await noting(.set) { () throws(PasscodeError) in
            guard format.isValid, isDigest, hash.salt.utf8.count <= 1024 else {
                throw PasscodeError(
                    code: .invalidConfiguration,
                    message: "this is not a record that can be taken over"
                )
            }
            try await create(newRecord(.legacy(hash), format))
        }
        note(.set)
    }

    func newRecord(
        _ credential: PasscodeRecord.Credential,
        _ format: PasscodeFormat
    ) -> PasscodeRecord {
        PasscodeRecord(
            credential: credential,
            format: format,
            policy: configuration.throttle,
            timeout: configuration.timeout
        )
    }

    private func create(_ record: PasscodeRecord) async throws(PasscodeError) {
        let created: Bool = try await records.update { found throws(PasscodeError) in
            found == nil ? .write(record, true) : .keep(false)
        }
        guard created else { throw Self.alreadySet }
    }

    static let alreadySet = PasscodeError(code: .alreadySet, message: "a passcode is set already")

    // MARK: Settings

    /// Records another timeout; does nothing when no passcode is set.
    ///
    /// With an account it is sent there first, in whole minutes.
    ///
    /// - Throws: ``PasscodeError`` when the record cannot be read or written; ``PasscodeErrorCode/account`` when
    ///   the account did not record it. The timeout stays as it was then.
    public func setTimeout(_ timeout: LockTimeout) async throws(PasscodeError) {
        try await noting(.configure) { () throws(PasscodeError) in
            if let account, try await records.read()?.isSet == true {
                try await send(timeout, to: account)
            } else {
                try await edit { $0.timeout = timeout }
            }
        }
    }

    /// Records another throttle policy; failures and the delay being served stay.
    ///
    /// Does nothing when no passcode is set.
    ///
    /// - Throws: ``PasscodeError`` when the record cannot be read or written.
    public func setThrottle(_ policy: ThrottlePolicy) async throws(PasscodeError) {
        try await noting(.configure) { () throws(PasscodeError) in try await edit { $0.policy = policy } }
    }

    /// Records what must outlive the process of the lock's state; does nothing when no passcode is set.
    func setLock(_ mark: LockMark) async throws(PasscodeError) {
        // The session wrote it: there is nothing in it that the session would have to read.
        try await edit(isAnnounced: false) { $0.lock = mark }
    }

    func edit(
        isAnnounced: Bool = true,
        _ change: (inout PasscodeRecord) -> Void
    ) async throws(PasscodeError) {
        try await records.update(isAnnounced: isAnnounced) {
            found throws(PasscodeError) -> RecordStore.Change<Void> in
            guard var record = found else { return .keep(()) }
            change(&record)
            return record == found ? .keep(()) : .write(record, ())
        }
    }
}
