#if Passkeys
internal import Crypto

/// What the browser gives after a passkey was used, outputs of the PRF extension apart.
public struct PasskeyAssertion: Sendable, Hashable {
    /// The credential's id, as the browser tells it (`rawId`).
    public var credentialID: [UInt8]
    /// `response.clientDataJSON`, as it is.
    public var clientDataJSON: [UInt8]
    /// `response.authenticatorData`, as it is.
    public var authenticatorData: [UInt8]
    /// `response.signature`, as it is.
    public var signature: [UInt8]
    /// `response.userHandle`; `nil` where the authenticator tells none.
    public var userHandle: [UInt8]?

    /// A response of these parts.
    public init(
        credentialID: [UInt8],
        clientDataJSON: [UInt8],
        authenticatorData: [UInt8],
        signature: [UInt8],
        userHandle: [UInt8]?
    ) {
        (self.credentialID, self.clientDataJSON) = (credentialID, clientDataJSON)
        (self.authenticatorData, self.signature) = (authenticatorData, signature)
        self.userHandle = userHandle
    }
}

extension RelyingParty {
    /// Verifies that a passkey was used (Web Authentication Level 3, section 7.2).
    ///
    /// The signature is looked at before the counter, so that only the authenticator itself can move the counter.
    ///
    /// - Parameters:
    ///   - response: the browser's.
    ///   - challenge: the bytes that were given out, which the caller has spent (``OpenChallenge``).
    ///   - credential: the passkey that the response names, as it was kept.
    ///   - userHandle: the handle that the passkey was made with; `nil`: it is not compared.
    /// - Returns: the passkey with its new counter, which the caller keeps.
    /// - Throws: ``WebAuthnError`` with what is wrong. A counter that is not greater than the one before is
    ///   ``WebAuthnErrorCode/counterWentBack``, unless both are 0.
    public func verify(
        _ response: PasskeyAssertion,
        challenge: [UInt8],
        credential: PasskeyCredential,
        userHandle: [UInt8]? = nil
    ) throws(WebAuthnError) -> PasskeyCredential {
        guard response.credentialID == credential.id else {
            throw WebAuthnError(.wrongCredential, "the response is of another credential")
        }
        if let userHandle, let told = response.userHandle, told != userHandle {
            throw WebAuthnError(.wrongUser, "the credential is another user's")
        }
        try check(response.clientDataJSON, of: .authentication, challenge: challenge)
        let data = try AuthenticatorData(response.authenticatorData)
        try check(data, of: .authentication)
        guard data.flags.contains(.backupEligible) == credential.isBackupEligible else {
            throw WebAuthnError(.inconsistentFlags, "whether the credential can be backed up has changed")
        }
        let signed = response.authenticatorData + SHA256.hash(data: response.clientDataJSON)
        guard credential.key.isValid(response.signature, of: signed) else {
            throw WebAuthnError(.badSignature, "the signature does not fit")
        }
        guard data.counter > credential.counter || (data.counter == 0 && credential.counter == 0) else {
            throw WebAuthnError(
                .counterWentBack,
                "the credential's counter went back: there may be a copy of it"
            )
        }
        var used = credential
        used.counter = data.counter
        used.isBackedUp = data.flags.contains(.backedUp)
        return used
    }
}
#endif
