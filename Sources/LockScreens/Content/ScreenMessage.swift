/// A line of text with the result of an action or the time to wait.
public struct ScreenMessage: Sendable, Hashable, Codable {
    /// The kinds of lines.
    public enum Kind: Sendable, Hashable, Codable {
        /// An error.
        case error
        /// The time to wait. The text changes as time passes.
        case countDown
        /// A piece of information.
        case notice
    }

    /// The way in which a screen reader announces a line.
    public enum Politeness: Sendable, Hashable, Codable {
        /// The line is not announced.
        case off
        /// The line is announced after the current speech.
        case polite
        /// The line is announced at once.
        case assertive
    }

    /// The line's kind.
    public var kind: Kind
    /// The line's text.
    public var text: String
    /// The time left of a count-down, for a renderer that shows this time in place of the text; `nil` for
    /// other lines.
    public var timeLeft: Duration?

    /// Makes a line.
    public init(_ kind: Kind, _ text: String, timeLeft: Duration? = nil) {
        self.kind = kind
        self.text = text
        self.timeLeft = timeLeft
    }

    /// The way in which a screen reader announces the line. An error is announced at once, a notice politely.
    /// A count-down is not announced, because it changes every second.
    public var politeness: Politeness {
        switch kind {
        case .error: .assertive
        case .notice: .polite
        case .countDown: .off
        }
    }
}
