#if Passkeys
internal import Crypto

/// The authenticator data: an authenticator's signed statement about a ceremony (Web Authentication Level 3,
/// section 6.1).
struct AuthenticatorData: Sendable, Hashable {
    /// The flags of the authenticator data. The bits that are reserved for later use are ignored.
    struct Flags: OptionSet, Sendable, Hashable {
        let rawValue: UInt8

        static let userPresent = Flags(rawValue: 1 << 0)
        static let userVerified = Flags(rawValue: 1 << 2)
        static let backupEligible = Flags(rawValue: 1 << 3)
        static let backedUp = Flags(rawValue: 1 << 4)
        static let attestedCredential = Flags(rawValue: 1 << 6)
        static let extensions = Flags(rawValue: 1 << 7)
    }

    /// The new credential in a registration's authenticator data.
    struct AttestedCredential: Sendable, Hashable {
        let aaguid: [UInt8]
        let id: [UInt8]
        let key: CredentialKey
    }

    let relyingPartyHash: [UInt8]
    let flags: Flags
    let counter: UInt32
    let credential: AttestedCredential?

    /// Decodes the authenticator data. Bytes after its last part are an error.
    init(_ bytes: [UInt8]) throws(WebAuthnError) {
        guard (37...CBORReader.Limits.bytes).contains(bytes.count) else {
            throw Self.malformed("has a wrong length")
        }
        relyingPartyHash = Array(bytes[..<32])
        flags = Flags(rawValue: bytes[32])
        counter = bytes[33..<37].reduce(0) { $0 << 8 | UInt32($1) }
        var rest = bytes[37...]
        credential = flags.contains(.attestedCredential) ? try Self.credential(&rest) : nil
        if flags.contains(.extensions) {
            guard try Self.cbor(&rest, "extensions").map != nil else {
                throw Self.malformed("has extensions that are no map")
            }
        }
        guard rest.isEmpty else { throw Self.malformed("is longer than its flags say") }
    }

    private static func credential(_ rest: inout ArraySlice<UInt8>) throws(WebAuthnError)
        -> AttestedCredential
    {
        guard rest.count >= 18 else { throw malformed("ends within the credential") }
        let aaguid = Array(rest.prefix(16))
        let length = rest.dropFirst(16).prefix(2).reduce(0) { $0 << 8 | Int($1) }
        rest = rest.dropFirst(18)
        guard (1...1_023).contains(length), rest.count >= length else {
            throw malformed("has a credential's id of a wrong length")
        }
        let id = Array(rest.prefix(length))
        rest = rest.dropFirst(length)
        let encoded = rest
        let members = try cbor(&rest, "credential's key")
        let key = try CredentialKey(members, encoded: Array(encoded[..<rest.startIndex]))
        return AttestedCredential(aaguid: aaguid, id: id, key: key)
    }

    /// Decodes the CBOR value at the start of `rest`, and removes the value's bytes from `rest`.
    private static func cbor(
        _ rest: inout ArraySlice<UInt8>,
        _ what: String
    ) throws(WebAuthnError) -> CBORValue {
        do throws(CBORMistake) {
            var reader = try CBORReader(rest)
            let value = try reader.value()
            rest = rest[reader.position...]
            return value
        } catch {
            throw WebAuthnError(
                .malformedAuthenticatorData,
                "the authenticator data has a \(what) that is no CBOR",
                cause: error
            )
        }
    }

    private static func malformed(_ what: String) -> WebAuthnError {
        WebAuthnError(.malformedAuthenticatorData, "the authenticator data \(what)")
    }
}

extension RelyingParty {
    /// Checks that the authenticator data names this site, and that its flags fit the ceremony.
    func check(_ data: AuthenticatorData, of ceremony: PasskeyCeremony) throws(WebAuthnError) {
        guard data.relyingPartyHash == Array(SHA256.hash(data: Array(id.utf8))) else {
            throw WebAuthnError(.wrongRelyingParty, "the authenticator data is for another site")
        }
        guard data.flags.contains(.userPresent) else {
            throw WebAuthnError(.userNotPresent, "the authenticator saw no person")
        }
        guard data.flags.contains(.userVerified) || !needsUserVerification else {
            throw WebAuthnError(.userNotVerified, "the authenticator did not verify the person")
        }
        guard data.flags.contains(.backupEligible) || !data.flags.contains(.backedUp) else {
            throw WebAuthnError(.inconsistentFlags, "the credential is backed up and cannot be")
        }
        guard data.flags.contains(.attestedCredential) == (ceremony == .registration) else {
            throw WebAuthnError(
                .inconsistentFlags,
                ceremony == .registration ? "no credential was made" : "a credential was made"
            )
        }
    }
}
#endif
