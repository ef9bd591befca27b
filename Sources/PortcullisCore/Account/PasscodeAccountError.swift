/// Why a ``PasscodeAccount`` could not do what it was asked.
///
/// Only ``PasscodeAccountErrorCode/outcomeUnknown`` leaves open whether it was done; all others mean that it was not.
public typealias PasscodeAccountError = CodedError<PasscodeAccountErrorCode>

/// The kinds of a ``PasscodeAccountError``, open for more.
public struct PasscodeAccountErrorCode: ErrorCode {
    /// What such an error tells besides.
    public struct Details: Sendable, CustomStringConvertible {
        /// How long to wait before the next try, with ``PasscodeAccountErrorCode/throttled``, and with
        /// ``PasscodeAccountErrorCode/serverFailure`` where it is known.
        public let retryAfter: Duration?

        /// Details of this value.
        public init(retryAfter: Duration?) { self.retryAfter = retryAfter }

        /// The part of the error's description that is theirs.
        public var description: String { retryAfter.map { "[again in \($0)]" } ?? "" }
    }

    /// The code's name.
    public let name: String

    /// A code of this name.
    public init(_ name: String) { self.name = name }

    /// The server could not be reached: certainly nothing was carried out.
    public static let unreachable = Self("unreachable")
    /// The request was sent and no answer came: it may have been carried out.
    public static let outcomeUnknown = Self("outcomeUnknown")
    /// The session has ended or was ended elsewhere (HTTP 401): the person has to sign in again.
    public static let notSignedIn = Self("notSignedIn")
    /// The account is in another state than the request assumed (HTTP 409): ask for the status.
    public static let conflict = Self("conflict")
    /// Too many requests or wrong passcodes (HTTP 429); `retryAfter` says how long to wait.
    public static let throttled = Self("throttled")
    /// The server failed (HTTP 5xx) and carried nothing out; `retryAfter` where it told.
    public static let serverFailure = Self("serverFailure")
    /// The server does not do this (any other HTTP 4xx); the message is the server's.
    public static let refused = Self("refused")
    /// What answers ``PasscodeAccount/status()`` cannot be understood.
    ///
    /// An answer to an act that cannot be understood is ``outcomeUnknown``.
    public static let invalidAnswer = Self("invalidAnswer")
    /// The task was cancelled before anything was sent.
    public static let cancelled = Self("cancelled")
    /// There is no account here.
    public static let unavailable = Self("unavailable")
}

extension CodedError where Kind == PasscodeAccountErrorCode {
    /// An error of this kind, with the time to wait before the next try, where that is known.
    public init(code: Code, message: String, retryAfter: Duration? = nil, cause: (any Error)? = nil) {
        self.init(code: code, message: message, details: .init(retryAfter: retryAfter), cause: cause)
    }
}
