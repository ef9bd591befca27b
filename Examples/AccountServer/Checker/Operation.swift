/// One act of one client, as it was seen from outside.
///
/// Times are of one clock, in any unit. An act without an end was never answered, or not in a way that tells what became of it:
/// it may have taken effect at any time after its begin, or not at all.
public struct Operation<Act: Sendable>: Sendable {
    /// What was done, and what came of it where that is known.
    public var act: Act
    /// When it was sent.
    public var begin: Int64
    /// When its outcome was known; `nil`: never.
    public var end: Int64?

    /// An act.
    public init(_ act: Act, begin: Int64, end: Int64?) {
        (self.act, self.begin, self.end) = (act, begin, end)
    }

    /// Whether this one was over when the other one began.
    func precedes(_ other: Operation) -> Bool { end.map { $0 < other.begin } ?? false }
}

extension Operation: Equatable where Act: Equatable {}

/// What is wrong with a history.
public struct Violation: Sendable, Hashable, CustomStringConvertible {
    /// One sentence.
    public let description: String

    /// A violation of this description.
    public init(_ description: String) { self.description = description }
}
