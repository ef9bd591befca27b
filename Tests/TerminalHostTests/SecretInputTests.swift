import Foundation
import PortcullisCore
import TerminalHost
import Testing

/// Secrets from files, as a tool reads them.
@Suite("SecretInput", .timeLimit(.minutes(1)))
struct SecretInputTests {
    /// Creates an input that reads a file with this text. The file has no name any more when this returns.
    private func input(_ text: String) throws -> SecretInput {
        let file = FileManager.default.temporaryDirectory.appending(path: "secret-input-\(UUID().uuidString)")
        try Data(text.utf8).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        return try SecretInput(path: file.path)
    }

    private func text(_ secret: SecretBytes?) -> String? {
        secret?.withBytes { bytes in String(decoding: bytes.indices.map { bytes[$0] }, as: UTF8.self) }
    }

    @Test("K-4: a file's lines are read one by one, each without its end, and the rest unchanged")
    func lines() async throws {
        let input = try input("first\r\nsecond\nthe\r\nrest\n")
        #expect(!input.isTerminal)
        let first = try await input.line(prompt: "One")
        let second = try await input.newLine(prompt: "Other") { Issue.record("it is no terminal") }
        let rest = try await input.everything(prompt: "Rest")
        #expect([first, second, rest].map(text) == ["first", "second", "the\r\nrest\n"])
        let error = await #expect(throws: TerminalHostError.self) { try await input.line(prompt: "None") }
        #expect(error?.code == .missingInput)
    }

    @Test("K-4: a stream's records are its lines, but for empty ones")
    func records() async throws {
        let input = try input("\none\n\ntwo")
        let records = [try await input.record(), try await input.record(), try await input.record()]
        #expect(records.map(text) == ["one", "two", nil])
    }

    @Test("K-4: what is too long, missing or no file is an error of its own, and its text holds no secret")
    func refused() async throws {
        let longest = try await input(String(repeating: "x", count: HiddenPrompt.longest) + "\n").line(
            prompt: "Line"
        )
        #expect(longest.count == HiddenPrompt.longest)
        let long = try input(String(repeating: "x", count: HiddenPrompt.longest + 1))
        let tooLong = await #expect(throws: TerminalHostError.self) { try await long.line(prompt: "Line") }
        #expect(tooLong?.code == .tooLong)
        #expect(tooLong?.message.contains("xxx") == false)
        let missing = #expect(throws: TerminalHostError.self) { try SecretInput(path: "/nowhere/at all") }
        #expect(missing?.code == .unreadable)
        let folder = try SecretInput(path: "/")
        let noFile = await #expect(throws: TerminalHostError.self) {
            try await folder.everything(prompt: "Value")
        }
        #expect(noFile?.code == .unreadable)
    }
}
