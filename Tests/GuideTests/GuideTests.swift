import Foundation
import Testing

/// No page shows code that does not compile: each block of Swift in the documentation is, but for its layout, part of a
/// file that the tests are made of.
@Suite("What the documentation shows", .timeLimit(.minutes(5)))
struct GuideTests {
    private static let root = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

    private static func files(_ folders: [String], _ suffix: String) throws -> [URL] {
        try folders.flatMap { folder -> [URL] in
            let all = FileManager.default.enumerator(
                at: root.appendingPathComponent(folder),
                includingPropertiesForKeys: nil
            )
            return try #require(all).compactMap { $0 as? URL }.filter { $0.path.hasSuffix(suffix) }
        }
    }

    /// Without white space and commas, where layouts differ.
    private static func tokens(_ text: some StringProtocol) -> String {
        String(text.filter { !$0.isWhitespace && $0 != "," })
    }

    /// The blocks of Swift in a page, or in the comments of a source file.
    private static func blocks(of page: URL) throws -> [String] {
        let text = try String(contentsOf: page, encoding: .utf8)
        let isSource = page.pathExtension == "swift"
        var blocks: [String] = []
        var block: String?
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
            var line = line.drop { $0 == " " }
            if isSource, line.hasPrefix("///") { line = line.dropFirst(3).drop { $0 == " " } }
            if line.hasPrefix("```") {
                if let ended = block { blocks.append(ended) }
                block = block == nil && line == "```swift" ? "" : nil
            } else {
                block?.append("\(line)\n")
            }
        }
        return blocks
    }

    @Test("every block of Swift is compiled")
    func compiled() throws {
        let sources = try Self.files(["Tests"], ".swift").map {
            Self.tokens(try String(contentsOf: $0, encoding: .utf8))
        }
        let pages =
            try Self.files(["Sources", "Plugins"], ".md") + Self.files(["Sources", "Plugins"], ".swift")
            + ["README.md", "CONTRIBUTING.md", "SECURITY.md"].map { Self.root.appendingPathComponent($0) }
        var count = 0
        for page in pages {
            for block in try Self.blocks(of: page) {
                // A manifest's lines are for another package.
                if block.hasPrefix(".package(") { continue }
                count += 1
                let tokens = Self.tokens(block)
                #expect(
                    sources.contains { $0.contains(tokens) },
                    "\(page.lastPathComponent) shows:\n\(block)"
                )
            }
        }
        #expect(count > 25, "the blocks were not found")
    }
}
