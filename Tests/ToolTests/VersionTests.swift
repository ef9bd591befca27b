import ArgumentParser
import Foundation
import Testing

@testable import portcullis

@Suite("portcullis --version")
struct VersionTests {
    @Test("--version is one line, the name and the version")
    func line() async throws {
        let tool = try Tool()
        defer { tool.remove() }
        for words in [["--version"], ["secret", "--version"]] {
            let outcome = try await tool.run(words, input: Data())
            #expect(outcome.status == 0 && outcome.errors.isEmpty)
            #expect(outcome.text == "portcullis \(ToolVersion.number)\n")
        }
        #expect(ToolVersion.number.split(separator: ".").compactMap { Int($0) }.count == 3)
    }

    @Test("--version --verbose also tells what it was built from and with", arguments: [true, false])
    func verbose(isFirst: Bool) async throws {
        let tool = try Tool()
        defer { tool.remove() }
        let words = isFirst ? ["--verbose", "--version"] : ["--version", "--verbose"]
        let outcome = try await tool.run(words, input: Data())
        #expect(outcome.status == 0 && outcome.errors.isEmpty)
        let lines = outcome.text.split(separator: "\n")
        try #require(lines.count == 5)
        #expect(lines[0] == "portcullis \(ToolVersion.number)")
        #expect(lines[1].wholeMatch(of: /commit: (unknown|[0-9a-f]{7,40}(-dirty)?)/) != nil)
        #expect(lines[2].wholeMatch(of: /Swift: 6\.[0-9]+( or later)?/) != nil)
        #expect(lines[3].wholeMatch(of: /libgcrypt: 1\.[0-9.]+(-.*)?/) != nil)
        #expect(lines[4].wholeMatch(of: /time zone data: 20[0-9]{2}[a-z]+/) != nil)
    }

    @Test("--verbose alone is a usage error, and a guarded program's --version is its own")
    func others() async throws {
        let tool = try Tool()
        defer { tool.remove() }
        #expect(try await tool.run("--verbose").status == 2)
        let guarded = try Guard.parse(["true", "--version", "--verbose"])
        #expect(guarded.command == ["true", "--version", "--verbose"])
        for separator in [[], ["--"]] {
            let words = ["guard", "--plain"] + separator + ["echo", "told:", "--version", "--verbose"]
            #expect(try await tool.run(words, input: Data()).text.contains("told: --version --verbose"))
        }
    }
}
