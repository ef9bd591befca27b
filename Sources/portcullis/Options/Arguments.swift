/// The words that the tool was started with.
enum Arguments {
    /// Whether a shell asks to complete a line. The argument parser's scripts mark such a call with this word.
    static var isCompletion: Bool { CommandLine.arguments.dropFirst().first == "---completion" }

    /// Refuses arguments that are not UTF-8.
    ///
    /// A lossy conversion would make different arguments equal, so that the tool took one secret or file for another.
    ///
    /// - Throws: a ``ToolFailure`` for the first such argument.
    static func demandText() throws {
        for index in 0..<Int(CommandLine.argc) {
            guard let word = unsafe CommandLine.unsafeArgv[index],
                unsafe String(validatingCString: word) == nil
            else { continue }
            throw ToolFailure("argument \(index) is not UTF-8; names and paths have to be", .usage)
        }
    }
}
