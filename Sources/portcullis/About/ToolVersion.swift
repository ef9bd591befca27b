/// The version of the tool.
enum ToolVersion {
    /// The version's number. No other file states it.
    static let number = "0.1.0"

    /// The answer to `--version`.
    static let line = "portcullis \(number)"
}
