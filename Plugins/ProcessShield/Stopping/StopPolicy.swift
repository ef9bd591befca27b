/// How a shield treats an app that runs when the shield goes up.
public enum StopPolicy: String, Hashable, Sendable, Codable {
    /// The app is stopped where it is, and continues when its last shield is taken down.
    case freeze
    /// The app is asked to end (SIGTERM). If it still runs after the grace period, it is stopped as with
    /// ``freeze``.
    case terminate
    /// The app is left running, and only its next start is denied. If starts cannot be denied, the app is not
    /// shielded, and its state in the coverage is `refused`.
    case leave
}
