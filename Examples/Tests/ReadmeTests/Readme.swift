import Foundation

/// An example's README, and the commands in its console blocks.
struct Readme: Sendable, CustomStringConvertible {
    /// A command, and the output that a README shows for it.
    struct Command: Sendable {
        var script: String
        var output: [String] = []
        /// The number of its line in the README, from 1.
        var line: Int
    }

    /// The README's path below `Examples`.
    let description: String
    /// The example's folder.
    let folder: URL
    private(set) var commands: [Command] = []
    /// The faults of console blocks that cannot be run or compared.
    private(set) var mistakes: [String] = []
    /// A program that the commands need and that is not installed. A line such as `<!-- needs: NAME -->`
    /// names it.
    private(set) var missing: String?

    init(_ text: String, name: String, folder: URL) {
        self.description = name
        self.folder = folder
        var blockStart: Int?
        var isContinued = false
        for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
            guard let start = blockStart else {
                if let need = line.wholeMatch(of: /<!-- needs: ([a-z0-9-]+) -->/)?.1 {
                    let places = ["/usr/bin", "/bin"].map { "\($0)/\(need)" }
                    if !places.contains(where: FileManager.default.isExecutableFile) {
                        missing = String(need)
                    }
                }
                if line == "```console" { (blockStart, isContinued) = (index, false) }
                continue
            }
            if line.hasPrefix("```") {
                blockStart = nil
            } else if isContinued {
                commands[commands.count - 1].script += "\n\(line)"
                isContinued = line.hasSuffix("\\")
            } else if line.hasPrefix("$ ") {
                commands.append(Command(script: String(line.dropFirst(2)), line: index + 1))
                isContinued = line.hasSuffix("\\")
            } else if let last = commands.last, last.line > start {
                commands[commands.count - 1].output.append(String(line))
            } else {
                mistakes.append("\(name), line \(index + 1): a console block begins with a command")
            }
        }
    }

    /// All READMEs of examples that have a console block.
    static func all() throws -> [Readme] {
        let examples = URL(filePath: #filePath)
            .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        return try FileManager.default.contentsOfDirectory(atPath: examples.path).sorted().compactMap {
            name in
            let folder = examples.appending(path: name)
            guard let text = try? String(contentsOf: folder.appending(path: "README.md"), encoding: .utf8)
            else { return nil }
            let readme = Readme(text, name: "\(name)/README.md", folder: folder)
            return readme.commands.isEmpty && readme.mistakes.isEmpty ? nil : readme
        }
    }
}
