/// A search field, whose text filters a list.
public struct SearchField: Sendable, Hashable, Codable {
    /// The text typed so far. It is not a secret.
    public var text: String
    /// The placeholder that is shown while the field is empty.
    public var prompt: String
    /// A text about the list, such as "3 chosen". It is shown beside the field.
    public var summary: String

    /// Makes a field.
    public init(text: String, prompt: String, summary: String = "") {
        self.text = text
        self.prompt = prompt
        self.summary = summary
    }
}
