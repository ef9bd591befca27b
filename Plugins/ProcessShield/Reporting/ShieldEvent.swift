public import PortcullisCore

/// An event for a person or a log.
public enum ShieldEvent: Sendable {
    /// The gate denied the start of an app.
    case denied(AppToken)
    /// An app was started and then stopped.
    case stopped(AppToken)
    /// A problem that no call can report. Stopped processes stay stopped. The shield tries again at the next start of a
    /// program or change of the shields.
    case problem(ShieldError)
}
