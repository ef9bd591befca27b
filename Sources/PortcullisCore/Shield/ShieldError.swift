/// Why a ``ShieldController`` could not do what it was asked.
public struct ShieldError: Error, Sendable, CustomStringConvertible {
    /// The kinds of failure, open for more.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        private enum Kind: String, Hashable, Sendable {
            case notAuthorized, stateUnreadable, unavailable, systemFailure
        }
        private let kind: Kind
        private init(_ kind: Kind) { self.kind = kind }

        /// The right to shield is missing or was taken away.
        public static let notAuthorized = Code(.notAuthorized)
        /// What the controller remembers of its shields cannot be read or written; what is in force stays.
        public static let stateUnreadable = Code(.stateUnreadable)
        /// No shield controller was configured.
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
    /// What it was caused by, where there is something more to tell.
    public let cause: (any Error)?

    /// An error of this kind.
    public init(code: Code, message: String, cause: (any Error)? = nil) {
        self.code = code
        self.message = message
        self.cause = cause
    }

    /// Code, message and cause on one line.
    public var description: String {
        let text = "\(code): \(message)"
        return cause.map { "\(text) (\($0))" } ?? text
    }
}
