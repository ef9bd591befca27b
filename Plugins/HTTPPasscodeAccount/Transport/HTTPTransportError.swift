public import PortcullisCore

/// The error of a request that received no answer.
public typealias HTTPTransportError = CodedError<HTTPTransportErrorCode>

/// The kinds of an ``HTTPTransportError``. Later versions may add more.
public struct HTTPTransportErrorCode: ErrorCode {
    /// Further information in an ``HTTPTransportError``.
    public struct Details: Sendable, CustomStringConvertible {
        /// Whether the server may have carried the request out. The value is `true` if a part of the body may
        /// have been sent, or if an answer began. It may also be `true` for a request without a body.
        public let mayBeCarriedOut: Bool

        /// Makes details with this value.
        public init(mayBeCarriedOut: Bool) { self.mayBeCarriedOut = mayBeCarriedOut }

        /// The text of the details in the error's description.
        public var description: String { mayBeCarriedOut ? "(may have been carried out)" : "" }
    }

    /// The code's name.
    public let name: String

    /// Makes a code with this name.
    public init(_ name: String) { self.name = name }

    /// No safe connection could be made, or the connection was lost.
    public static let unreachable = Self("unreachable")
    /// The server sent nothing for too long, or the whole request took too long.
    public static let timedOut = Self("timedOut")
    /// The task was cancelled.
    public static let cancelled = Self("cancelled")
    /// The bytes from the server are not HTTP, exceed the limit, or contain a body with an encoding, such as
    /// compression.
    public static let invalidAnswer = Self("invalidAnswer")
    /// The request would not reach its server safely. Nothing was sent.
    public static let unsafe = Self("unsafe")
}

extension CodedError where Kind == HTTPTransportErrorCode {
    /// Makes an error.
    ///
    /// - Parameters:
    ///   - code: the kind of failure.
    ///   - mayBeCarriedOut: whether the server may have carried the request out.
    ///   - message: the library's name for the failure. It must not contain a part of a request or an answer.
    public init(_ code: Code, mayBeCarriedOut: Bool, message: String) {
        self.init(code: code, message: message, details: .init(mayBeCarriedOut: mayBeCarriedOut))
    }
}
