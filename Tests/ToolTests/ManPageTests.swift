import Foundation
import Testing

@testable import portcullis

/// The pages that `make install` installs.
@Suite("manual pages", .timeLimit(.minutes(5)))
struct ManPageTests {
    /// Writes the pages as the Makefile does.
    private func pages(_ tool: Tool) async throws -> [String: String] {
        let writer = Tool.executable.deletingLastPathComponent().appending(path: "ManPages").path
        let folder = tool.home.appending(path: "man")
        let line =
            #""$0" --experimental-dump-help | "\#(writer)" "\#(folder.path)" "portcullis 1.2.3" 2026-01-31"#
        let outcome = try await tool.run(shell: line)
        #expect(outcome.status == 0 && outcome.errors.isEmpty && outcome.output.isEmpty)
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
        return try Dictionary(
            uniqueKeysWithValues: names.map { name in
                (name, try String(contentsOf: folder.appending(path: name), encoding: .utf8))
            }
        )
    }

    /// The commands that the tool tells of in its help, from outside.
    private func commands(_ tool: Tool, below words: [String] = []) async throws -> [[String]] {
        let help = try await tool.run(words + ["--help"], input: Data()).text
        guard let list = help.components(separatedBy: "SUBCOMMANDS:\n").dropFirst().first else {
            return [words]
        }
        var found = [words]
        for line in list.components(separatedBy: "\n\n")[0].split(separator: "\n") {
            guard let name = line.firstMatch(of: /^  ([a-z-]+)/)?.output.1 else { continue }
            found += try await commands(tool, below: words + [String(name)])
        }
        return found
    }

    @Test("every command has a page with all sections, and no page is left over")
    func complete() async throws {
        let tool = try Tool()
        defer { tool.remove() }
        let pages = try await pages(tool)
        let names = try await commands(tool).map { (["portcullis"] + $0).joined(separator: "-") + ".1" }
        #expect(Set(pages.keys) == Set(names) && names.count > 30)
        for (name, page) in pages {
            #expect(
                page.contains(
                    ".TH \"\(name.dropLast(2).uppercased())\" \"1\" \"2026-01-31\" \"portcullis 1.2.3\""
                )
            )
            var rest = page[...]
            for section in ["NAME", "SYNOPSIS", "DESCRIPTION", "OPTIONS", "EXIT STATUS", "SEE ALSO"] {
                let place = try #require(rest.range(of: ".SH \"\(section)\"\n"), "\(name): \(section)")
                rest = rest[place.upperBound...]
            }
            #expect(page.utf8.allSatisfy { $0 < 0x80 })
            #expect(!page.contains("lock\\-timeout"), "what is hidden stays so")
        }
        let get = try #require(pages["portcullis-secret-get.1"])
        for text in [
            ".SH \"FILES\"", "default.keystore", ".SH \"ENVIRONMENT\"", "XDG_DATA_HOME", "PORTCULLIS_AGENT",
        ] {
            #expect(get.contains(text))
        }
        #expect(try #require(pages["portcullis-secret-list.1"]).contains("Another name: \\fBls\\fR."))
        // Each status that the tool has, apart from guard's, which says so itself.
        for status in [
            ToolExit.yes, .no, .usage, .wrongKey, .damaged, .throttled, .busy, .refused, .newerFormat,
        ]
            + [.rolledBack, .classLocked, .interrupted]
        {
            #expect(get.contains("\n\\fB\(status.rawValue)\\fR\n"))
        }
    }

    private static let mandoc = ["/usr/bin/mandoc"].first(where: FileManager.default.isExecutableFile)

    @Test("mandoc has nothing to say about them", .enabled(if: mandoc != nil))
    func lint() async throws {
        let tool = try Tool()
        defer { tool.remove() }
        _ = try await pages(tool)
        let outcome = try await tool.run(shell: "exec mandoc -Tlint \"$HOME\"/man/*.1")
        #expect(outcome.status == 0)
        #expect(outcome.text.isEmpty)
    }
}
