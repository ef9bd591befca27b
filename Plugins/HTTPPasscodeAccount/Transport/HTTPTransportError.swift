/// Why there is no answer.
public struct HTTPTransportError: Error, Sendable, CustomStringConvertible {
    /// The kinds of failure, open for more.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        private enum Kind: String, Hashable, Sendable {
            case unreachable, timedOut, cancelled, invalidAnswer, unsafe
        }
        private let kind: Kind
        private init(_ kind: Kind) { self.kind = kind }

        /// No connection was made, none that is safe, or it was lost.
        public static let unreachable = Code(.unreachable)
        /// Nothing came for too long, or the whole took too long.
        public static let timedOut = Code(.timedOut)
        /// The task was cancelled.
        public static let cancelled = Code(.cancelled)
        /// What came is no HTTP, larger than the limit, or encoded.
        public static let invalidAnswer = Code(.invalidAnswer)
        /// The request would not go where it should; nothing was sent.
        public static let unsafe = Code(.unsafe)

        /// The name of the code.
        public var description: String { kind.rawValue }
    }

    /// What kind of failure.
    public let code: Code
    /// Whether the server may have carried the request out: a part of its body may have left, or an answer began.
    public let mayBeCarriedOut: Bool
    /// What the library below calls it; never a part of a request or an answer.
    public let message: String

    /// An error.
    ///
    /// - Parameters:
    ///   - code: what kind of failure.
    ///   - mayBeCarriedOut: whether the server may have carried the request out.
    ///   - message: what the library below calls it.
    public init(_ code: Code, mayBeCarriedOut: Bool, message: String) {
        self.code = code
        self.mayBeCarriedOut = mayBeCarriedOut
        self.message = message
    }

    /// Code, message and what may have become of the request, on one line.
    public var description: String {
        "\(code): \(message)\(mayBeCarriedOut ? " (may have been carried out)" : "")"
    }
}
