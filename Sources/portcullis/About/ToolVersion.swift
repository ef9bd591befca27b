enum ToolVersion {
    /// The version's number. It is written in no other file.
    static let number = "0.1.0"

    /// The output of `--version`.
    static let line = "portcullis \(number)"
}
