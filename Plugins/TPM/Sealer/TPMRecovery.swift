public import PortcullisCore

/// The way to open a passcode's key after the number of wrong passcodes has reached the chip's limit.
public enum TPMRecovery: Sendable {
    /// No recovery. The person can only log out. All data that only the key opens is then lost.
    case none
    /// A passphrase; see ``/PortcullisCore/RecoveryPassphrase``.
    case passphrase(SecretBytes)
}
