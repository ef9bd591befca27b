import Foundation
import GoalLock
import PortcullisCore
import Testing

@testable import portcullis

@Suite("text of others in the tool")
struct ForeignTextToolTests {
    private static let name = "a\u{202E}b\u{200B}\u{2028}c"
    private static let shown = "a\u{FFFD}b\u{FFFD} c"

    @Test("K-1: names in lists and errors steer no terminal, and --json has them as they are")
    func names() async throws {
        let tool = try Tool()
        defer { tool.remove() }
        #expect(try await tool.run("secret", "set", Self.name, input: "x").status == 0)
        #expect(try await tool.run("secret", "list").text == "\(Self.shown)\n")
        let json = try await tool.run("secret", "list", "--json")
        #expect(json.json["name"] as? String == Self.name)
        #expect(!json.text.unicodeScalars.contains { !$0.isASCII })
        let absent = try await tool.run("secret", "get", Self.name + "\u{2067}")
        #expect(absent.status == 1)
        #expect(absent.errors == "portcullis: no secret default/\(Self.shown)\u{FFFD}\n")
    }

    @Test("K-10: a path in an error is one line that steers no terminal")
    func paths() async throws {
        let tool = try Tool()
        defer { tool.remove() }
        let folder = tool.home.path + "/f\nportcullis: done\u{1B}[2J"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        let outcome = try await tool.run("secret", "get", "a", "--store", folder)
        #expect(outcome.status != 0)
        #expect(outcome.errors.contains("/f portcullis: done\u{FFFD}[2J"))
        #expect(outcome.errors.split(separator: "\n").count == 1)
        let option = try await tool.run("secret", "get", "a", "--\u{1B}[2J\u{202E}")
        #expect(option.status == 2)
        #expect(!option.errors.contains("\u{1B}") && !option.errors.contains("\u{202E}"))
    }

    @Test("K-10: an error of a store, a shield or the goal lock is one line, whatever a cause or a path says")
    func errors() throws {
        let store = SecretStoreError(code: .damaged, message: "m\u{1B}[2J", path: "/p\n\u{202E}")
        let errors: [any Error] = [
            store, GoalError(code: .store, message: "m", cause: store),
            ShieldError(code: .systemFailure, message: "m\u{1B}[2J"),
        ]
        for error in errors {
            let message = try #require(ToolFailure(error)).message
            #expect(message == ForeignText.line(message))
        }
    }

    @Test("K-1: on a fresh machine the list is empty, and nothing is made for it")
    func freshList() async throws {
        let tool = try Tool()
        defer { tool.remove() }
        for words in [["secret", "list"], ["secret", "list", "--json"]] {
            let outcome = try await tool.run(words, input: Data())
            #expect(outcome.status == 0)
            #expect(outcome.output.isEmpty && outcome.errors.isEmpty)
        }
        let named = try await tool.run("secret", "list", "--store", tool.home.path + "/slip")
        #expect(named.status == 0 && named.output.isEmpty)
        #expect(named.errors.contains("there is no store yet"))
        #expect(try FileManager.default.contentsOfDirectory(atPath: tool.home.path).isEmpty)
        #expect(try await tool.run("secret", "get", "a").status == 1)
    }
}
