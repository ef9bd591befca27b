#if Passkeys
internal import Crypto

/// The browser's response after a passkey was used, without the outputs of the PRF extension.
public struct PasskeyAssertion: Sendable, Hashable {
    /// The credential's id as the browser gives it (`rawId`).
    public var credentialID: [UInt8]
    /// The unchanged bytes of `response.clientDataJSON`.
    public var clientDataJSON: [UInt8]
    /// The unchanged bytes of `response.authenticatorData`.
    public var authenticatorData: [UInt8]
    /// The unchanged bytes of `response.signature`.
    public var signature: [UInt8]
    /// The bytes of `response.userHandle`; `nil` if the authenticator gives none.
    public var userHandle: [UInt8]?

    /// Makes a response from its parts.
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
    /// The signature is checked before the counter is compared. So only the authenticator itself can change
    /// the stored counter.
    ///
    /// - Parameters:
    ///   - response: the browser's response.
    ///   - challenge: the bytes that the site gave out. The caller must already have spent the challenge,
    ///     with ``OpenChallenge``.
    ///   - credential: the stored passkey that the response names.
    ///   - userHandle: the handle that the passkey was made with. The handles are not compared if this value
    ///     is `nil` or the response has no handle.
    /// - Returns: the passkey with its new counter. The caller stores it.
    /// - Throws: ``WebAuthnError`` with the reason as its code. The code is
    ///   ``WebAuthnErrorCode/counterWentBack`` if the response's counter is not greater than the stored
    ///   counter, and at least one of the two counters is not 0.
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
