enum ToolVersion {
    /// The version's number. All other code takes the number from here.
    static let number = "0.1.0"

    /// The output of `--version`.
    static let line = "portcullis \(number)"
}
