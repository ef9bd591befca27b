public import PortcullisCore

/// An event that a ``ProcessShield`` reports, for a person or for a log.
public enum ShieldEvent: Sendable {
    /// The gate denied the start of an app.
    case denied(AppToken)
    /// An app was started and then stopped.
    case stopped(AppToken)
    /// A problem that no method throws as an error. Stopped processes stay stopped. The shield tries again at
    /// the next change of the shields, and while a shield is up also at the next start of a program.
    case problem(ShieldError)
}
