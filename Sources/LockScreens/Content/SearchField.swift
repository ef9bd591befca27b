/// A field whose text narrows a list.
public struct SearchField: Sendable, Hashable, Codable {
    /// What has been typed; no secret.
    public var text: String
    /// What stands in its place while that is empty.
    public var prompt: String
    /// What is said of the list beside the field, such as "3 chosen".
    public var summary: String

    /// A field of these parts.
    public init(text: String, prompt: String, summary: String = "") {
        self.text = text
        self.prompt = prompt
        self.summary = summary
    }
}
