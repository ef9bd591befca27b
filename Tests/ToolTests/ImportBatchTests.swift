import PortcullisCore
import Testing

@testable import portcullis

@Suite("The lines of one commit", .timeLimit(.minutes(5)))
struct ImportBatchTests {
    private func change(_ text: String, bytes: Int) throws -> SecretChange {
        .write(
            SecretBytes(copying: [UInt8](repeating: 1, count: bytes)),
            to: try SecretName(text, in: SecretNamespace("tests")),
            accessibility: .whenUnlocked,
            if: .none
        )
    }

    @Test("K-3: lines are collected up to what a commit takes, and the first that is too many is named")
    func bounded() throws {
        var batch = ImportBatch(limit: 2 * (512 + 1 + 100))
        try batch.add(change("a", bytes: 100), line: 1)
        try batch.add(change("b", bytes: 100), line: 2)
        let empty = try change("c", bytes: 0)
        let error = #expect(throws: ToolFailure.self) { try batch.add(empty, line: 3) }
        #expect(error?.exit == .usage && error?.message.hasPrefix("line 3") == true)
        #expect(batch.changes.count == 2)
    }

    @Test("K-3: a name that comes twice is refused where it comes")
    func twice() throws {
        var batch = ImportBatch()
        let line = try change("a", bytes: 1)
        try batch.add(line, line: 1)
        #expect(throws: ToolFailure.self) { try batch.add(line, line: 2) }
        #expect(batch.changes.count == 1)
    }
}
