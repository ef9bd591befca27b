#if Passkeys
internal import AdapterKit
internal import PortcullisCore

extension PasskeyAuthenticator {
    /// Makes a passkey, uses it once, and stores the key, encrypted under the passkey's PRF output.
    ///
    /// A device that already has a passkey for this key gets no second passkey.
    ///
    /// Many authenticators give no output when they make a passkey. Some browsers promise an output and then
    /// give none. So the passkey is stored only after its first use has given an output.
    ///
    /// - Parameter session: the session and generation in which the call began.
    func enrollPasskey(
        _ key: SecretBytes,
        for user: UserID,
        in session: PasskeySession
    ) async throws(BiometricError) {
        guard desk.isAvailable else {
            throw BiometricError(code: .notAvailable, message: "the browser cannot use passkeys")
        }
        let (item, mark) = (PasskeyRecord.item(of: user, in: store), KeyWrap.mark(of: key))
        let same = try await item.read()?.value.passkeys.filter { $0.keyMark == mark } ?? []
        let handle = randomBytes()
        guard let made = try await make(for: user, handle, in: session, excluding: same.map(\.credential.id))
        else {
            // The page reports that the device already has a passkey for this key. During the prompt, another
            // session may have removed that passkey from the record. So the record is read again.
            let left = try await item.read()?.value.passkeys ?? []
            guard left.contains(where: { $0.keyMark == mark }) else {
                throw Self.ended("the device's passkey was dropped meanwhile")
            }
            return
        }
        let (salt, unused) = (randomBytes(), randomBytes())
        let (used, outputs) = try await use(made, salt: salt, unused: unused, for: user, handle, in: session)
        let wrap: KeyWrap
        do {
            wrap = try KeyWrap(key, under: outputs.first, salt: salt, owner: owner(of: used.id))
        } catch {
            throw BiometricError(code: .systemFailure, message: "the key cannot be wrapped", cause: error)
        }
        let passkey = KeptPasskey(
            credential: used,
            userHandle: handle,
            keyMark: mark,
            wrap: wrap
        )
        _ = try await item.update { found throws(BiometricError) in
            var record = found ?? PasskeyRecord()
            record.add(passkey)
            return .write(record, ())
        }
    }

    /// Asks the browser to make a passkey, and verifies the response.
    ///
    /// - Returns: the passkey; `nil` if the page says that the device already has an excluded passkey.
    private func make(
        for user: UserID,
        _ handle: [UInt8],
        in session: PasskeySession,
        excluding ids: [[UInt8]]
    ) async throws(BiometricError) -> PasskeyCredential? {
        let request = PasskeyPrompt.Request.create(
            userHandle: handle,
            accountName: accountName(of: user),
            excluding: ids
        )
        let ending = await ask(request, of: user, in: session, reason: texts.enrolment, fallbackTitle: nil)
        let (answer, challenge) = try answer(of: ending)
        if case .alreadyThere = answer { return nil }
        guard case .created(let response) = answer else { throw Self.ended("no passkey was made") }
        let made = try verified { () throws(WebAuthnError) in
            try site.verify(response, challenge: challenge.bytes)
        }
        // If the browser reports that the passkey lacks the PRF extension, no use of the passkey gives an
        // output. So the enrolment ends here.
        if response.hasPRF == false { throw Self.withoutPRF }
        return made
    }

    private func use(
        _ made: PasskeyCredential,
        salt: [UInt8],
        unused: [UInt8],
        for user: UserID,
        _ handle: [UInt8],
        in session: PasskeySession
    ) async throws(BiometricError) -> (PasskeyCredential, PasskeyOutputs) {
        let request = PasskeyPrompt.Request.use([.init(id: made.id, salt: salt)], freshSalt: unused)
        let ending = await ask(request, of: user, in: session, reason: texts.enrolment, fallbackTitle: nil)
        guard case (.used(let response, let outputs), let challenge) = try answer(of: ending) else {
            throw Self.ended("the passkey was made and not used")
        }
        let used = try verified { () throws(WebAuthnError) in
            try site.verify(response, challenge: challenge.bytes, credential: made, userHandle: handle)
        }
        guard let outputs, outputs.areUsable else { throw Self.withoutPRF }
        return (used, outputs)
    }

    private func answer(
        of ending: PromptDesk.Ending
    ) throws(BiometricError) -> (PasskeyAnswer, PasskeyChallenge) {
        switch ending {
        case .answered(let answer, let challenge): return (answer, challenge)
        case .refused(let error): throw Self.refused(error)
        case .ended(let canceller): throw Self.ended("the prompt was taken away by the \(canceller)")
        case .notAvailable:
            throw BiometricError(code: .notAvailable, message: "the browser cannot use passkeys")
        }
    }

    private func verified<Value>(_ verify: () throws(WebAuthnError) -> Value) throws(BiometricError) -> Value
    {
        do throws(WebAuthnError) { return try verify() } catch { throw Self.refused(error) }
    }

    private static func refused(_ error: WebAuthnError) -> BiometricError {
        BiometricError(code: .passkeyRefused, message: "the browser's response was refused", cause: error)
    }

    private static func ended(_ what: String) -> BiometricError {
        BiometricError(code: .passkeyPromptEnded, message: what)
    }

    private static var withoutPRF: BiometricError {
        BiometricError(
            code: .passkeyWithoutPRF,
            message: "the passkey's device or browser lacks the PRF extension, and so cannot keep a key"
        )
    }
}

extension PasskeyOutputs {
    /// Whether both outputs are usable. Each output must have the length that the extension defines. The two
    /// outputs must differ, because their salts differ.
    var areUsable: Bool {
        first.count == KeyWrap.length && second.count == KeyWrap.length && !first.matches(second)
    }
}
#endif
