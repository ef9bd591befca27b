internal import AdapterKit
public import PortcullisCore

/// Sets, verifies, changes and removes the passcode of a user, and takes over the passcode of another app.
///
/// The store holds a random key that is sealed under the passcode. The right passcode opens the key, and the
/// app may protect data with it. When the passcode is changed, the key stays the same.
///
/// The passcode's whole state is one item in the store, which is changed by compare-and-set. So any number of
/// instances and processes may work at once. Every try is counted durably before it is made.
///
/// If the record cannot be read, calls throw ``PasscodeErrorCode/damagedRecord``,
/// ``PasscodeErrorCode/newerRecord`` or ``PasscodeErrorCode/store``. The app then stays locked. The person
/// can log out, because ``logOut()`` also works on a record that cannot be understood.
public struct PasscodeService: Sendable {
    /// The user to whom the passcode belongs.
    public let user: UserID
    /// The behaviour of the lock.
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
    let unsettled = UnsettledSeals()

    /// Makes the service for one user.
    ///
    /// - Parameters:
    ///   - user: the user to whom the passcode belongs.
    ///   - backends: the ports; the service uses the store, sealer, clock and biometrics.
    ///   - session: the signed-in session. ``logOut()`` and the limit of the throttle policy end it.
    ///   - configuration: the behaviour of the lock.
    ///   - account: the account through which devices share the passcode; `nil`: the passcode is used on this
    ///     device only.
    /// - Throws: ``PasscodeErrorCode/invalidConfiguration`` when the format is not a valid one, or when the
    ///   timeout or a delay is negative or longer than ``LockTimeout/longest``.
    public init(
        user: UserID,
        backends: Backends,
        session: any SignedInSession,
        configuration: PasscodeConfiguration,
        account: (any PasscodeAccount)? = nil
    ) throws(PasscodeError) {
        guard configuration.format.isValid else { throw Self.impossibleFormat }
        guard configuration.timeout.isValid,
            configuration.throttle.delays.allSatisfy({ LockTimeout.after($0).isValid })
        else { throw PasscodeRecord.outOfRange }
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

    /// The context to which the sealed key is bound. One user's sealed key cannot be opened for another user.
    var context: String { "portcullis passcode of \(user.rawValue)" }

    // MARK: Set

    /// Reads the state of the passcode. The passcode itself is not needed.
    ///
    /// During a delay, the call may also store how much of the delay is left; see
    /// ``Throttle/wantsNote(at:by:)``.
    ///
    /// - Throws: ``PasscodeError`` when the record cannot be read.
    public func status() async throws(PasscodeError) -> PasscodeStatus {
        let now = clock.now
        // The change stores only how much of a delay is left. No reader has to read the record again for
        // that, so the change is not announced.
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
                format: record.askedFormat(configured: configuration.format),
                timeout: record.effectiveTimeout,
                usesBiometrics: record.biometrics != nil,
                lock: record.lock,
                standing: record.standing,
                algorithm: record.algorithm,
                isRecoverable: isRecoverable(record)
            )
            guard record.throttle.wantsNote(at: now, by: authority) else { return .keep(status) }
            record.throttle.note(at: now, by: authority)
            return .write(record, status)
        }
    }

    /// Checks whether a passcode may be set: its format, and under ``WeakPasscodePolicy/reject`` its
    /// strength.
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
    /// With an account, the passcode is sent to the account first. If the account cannot be reached or does
    /// not answer, the passcode is set on this device only. It is sent to the account when the person next
    /// enters it; see ``push(_:)``.
    ///
    /// - Parameter passcode: the passcode, in the configured format.
    /// - Returns: the proof with the new key.
    /// - Throws: ``PasscodeErrorCode/wrongFormat``, ``PasscodeErrorCode/easilyGuessed``;
    ///   ``PasscodeErrorCode/alreadySet``, also when another device has set a passcode;
    ///   ``PasscodeErrorCode/account`` when the account refuses; ``PasscodeErrorCode/sealer`` and
    ///   ``PasscodeErrorCode/store``. If an error is thrown, no passcode is set.
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

    /// Takes over the passcode of an app that stored a hash: SHA-256(passcode + salt text), in hexadecimal.
    ///
    /// Tries against the hash are throttled like every other try. When the right passcode is entered for the
    /// first time, a key is sealed under it and the hash is removed.
    ///
    /// - Parameters:
    ///   - hash: the hash that the other app stored. The salt has at most 1,024 bytes.
    ///   - format: the format of the other app's passcodes.
    /// - Throws: ``PasscodeErrorCode/alreadySet``; ``PasscodeErrorCode/invalidConfiguration`` for an
    ///   impossible format or hash; ``PasscodeErrorCode/sealer`` when the sealer cannot check the hash;
    ///   ``PasscodeErrorCode/store``. If an error is thrown, nothing is taken over.
    public func takeOver(
        _ hash: LegacyPasscodeHash,
        format: PasscodeFormat
    ) async throws(PasscodeError) {
        try await noting(.set) { () throws(PasscodeError) in
            try Self.check(hash, format)
            guard try await records.read() == nil else { throw Self.alreadySet }
            try await checkSupport(of: hash)
            try await create(newRecord(.legacy(hash), format))
        }
        note(.set)
    }

    private static func check(_ hash: LegacyPasscodeHash, _ format: PasscodeFormat) throws(PasscodeError) {
        guard format.isValid else { throw impossibleFormat }
        let digits = hash.hexDigest.utf8
        // As a character, a digit of another script would count as a hexadecimal digit, too.
        guard digits.count == 64, digits.allSatisfy({ Character(UnicodeScalar($0)).isHexDigit }) else {
            throw impossible("the digest does not have 64 hexadecimal digits")
        }
        guard hash.salt.utf8.count <= 1024 else { throw impossible("the salt has more than 1,024 bytes") }
    }

    private static let impossibleFormat = impossible("a passcode has 4 to 12 digits, or 4 to 64 characters")

    private static func impossible(_ message: String) -> PasscodeError {
        PasscodeError(code: .invalidConfiguration, message: message)
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

    /// Sets another timeout. The call does nothing when no passcode is set.
    ///
    /// With an account, the timeout is sent to the account first, in whole minutes.
    ///
    /// - Throws: ``PasscodeErrorCode/invalidConfiguration`` when the timeout is negative or longer than
    ///   ``LockTimeout/longest``; ``PasscodeError`` when the record cannot be read or written;
    ///   ``PasscodeErrorCode/account`` when the account did not accept the timeout. If an error is thrown,
    ///   the old timeout stays.
    public func setTimeout(_ timeout: LockTimeout) async throws(PasscodeError) {
        try await noting(.configure) { () throws(PasscodeError) in
            guard timeout.isValid else { throw PasscodeRecord.outOfRange }
            if let account, try await records.read()?.isSet == true {
                try await send(timeout, to: account)
            } else {
                try await edit { $0.timeout = timeout }
            }
        }
    }

    /// Sets another throttle policy. The count of failures and a running delay do not change.
    ///
    /// If the failures so far have reached the limit of the new policy, one more passcode may be tried. If
    /// this passcode is wrong, the action of the limit is carried out.
    ///
    /// The call does nothing when no passcode is set.
    ///
    /// - Throws: ``PasscodeError`` when the record cannot be read or written.
    public func setThrottle(_ policy: ThrottlePolicy) async throws(PasscodeError) {
        try await noting(.configure) { () throws(PasscodeError) in try await edit { $0.policy = policy } }
    }

    /// Stores the part of the lock's state that must outlive the process. The call does nothing when no
    /// passcode is set.
    func setLock(_ mark: LockMark) async throws(PasscodeError) {
        // The session makes this change itself. An announcement would only make the session read the record
        // again.
        // While a first passcode is still being sent, its record has no credential. The mark is not stored
        // then.
        try await edit(isAnnounced: false) { if $0.credential != .none { $0.lock = mark } }
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
