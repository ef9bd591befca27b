/// Why a ``PasscodeAccount`` could not do what it was asked.
///
/// Only ``Code/outcomeUnknown`` leaves open whether it was done; all others mean that it was not.
public struct PasscodeAccountError: Error, Sendable, CustomStringConvertible {
    /// The kinds of failure, open for more.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        private enum Kind: String, Hashable, Sendable {
            case unreachable, outcomeUnknown, notSignedIn, conflict, throttled, serverFailure, refused
            case invalidAnswer, cancelled, unavailable
        }
        private let kind: Kind
        private init(_ kind: Kind) { self.kind = kind }

        /// The server could not be reached: certainly nothing was carried out.
        public static let unreachable = Code(.unreachable)
        /// The request was sent and no answer came: it may have been carried out.
        public static let outcomeUnknown = Code(.outcomeUnknown)
        /// The session has ended or was ended elsewhere (HTTP 401): the person has to sign in again.
        public static let notSignedIn = Code(.notSignedIn)
        /// The account is in another state than the request assumed (HTTP 409): ask for the status.
        public static let conflict = Code(.conflict)
        /// Too many requests or wrong passcodes (HTTP 429); ``PasscodeAccountError/retryAfter`` says how long to wait.
        public static let throttled = Code(.throttled)
        /// The server failed (HTTP 5xx) and carried nothing out; ``PasscodeAccountError/retryAfter`` where it told.
        public static let serverFailure = Code(.serverFailure)
        /// The server does not do this (any other HTTP 4xx); the message is the server's.
        public static let refused = Code(.refused)
        /// What answers ``PasscodeAccount/status()`` cannot be understood.
        ///
        /// An answer to an act that cannot be understood is ``outcomeUnknown``.
        public static let invalidAnswer = Code(.invalidAnswer)
        /// The task was cancelled before anything was sent.
        public static let cancelled = Code(.cancelled)
        /// There is no account here.
        public static let unavailable = Code(.unavailable)

        /// The name of the code.
        public var description: String { kind.rawValue }
    }

    /// What kind of failure.
    public let code: Code
    /// One sentence for people; never a passcode, a code or a token.
    public let message: String
    /// How long to wait before the next try, with ``Code/throttled``, and with ``Code/serverFailure`` where it is known.
    public let retryAfter: Duration?
    /// What it was caused by, where there is something more to tell.
    public let cause: (any Error)?

    /// An error of this kind.
    public init(code: Code, message: String, retryAfter: Duration? = nil, cause: (any Error)? = nil) {
        self.code = code
        self.message = message
        self.retryAfter = retryAfter
        self.cause = cause
    }

    /// Code, message, wait and cause on one line.
    public var description: String {
        var text = "\(code): \(message)"
        if let retryAfter { text += " [again in \(retryAfter)]" }
        if let cause { text += " (\(cause))" }
        return text
    }
}
