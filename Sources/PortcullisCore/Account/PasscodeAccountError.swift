/// Why a ``PasscodeAccount`` could not do a requested act.
///
/// With ``PasscodeAccountErrorCode/outcomeUnknown`` the act may have been carried out. All other codes mean
/// that it was not.
public typealias PasscodeAccountError = CodedError<PasscodeAccountErrorCode>

/// The codes of a ``PasscodeAccountError``. An adapter can add its own.
public struct PasscodeAccountErrorCode: ErrorCode {
    /// The values of the error besides its code, message and cause.
    public struct Details: Sendable, CustomStringConvertible {
        /// The time to wait before the next try. An error with ``PasscodeAccountErrorCode/throttled`` has
        /// this time. An error with ``PasscodeAccountErrorCode/serverFailure`` has it if the server sent it.
        public let retryAfter: Duration?

        /// Makes details with this time.
        public init(retryAfter: Duration?) { self.retryAfter = retryAfter }

        /// The time to wait, as a part of the error's description; empty when the time is unknown.
        public var description: String { retryAfter.map { "[again in \($0)]" } ?? "" }
    }

    /// The code's name.
    public let name: String

    /// Makes a code with this name.
    public init(_ name: String) { self.name = name }

    /// The server could not be reached. The act was certainly not carried out.
    public static let unreachable = Self("unreachable")
    /// The request was sent and no answer came. The act may have been carried out.
    public static let outcomeUnknown = Self("outcomeUnknown")
    /// The session has ended or another device ended it (HTTP 401). The person has to sign in again.
    public static let notSignedIn = Self("notSignedIn")
    /// The account is in another state than the request assumed (HTTP 409). The caller should read the
    /// status.
    public static let conflict = Self("conflict")
    /// There were too many requests or wrong passcodes (HTTP 429). `retryAfter` is the time to wait.
    public static let throttled = Self("throttled")
    /// The server failed (HTTP 5xx) and did not carry out the act. `retryAfter` is set if the server sent it.
    public static let serverFailure = Self("serverFailure")
    /// The server refuses the act (HTTP 4xx other than 401, 409 and 429). The message is the server's.
    public static let refused = Self("refused")
    /// The answer to ``PasscodeAccount/status()`` cannot be understood.
    ///
    /// If the answer to an act cannot be understood, the code is ``outcomeUnknown``.
    public static let invalidAnswer = Self("invalidAnswer")
    /// The task was cancelled before the request was sent.
    public static let cancelled = Self("cancelled")
    /// No account was configured, or the configuration is refused, for instance because the address is not
    /// safe.
    public static let unavailable = Self("unavailable")
}

extension CodedError where Kind == PasscodeAccountErrorCode {
    /// Makes an error of this kind, with the time to wait before the next try if it is known.
    public init(code: Code, message: String, retryAfter: Duration? = nil, cause: (any Error)? = nil) {
        self.init(code: code, message: message, details: .init(retryAfter: retryAfter), cause: cause)
    }
}
