public import PortcullisCore

/// The way to open a passcode's key after the chip has counted the limit of wrong passcodes.
public enum TPMRecovery: Sendable {
    /// None. The way out is to log out, and all that only the key opens is lost.
    case none
    /// A passphrase; see ``/PortcullisCore/RecoveryPassphrase``.
    case passphrase(SecretBytes)
}
