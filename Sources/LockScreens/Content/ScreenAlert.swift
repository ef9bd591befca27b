/// A question over a screen.
public struct ScreenAlert: Sendable, Hashable, Codable {
    /// The headline.
    public var title: String
    /// The text below the headline; it may be empty.
    public var text: String
    /// The answers, in order; at least one.
    public var actions: [ScreenControl]

    /// Makes an alert.
    public init(title: String, text: String, actions: [ScreenControl]) {
        self.title = title
        self.text = text
        self.actions = actions
    }
}
