public import PortcullisCore

/// Why the goal lock could not do what it was asked.
///
/// A missing entitlement and a denied authorization are outcomes, not errors. While the state cannot be read the
/// shields stay as they are; the way out is ``GoalLockService/release()``.
public typealias GoalError = CodedError<GoalErrorCode>

/// The kinds of a ``GoalError``, open for more.
public struct GoalErrorCode: ErrorCode {
    /// The code's name.
    public let name: String

    /// A code of this name.
    public init(_ name: String) { self.name = name }

    /// The goal is not a number above zero; nothing changed.
    public static let invalidGoal = Self("invalidGoal")
    /// The progress is not a number of zero or more; nothing changed.
    public static let invalidProgress = Self("invalidProgress")
    /// The day would start later than 06:00; nothing changed.
    public static let invalidDayStart = Self("invalidDayStart")
    /// The state cannot be understood; shields stay as they are.
    public static let damagedRecord = Self("damagedRecord")
    /// The state was written by a newer version; shields stay as they are.
    public static let newerRecord = Self("newerRecord")
    /// The note of whose passcode guards the lock names no user; the ways out stay shut but for the one by force.
    public static let damagedGuardian = Self("damagedGuardian")
    /// The store failed; `cause` is its `SecretStoreError`.
    public static let store = Self("store")
    /// Shields could not be put up or taken down, but the state is as asked; `cause` is the
    /// `ShieldError`.
    public static let shield = Self("shield")
    /// The daily activity could not be started, but the state is as asked; `cause` is the
    /// `ActivitySchedulerError`.
    public static let scheduler = Self("scheduler")
    /// The notification could not be delivered and will not be; `cause` is the `NotifierError`.
    public static let notifier = Self("notifier")
}

extension CodedError where Kind == GoalErrorCode {
    init(_ error: SecretStoreError) {
        self.init(code: .store, message: error.message, cause: error)
    }

    init(_ error: ShieldError) {
        self.init(code: .shield, message: error.message, cause: error)
    }

    init(_ error: ActivitySchedulerError) {
        self.init(code: .scheduler, message: error.message, cause: error)
    }

    init(_ error: NotifierError) {
        self.init(code: .notifier, message: error.message, cause: error)
    }

    /// Whether the state is there and cannot be understood, and will not be later either.
    var isAboutDamage: Bool {
        switch code {
        case .damagedRecord, .newerRecord: true
        case .store: (cause as? SecretStoreError)?.code.portable == .damaged
        default: false
        }
    }

    /// Whether the state cannot be read, and waiting will not help.
    var isLasting: Bool {
        let lasting: Set<SecretStoreError.Code> = [
            .wrongKey, .rolledBack, .newerFormat, .notPermitted, .unavailable,
        ]
        guard !isAboutDamage, let cause = cause as? SecretStoreError else { return isAboutDamage }
        return lasting.contains(cause.code.portable)
    }
}
