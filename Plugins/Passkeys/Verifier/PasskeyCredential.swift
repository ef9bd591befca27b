#if Passkeys
/// A passkey, as far as the site knows it. Nothing of it is secret.
public struct PasskeyCredential: Sendable, Hashable, Codable {
    /// The authenticator's name for it: 1 to 1,023 bytes.
    public let id: [UInt8]
    /// The public key that its signatures are checked with.
    public let key: CredentialKey
    /// How often it was used, as the authenticator counts; 0 where it does not count.
    public internal(set) var counter: UInt32
    /// Whether it may be copied to other devices of the person, as synchronised passkeys are. It never changes.
    public let isBackupEligible: Bool
    /// Whether there is such a copy now.
    public internal(set) var isBackedUp: Bool
    /// The authenticator's model; all zeros where it is not told.
    public let model: [UInt8]
}
#endif
