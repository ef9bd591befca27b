public import PortcullisCore

/// An error of a request to the goal lock.
///
/// A missing entitlement and a denied authorization are outcomes, not errors. While the state cannot be read,
/// only ``GoalLockService/release()`` lifts the shield. All other calls leave the shield as it is.
public typealias GoalError = CodedError<GoalErrorCode>

/// The codes of a ``GoalError``. Later versions may add more.
public struct GoalErrorCode: ErrorCode {
    /// The name of the code.
    public let name: String

    /// Makes a code with this name.
    public init(_ name: String) { self.name = name }

    /// The goal is zero, negative, infinite or not a number. Nothing changed.
    public static let invalidGoal = Self("invalidGoal")
    /// The progress is negative, infinite or not a number. Nothing changed.
    public static let invalidProgress = Self("invalidProgress")
    /// The day would start after 06:00. Nothing changed.
    public static let invalidDayStart = Self("invalidDayStart")
    /// The state cannot be understood. Shields stay as they are.
    public static let damagedRecord = Self("damagedRecord")
    /// A newer version wrote the state. Shields stay as they are.
    public static let newerRecord = Self("newerRecord")
    /// The stored text that names the guardian is not a valid user id, so ``GoalGate`` cannot ask for the
    /// guardian's passcode. Only a forced release, which needs no passcode, can then loosen the lock.
    public static let damagedGuardian = Self("damagedGuardian")
    /// The store failed; `cause` is its `SecretStoreError`.
    public static let store = Self("store")
    /// The shield could not be put up or lifted. The state has changed as requested, unless the state cannot
    /// be read. `cause` is the `ShieldError`.
    public static let shield = Self("shield")
    /// The call did not end within its time limit. Its work continues and may still succeed.
    public static let timedOut = Self("timedOut")
    /// The daily activity could not be started, but the state has changed as requested. `cause` is the
    /// `ActivitySchedulerError`.
    public static let scheduler = Self("scheduler")
    /// The notification could not be delivered. Its delivery is not tried again. `cause` is the
    /// `NotifierError`.
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

    /// Whether the state could not be read or stored. When the shield, the scheduler or the notifier fails,
    /// the state is already stored.
    var isAboutState: Bool { [.damagedRecord, .newerRecord, .store].contains(code) }

    /// Whether the state is stored as requested, and a launched lock repeats the rest by itself.
    var isRepeated: Bool { [.shield, .scheduler].contains(code) }

    /// Whether a state is stored that this version cannot understand. Reading the state again does not help.
    var isAboutDamage: Bool {
        switch code {
        case .damagedRecord, .newerRecord: true
        case .store: (cause as? SecretStoreError)?.code.portable == .damaged
        default: false
        }
    }

    /// Whether the state cannot be read now and will not become readable by itself.
    var isLasting: Bool {
        let lasting: Set<SecretStoreError.Code> = [
            .wrongKey, .rolledBack, .newerFormat, .notPermitted, .unavailable,
        ]
        guard !isAboutDamage, let cause = cause as? SecretStoreError else { return isAboutDamage }
        return lasting.contains(cause.code.portable)
    }
}
