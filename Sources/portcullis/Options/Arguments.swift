/// The words that the tool was started with.
enum Arguments {
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
