/// The absence after which the app locks.
public enum LockTimeout: Sendable, Hashable, Codable {
    /// The app locks after an absence of this length or longer. With zero, the app locks on every return
    /// from the background.
    case after(Duration)
    /// The app never locks because of an absence.
    case never

    /// The app locks on every return.
    public static let immediately = LockTimeout.after(.zero)
    /// The preset for a passcode that is used on this device only: 5 seconds.
    public static let devicePreset = LockTimeout.after(.seconds(5))
    /// The preset for a passcode with an account: 15 minutes.
    public static let accountPreset = LockTimeout.after(.seconds(15 * 60))

    /// The longest timeout that can be stored: 100 years of 365 days. A passcode's record cannot hold a
    /// longer timeout or a negative one.
    public static let longest = Duration.seconds(100 * 365 * 86_400)

    /// The timeouts that the settings offer.
    public static let choices: [LockTimeout] = [
        .immediately, .after(.seconds(5)), .after(.seconds(60)), .after(.seconds(5 * 60)),
        .after(.seconds(15 * 60)), .after(.seconds(3600)), .never,
    ]

    /// Whether a passcode's record can hold the timeout.
    var isValid: Bool {
        switch self {
        case .never: true
        case .after(let limit): (.zero...Self.longest).contains(limit)
        }
    }

    /// Whether an absence is long enough to lock.
    ///
    /// - Parameter absence: the length of the absence; `nil`: it is unknown. An unknown absence counts as
    ///   long enough for every timeout except ``never``.
    public func isReached(by absence: Duration?) -> Bool {
        switch self {
        case .never: false
        case .after(let limit): absence.map { $0 >= limit } ?? true
        }
    }
}
