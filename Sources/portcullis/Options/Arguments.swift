#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

/// The command-line arguments of this process, and its environment.
enum Arguments {
    /// The variables of the environment by name.
    static var environment: [String: String] { ProcessInfo.processInfo.environment }

    /// Whether a shell requests the completions of a line. In such a call, the argument parser's scripts pass
    /// the word `---completion`.
    static var isCompletion: Bool { CommandLine.arguments.dropFirst().first == "---completion" }

    /// Refuses arguments that are not UTF-8.
    ///
    /// A lossy conversion would make different arguments equal. The tool would then confuse secrets or files.
    ///
    /// - Throws: a ``ToolFailure`` for the first argument that is not UTF-8, or if the runtime could not read
    ///   the arguments from `/proc`. Otherwise each command would count as a call for help.
    static func demandText() throws {
        guard CommandLine.argc > 0 else { throw ToolFailure("/proc cannot be read", .refused) }
        for index in 0..<Int(CommandLine.argc) {
            guard let word = unsafe CommandLine.unsafeArgv[index],
                unsafe String(validatingCString: word) == nil
            else { continue }
            throw ToolFailure("argument \(index) is not UTF-8; names and paths have to be", .usage)
        }
    }
}
