/// One act of one client, as it was seen from outside.
///
/// Times are of one clock, in any unit. An act without an end was never answered, or its answer did not tell
/// the outcome. It may have taken effect at any time after its begin, or not at all.
public struct Operation<Act: Sendable>: Sendable {
    /// The act, and its outcome if the outcome is known.
    public var act: Act
    /// The time at which the act was sent.
    public var begin: Int64
    /// The time at which the outcome was known; `nil` if it never was.
    public var end: Int64?

    /// Makes an operation.
    public init(_ act: Act, begin: Int64, end: Int64?) {
        (self.act, self.begin, self.end) = (act, begin, end)
    }

    /// Whether this operation was over before the other one began.
    func precedes(_ other: Operation) -> Bool { end.map { $0 < other.begin } ?? false }
}

extension Operation: Equatable where Act: Equatable {}

/// A fault of a history.
public struct Violation: Sendable, Hashable, CustomStringConvertible {
    /// One sentence.
    public let description: String

    /// Makes a violation with this description.
    public init(_ description: String) { self.description = description }
}
