import PortcullisCore
import Testing

@testable import GcryptKeystore

/// What a backup holds verifies before it is decoded; these are the bytes that its maker could leave there.
@Suite("What a backup says", .timeLimit(.minutes(10)))
struct BackupDecodeTests {
    private func item(_ accessibility: UInt8, _ namespace: String, _ name: String, _ value: [UInt8])
        -> [UInt8]
    {
        var bytes: [UInt8] = [accessibility, UInt8(namespace.utf8.count)]
        bytes.append(UInt16(name.utf8.count))
        bytes.append(UInt32(value.count))
        return bytes + namespace.utf8 + name.utf8 + value
    }

    /// The items; `nil` if the bytes are damaged, and any other error is an issue.
    private func decode(_ bytes: [UInt8]) -> [String]? {
        let changes: [SecretChange]
        do throws(SecretStoreError) {
            changes = try GcryptKeystore.decode(bytes.span, limit: 100_000, "backup")
        } catch {
            #expect(error.code == .damaged)
            return nil
        }
        return changes.map { change in
            guard case .write(let value, let name, let accessibility, _) = change else { return "no write" }
            return value.withBytes { bytes in
                "\(name) \(accessibility) \(bytes.count) \(bytes.indices.reduce(0) { ($0 &* 31) &+ Int(bytes[$1]) })"
            }
        }
    }

    @Test(
        "K-9: each item of a backup has its name, class and value; what is cut anywhere within one makes no sense"
    )
    func items() {
        let long = String(repeating: "n", count: 300)
        let first = item(2, "a", "b", [7])
        let second = item(0x81, "other", long, [UInt8](repeating: 3, count: 70_000))
        let texts = ["a/b afterFirstUnlock 1 7"]
        #expect(decode([]) == [])
        #expect(decode([0]) == [])
        #expect(decode(first) == texts)
        for filling in [1, 7, 8, 9, 63] {
            #expect(decode(first + [UInt8](repeating: 0, count: filling)) == texts, "\(filling)")
        }
        let both = decode(first + second + [0, 0])
        #expect(both?.count == 2 && both?.first == texts[0])
        #expect(both?.last?.hasPrefix("other/\(long) whenUnlockedThisDeviceOnly 70000 ") == true)
        #expect(decode(second)?.first == both?.last)
        // Less than what every item begins with is not looked at; more is one, and has to be there.
        for count in 0..<first.count { #expect(decode(Array(first.prefix(count))) == (count < 8 ? [] : nil)) }
        for count in [8, 12, 13, 200, 313, 70_000, second.count - 1] {
            #expect(decode(first + second.prefix(count)) == nil, "\(count)")
        }
    }

    @Test("K-9: an item of no class, without a name or with one that no item has makes no sense")
    func senseless() {
        for bytes in [
            item(3, "a", "b", []), item(0x40, "a", "b", []), item(2, "", "b", []), item(2, "a", "", []),
            item(2, "a b", "b", []), item(2, "a", "\n", []),
        ] {
            #expect(decode(bytes) == nil)
            #expect(decode(item(1, "a", "b", []) + bytes) == nil)
        }
    }

    @Test("K-9: items beyond the size of a commit are refused before the items behind them are decoded")
    func limit() throws {
        // An item takes 512 bytes besides its name and its value.
        let items = (0..<10).flatMap { item(2, "a", "\($0)", [7]) }
        #expect(try GcryptKeystore.decode(items.span, limit: 5140, "backup").count == 10)
        let senseless: [UInt8] = [UInt8](repeating: 0x40, count: 100)
        for (limit, code) in [(5139, SecretStoreError.Code.tooLarge), (5140, .damaged)] {
            let error = #expect(throws: SecretStoreError.self) {
                try GcryptKeystore.decode((items + senseless).span, limit: limit, "backup")
            }
            #expect(error?.code == code)
        }
    }
}
