/// Why a ``CronScheduler`` refused a job, or what it met while running.
public struct CronSchedulerError: Error, Sendable, CustomStringConvertible {
    /// The kinds of failure, open for more.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        private enum Kind: String, Hashable, Sendable {
            case neverFires, unknownZone, invalidJob, journal, shutDown
        }
        private let kind: Kind
        private init(_ kind: Kind) { self.kind = kind }

        /// The expression has no time left at which it fires.
        public static let neverFires = Code(.neverFires)
        /// There is no time zone of that name.
        public static let unknownZone = Code(.unknownZone)
        /// A number of the job is out of range: a negative grace, jitter or limit.
        public static let invalidJob = Code(.invalidJob)
        /// The journal could not be read or written; the cause says why.
        public static let journal = Code(.journal)
        /// The scheduler was shut down.
        public static let shutDown = Code(.shutDown)

        /// The name of the code.
        public var description: String { kind.rawValue }
    }

    /// What kind of failure.
    public let code: Code
    /// One sentence for people.
    public let message: String
    /// The error behind it.
    public let cause: (any Error)?

    /// An error of this kind.
    public init(code: Code, message: String, cause: (any Error)? = nil) {
        self.code = code
        self.message = message
        self.cause = cause
    }

    /// Code and message on one line.
    public var description: String { "\(code): \(message)" }
}
