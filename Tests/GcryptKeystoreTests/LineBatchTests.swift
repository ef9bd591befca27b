import PortcullisCore
import Testing

@testable import GcryptKeystore

@Suite("The lines of one commit", .timeLimit(.minutes(5)))
struct LineBatchTests {
    private func change(_ text: String, bytes: Int) throws -> SecretChange {
        .write(
            SecretBytes(copying: [UInt8](repeating: 1, count: bytes)),
            to: try SecretName(text, in: SecretNamespace("tests")),
            accessibility: .whenUnlocked,
            if: .none
        )
    }

    @Test("K-3: lines are collected up to what a commit takes, and the first that is too many is refused")
    func bounded() throws {
        var batch = LineBatch(limit: 2 * (512 + 1 + 100))
        try batch.add(change("a", bytes: 100))
        try batch.add(change("b", bytes: 100))
        let empty = try change("c", bytes: 0)
        #expect(throws: LineBatch.Refusal.tooMuch) { try batch.add(empty) }
        #expect(batch.changes.count == 2)
    }

    @Test("K-3: a name that comes twice is refused where it comes")
    func twice() throws {
        var batch = LineBatch()
        let line = try change("a", bytes: 1)
        try batch.add(line)
        #expect(throws: LineBatch.Refusal.twice) { try batch.add(line) }
        #expect(batch.changes.count == 1)
    }

    @Test(
        "K-3: a line is a name and a value in base64, and anything else is none",
        arguments: [
            (#"{"name":"a","value":"AQI="}"#, 2), (#"{"value":"","name":"a"}"#, 0), (#"{"name":"a"}"#, nil),
            (#"{"name":"a","value":"?"}"#, nil), ("[]", nil), ("", nil), (#"{"name":1,"value":""}"#, nil),
        ] as [(String, Int?)]
    )
    func lines(_ text: String, bytes: Int?) {
        let line = ItemLine(SecretBytes(copying: Array(text.utf8)))
        #expect(line?.value.count == bytes)
        #expect(line == nil || line?.name == "a")
    }
}
