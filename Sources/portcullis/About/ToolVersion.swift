/// Which version of the tool this is.
enum ToolVersion {
    /// The one place that says so.
    static let number = "0.1.0"

    /// What `--version` answers.
    static let line = "portcullis \(number)"
}
