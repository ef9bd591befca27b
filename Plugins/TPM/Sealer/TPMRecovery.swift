public import PortcullisCore

/// What opens a passcode's key when the chip has counted as many wrong passcodes as it takes.
public enum TPMRecovery: Sendable {
    /// Nothing: the way out is to log out, and what only the key opens is lost.
    case none
    /// A passphrase; see ``/PortcullisCore/RecoveryPassphrase``.
    case passphrase(SecretBytes)
}
