import Foundation
import Testing

/// Two people at one file, each with a process of their own.
@Suite("KeystoreNotes", .timeLimit(.minutes(5)))
struct TwoEditorsTests {
    @Test("K-3, K-7: of two edits at once the second is refused, and its text is kept")
    func twoEdits() async throws {
        let home = FileManager.default.temporaryDirectory.appending(path: "keystore-notes-\(UUID())")
        defer { try? FileManager.default.removeItem(at: home) }
        let adding = try NotesProcess(["add", "shopping"], in: home)
        try adding.type("milk")
        #expect(try await adding.end() == 0)

        // Both have read the note before either has written it.
        let anna = try NotesProcess(["edit", "shopping"], in: home)
        let carl = try NotesProcess(["edit", "shopping"], in: home)
        #expect(await anna.firstLine() == "“shopping”, version 1. Its new text, up to Ctrl-D:")
        #expect(await carl.firstLine() == "“shopping”, version 1. Its new text, up to Ctrl-D:")
        try anna.type("milk and eggs")
        #expect(try await anna.end() == 0)
        try carl.type("milk and flour")
        #expect(try await carl.end() == 6)

        #expect(try await text(of: "shopping", in: home) == "milk and eggs")
        #expect(try await text(of: "shopping (2)", in: home) == "milk and flour")
    }

    @Test("K-3, K-7: of many edits that end at once just one is saved, and no text is lost")
    func manyEdits() async throws {
        let home = FileManager.default.temporaryDirectory.appending(path: "keystore-notes-\(UUID())")
        defer { try? FileManager.default.removeItem(at: home) }
        let adding = try NotesProcess(["add", "list"], in: home)
        try adding.type("")
        #expect(try await adding.end() == 0)

        let people = 6
        let editors = try (0..<people).map { _ in try NotesProcess(["edit", "list"], in: home) }
        for editor in editors { _ = await editor.firstLine() }
        for (number, editor) in editors.enumerated() { try editor.type("text \(number)") }
        var statuses: [Int32] = []
        for editor in editors { statuses.append(try await editor.end()) }
        #expect(statuses.sorted() == [0] + Array(repeating: 6, count: people - 1))

        var texts: [String] = []
        for title in ["list"] + (2...people).map({ "list (\($0))" }) {
            texts.append(try await text(of: title, in: home))
        }
        #expect(texts.sorted() == (0..<people).map { "text \($0)" })
    }

    private func text(of title: String, in home: URL) async throws -> String {
        let shown = try NotesProcess(["show", title], in: home)
        #expect(try await shown.end() == 0)
        return shown.output()
    }
}
