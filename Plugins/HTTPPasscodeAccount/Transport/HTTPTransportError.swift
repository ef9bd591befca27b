public import PortcullisCore

/// Why there is no answer.
public typealias HTTPTransportError = CodedError<HTTPTransportErrorCode>

/// The kinds of a ``HTTPTransportError``, open for more.
public struct HTTPTransportErrorCode: ErrorCode {
    /// What such an error tells besides.
    public struct Details: Sendable, CustomStringConvertible {
        /// Whether the server may have carried the request out: a part of its body may have left, or an answer began.
        public let mayBeCarriedOut: Bool

        /// Details of this value.
        public init(mayBeCarriedOut: Bool) { self.mayBeCarriedOut = mayBeCarriedOut }

        /// The part of the error's description that is theirs.
        public var description: String { mayBeCarriedOut ? "(may have been carried out)" : "" }
    }

    /// The code's name.
    public let name: String

    /// A code of this name.
    public init(_ name: String) { self.name = name }

    /// No connection was made, none that is safe, or it was lost.
    public static let unreachable = Self("unreachable")
    /// Nothing came for too long, or the whole took too long.
    public static let timedOut = Self("timedOut")
    /// The task was cancelled.
    public static let cancelled = Self("cancelled")
    /// What came is no HTTP, larger than the limit, or encoded.
    public static let invalidAnswer = Self("invalidAnswer")
    /// The request would not go where it should; nothing was sent.
    public static let unsafe = Self("unsafe")
}

extension CodedError where Kind == HTTPTransportErrorCode {
    /// An error.
    ///
    /// - Parameters:
    ///   - code: what kind of failure.
    ///   - mayBeCarriedOut: whether the server may have carried the request out.
    ///   - message: what the library below calls it; never a part of a request or an answer.
    public init(_ code: Code, mayBeCarriedOut: Bool, message: String) {
        self.init(code: code, message: message, details: .init(mayBeCarriedOut: mayBeCarriedOut))
    }
}
