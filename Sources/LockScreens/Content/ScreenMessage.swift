/// A line of text that tells how it went.
public struct ScreenMessage: Sendable, Hashable, Codable {
    /// What kind of line.
    public enum Kind: Sendable, Hashable, Codable {
        /// Something went wrong.
        case error
        /// How long to wait; the text changes as time passes.
        case countDown
        /// Something to know.
        case notice
    }

    /// How a screen reader announces a line.
    public enum Politeness: Sendable, Hashable, Codable {
        /// Not at all.
        case off
        /// After what it is saying.
        case polite
        /// At once.
        case assertive
    }

    /// What kind of line.
    public var kind: Kind
    /// The line.
    public var text: String
    /// How much of a count-down is left, for a renderer that draws it otherwise than in words; `nil` in any other line.
    public var timeLeft: Duration?

    /// A line of this kind.
    public init(_ kind: Kind, _ text: String, timeLeft: Duration? = nil) {
        self.kind = kind
        self.text = text
        self.timeLeft = timeLeft
    }

    /// How it is announced: an error at once, a notice politely, a count-down not at all, because it changes each second.
    public var politeness: Politeness {
        switch kind {
        case .error: .assertive
        case .notice: .polite
        case .countDown: .off
        }
    }
}
