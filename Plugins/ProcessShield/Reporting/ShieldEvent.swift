public import PortcullisCore

/// Something that a person or a log may want to know of.
public enum ShieldEvent: Sendable {
    /// An app was to be started, and was denied it.
    case denied(AppToken)
    /// An app was started, and is stopped.
    case stopped(AppToken)
    /// Something went wrong that no call can report. What was shut stays so; it is tried again at the next start of a
    /// program or change of the shields.
    case problem(ShieldError)
}
