/// The words that the tool was started with.
enum Arguments {
    /// Whether a shell asks what a line that is being typed may go on with: the argument parser's own word for it.
    static var isCompletion: Bool { CommandLine.arguments.dropFirst().first == "---completion" }

    /// Refuses words that are not UTF-8.
    ///
    /// Read as text they would lose what tells them apart, so that one secret or file would be taken for another.
    ///
    /// - Throws: a ``ToolFailure`` for the first such word.
    static func demandText() throws {
        for index in 0..<Int(CommandLine.argc) {
            guard let word = unsafe CommandLine.unsafeArgv[index],
                unsafe String(validatingCString: word) == nil
            else { continue }
            throw ToolFailure("argument \(index) is not UTF-8; names and paths have to be", .usage)
        }
    }
}
