#if Passkeys
internal import Crypto

/// The browser's response after it made a passkey.
public struct PasskeyRegistration: Sendable, Hashable {
    /// The credential's id as the browser gives it (`rawId`).
    public var credentialID: [UInt8]
    /// The unchanged bytes of `response.clientDataJSON`.
    public var clientDataJSON: [UInt8]
    /// The unchanged bytes of `response.attestationObject`.
    public var attestationObject: [UInt8]
    /// Whether the passkey has the PRF extension: `getClientExtensionResults().prf.enabled`; `nil` if the
    /// browser does not say.
    public var hasPRF: Bool?

    /// Makes a response from its parts.
    public init(credentialID: [UInt8], clientDataJSON: [UInt8], attestationObject: [UInt8], hasPRF: Bool?) {
        (self.credentialID, self.clientDataJSON) = (credentialID, clientDataJSON)
        (self.attestationObject, self.hasPRF) = (attestationObject, hasPRF)
    }
}

extension RelyingParty {
    /// Verifies that a passkey was made (Web Authentication Level 3, section 7.1).
    ///
    /// The attestation's format has to be `none`, or `packed` with the credential's own signature. An
    /// attestation is never accepted as proof of the authenticator's maker or model.
    ///
    /// - Parameters:
    ///   - response: the browser's response.
    ///   - challenge: the bytes that the site gave out. The caller must already have spent the challenge,
    ///     with ``OpenChallenge``.
    /// - Returns: the passkey.
    /// - Throws: ``WebAuthnError`` with the reason as its code.
    public func verify(
        _ response: PasskeyRegistration,
        challenge: [UInt8]
    ) throws(WebAuthnError) -> PasskeyCredential {
        try check(response.clientDataJSON, of: .registration, challenge: challenge)
        let (format, statement, encoded) = try Self.attestation(response.attestationObject)
        let data = try AuthenticatorData(encoded)
        try check(data, of: .registration)
        guard let made = data.credential else {
            throw WebAuthnError(.inconsistentFlags, "no credential was made")
        }
        guard made.id == response.credentialID else {
            throw WebAuthnError(
                .wrongCredential,
                "the browser and the authenticator name different credentials"
            )
        }
        let signed = encoded + SHA256.hash(data: response.clientDataJSON)
        switch format {
        case "none":
            guard statement.isEmpty else {
                throw WebAuthnError(.malformedAttestation, "no attestation says something")
            }
        case "packed": try Self.checkPacked(statement, made.key, signed)
        default:
            throw WebAuthnError(
                .unsupportedAttestation,
                "the attestation has a format that was not asked for"
            )
        }
        return PasskeyCredential(
            id: made.id,
            key: made.key,
            counter: data.counter,
            isBackupEligible: data.flags.contains(.backupEligible),
            isBackedUp: data.flags.contains(.backedUp),
            model: made.aaguid
        )
    }

    /// Decodes an attestation object into its three members.
    private static func attestation(
        _ object: [UInt8]
    ) throws(WebAuthnError) -> (format: String, statement: [CBORValue.Key: CBORValue], data: [UInt8]) {
        let value: CBORValue
        do throws(CBORMistake) { value = try CBORReader.value(of: object[...]) } catch {
            throw WebAuthnError(.malformedAttestation, "the attestation object is no CBOR", cause: error)
        }
        guard let members = value.map, members.count == 3, let format = members[.text("fmt")]?.text,
            let statement = members[.text("attStmt")]?.map, let data = members[.text("authData")]?.bytes
        else {
            throw WebAuthnError(.malformedAttestation, "the attestation object has other members")
        }
        return (format, statement, data)
    }

    /// Checks an attestation that the credential itself signed (Web Authentication Level 3, section 8.2).
    private static func checkPacked(
        _ statement: [CBORValue.Key: CBORValue],
        _ key: CredentialKey,
        _ signed: [UInt8]
    ) throws(WebAuthnError) {
        guard statement[.text("x5c")] == nil else {
            throw WebAuthnError(
                .unsupportedAttestation,
                "the attestation is a maker's, which was not asked for"
            )
        }
        guard statement.count == 2, let algorithm = statement[.text("alg")]?.integer,
            let signature = statement[.text("sig")]?.bytes
        else { throw WebAuthnError(.malformedAttestation, "the attestation has other members") }
        guard algorithm == key.algorithm.rawValue, key.isValid(signature, of: signed) else {
            throw WebAuthnError(.badAttestation, "the attestation is not the credential's")
        }
    }
}
#endif
