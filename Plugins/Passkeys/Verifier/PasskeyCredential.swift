#if Passkeys
/// The public data of a passkey, which the site stores. None of the data is secret.
public struct PasskeyCredential: Sendable, Hashable, Codable {
    /// The credential's id, which the authenticator chose: 1 to 1,023 bytes.
    public let id: [UInt8]
    /// The public key that verifies the passkey's signatures.
    public let key: CredentialKey
    /// The authenticator's signature counter at the last use; 0 if the authenticator does not count.
    public internal(set) var counter: UInt32
    /// Whether the passkey may be copied to other devices of the person, as synchronised passkeys are. The
    /// value never changes.
    public let isBackupEligible: Bool
    /// Whether a copy of the passkey outside its device existed at the last use.
    public internal(set) var isBackedUp: Bool
    /// The id of the authenticator's model (AAGUID); all zeros if the authenticator does not give it.
    public let model: [UInt8]
}
#endif
