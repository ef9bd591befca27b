/// Why an ``ActivityScheduler`` refused.
public struct ActivitySchedulerError: Error, Sendable, CustomStringConvertible {
    /// The kinds of failure, open for more.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        private enum Kind: String, Hashable, Sendable { case invalidSchedule, unavailable, systemFailure }
        private let kind: Kind
        private init(_ kind: Kind) { self.kind = kind }

        /// The schedule can never take place, or breaks the rules.
        public static let invalidSchedule = Code(.invalidSchedule)
        /// No scheduler was configured.
        public static let unavailable = Code(.unavailable)
        /// The platform failed; the message says how.
        public static let systemFailure = Code(.systemFailure)

        /// The name of the code.
        public var description: String { kind.rawValue }
    }

    /// What kind of failure.
    public let code: Code
    /// One sentence for people.
    public let message: String

    /// An error of this kind.
    public init(code: Code, message: String) {
        self.code = code
        self.message = message
    }

    /// Code and message on one line.
    public var description: String { "\(code): \(message)" }
}
