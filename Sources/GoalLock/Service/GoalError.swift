internal import PortcullisCore

/// Why the goal lock could not do what it was asked.
///
/// A missing entitlement and a denied authorization are outcomes, not errors. While the state cannot be read the
/// shields stay as they are; the way out is ``GoalLockService/release()``.
public struct GoalError: Error, Sendable, CustomStringConvertible {
    /// The kinds of failure, open for more.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        private enum Kind: String, Hashable, Sendable {
            case invalidGoal, invalidProgress, invalidDayStart, damagedRecord, newerRecord
            case store, shield, scheduler, notifier
        }
        private let kind: Kind
        private init(_ kind: Kind) { self.kind = kind }

        /// The goal is not a number above zero; nothing changed.
        public static let invalidGoal = Code(.invalidGoal)
        /// The progress is not a number of zero or more; nothing changed.
        public static let invalidProgress = Code(.invalidProgress)
        /// The day would start later than 06:00; nothing changed.
        public static let invalidDayStart = Code(.invalidDayStart)
        /// The state cannot be understood; shields stay as they are.
        public static let damagedRecord = Code(.damagedRecord)
        /// The state was written by a newer version; shields stay as they are.
        public static let newerRecord = Code(.newerRecord)
        /// The store failed; ``GoalError/cause`` is its `SecretStoreError`.
        public static let store = Code(.store)
        /// Shields could not be put up or taken down, but the state is as asked; ``GoalError/cause`` is the
        /// `ShieldError`.
        public static let shield = Code(.shield)
        /// The daily activity could not be started, but the state is as asked; ``GoalError/cause`` is the
        /// `ActivitySchedulerError`.
        public static let scheduler = Code(.scheduler)
        /// The notification could not be delivered and will not be; ``GoalError/cause`` is the `NotifierError`.
        public static let notifier = Code(.notifier)

        /// The name of the code.
        public var description: String { kind.rawValue }
    }

    /// What kind of failure.
    public let code: Code
    /// One sentence for people.
    public let message: String
    /// What it was caused by.
    public let cause: (any Error)?

    /// An error of this kind.
    public init(code: Code, message: String, cause: (any Error)? = nil) {
        self.code = code
        self.message = message
        self.cause = cause
    }

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
        case .store: (cause as? SecretStoreError)?.code == .damaged
        default: false
        }
    }

    /// Whether the state cannot be read, and waiting will not help.
    var isLasting: Bool {
        let lasting: Set<SecretStoreError.Code> = [
            .wrongKey, .keyMissing, .rolledBack, .newerFormat, .notPermitted, .untrustedFile, .missingStore,
        ]
        return isAboutDamage || (cause as? SecretStoreError).map { lasting.contains($0.code) } ?? false
    }

    /// Code, message and cause on one line.
    public var description: String {
        cause.map { "\(code): \(message) (\($0))" } ?? "\(code): \(message)"
    }
}
