#if os(Linux)
import Foundation
import LinuxSystem
import Gcrypt
import PortcullisCore
import PortcullisTesting
import Testing

@testable import GcryptKeystore

/// In processes of their own: what is counted belongs to the process.
@Suite("What the keystore gives back", .timeLimit(.minutes(10)))
struct LeakTests {
    @Test("K-10: a store that was used and closed leaves no file open, and no watch, whatever failed")
    func descriptors() async {
        await #expect(processExitsWith: .success) {
            func use() async throws {
                let scratch = try Scratch()
                var configuration = scratch.configuration
                configuration.anchorPath = scratch.path + "/anchor"
                configuration.argon2 = Argon2Parameters(memory: 8, passes: 1, lanes: 1)
                let store = try await GcryptKeystore.open(configuration)
                let changes = store.changes(in: try SecretNamespace("tests"))
                try await store.put("v", "item")
                _ = try await store.addSlot(.keyFile(scratch.path + "/second.key"))
                try await store.compact()
                #expect(try await store.get("item") == "v")
                let backup = scratch.path + "/backup"
                #expect(try await store.export(to: backup, passphrase: secret("word")) == 1)
                #expect(try await store.import(from: backup, passphrase: secret("word")) == 1)
                _ = try await GcryptKeystore.check(configuration)
                await store.close()
                withExtendedLifetime(changes) {}
                configuration.credential = .rawKey(SecretBytes(randomCount: 32))
                #expect(await code { try await GcryptKeystore.open(configuration) } == .wrongKey)
                // A folder that is not there has nothing to be watched.
                #expect(throws: SystemCallError.self) {
                    try POSIXFiles().watch(scratch.path + "/none/file") { _ in }
                }
            }
            try await use()
            let before = try openFiles()
            for _ in 0..<10 { try await use() }
            // Threads end a moment after what they were for; what is left is told below.
            try? await BoundedWait.until(limit: .seconds(60), every: .milliseconds(2)) {
                try openFiles().count <= before.count && mappedLocks() == 0
            }
            let after = try openFiles()
            #expect(after.count <= before.count, "\(before), then \(after)")
            #expect(try mappedLocks() == 0)
        }
    }

    @Test("P-4: what libgcrypt is asked for is given back")
    func handles() async {
        await #expect(processExitsWith: .success) {
            let key = SecretBytes(randomCount: 32)
            let cheap = Argon2Parameters(memory: 64, passes: 1, lanes: 1)
            func demand(_ what: String, _ count: Int, _ use: () throws -> Void) throws {
                for _ in 0..<count { try use() }
                let before = try residentBytes()
                for _ in 0..<(10 * count) { try use() }
                let more = try residentBytes() - before
                #expect(more < 2 << 20, "\(what): \(more) bytes")
            }
            try demand("digests", 1_000) { _ = try Digest.authenticate([1], under: key) }
            try demand("ciphers", 1_000) { _ = try SealingKey(key) }
            try demand("codes", 1_000) { _ = try HeadKey(key) }
            try demand("Argon2id", 20) { _ = try Argon2.derive(key, salt: Array(1...16), cheap) }
        }
    }
}

/// The descriptors, each with what it leads to, but for timers: Swift's runtime opens one for the first wait of a kind.
private func openFiles() throws -> [String] {
    let folder = "/proc/self/fd"
    return try FileManager.default.contentsOfDirectory(atPath: folder).map { number in
        // That of the folder itself is closed by now.
        let place = try? FileManager.default.destinationOfSymbolicLink(atPath: "\(folder)/\(number)")
        return "\(number) → \(place ?? "nothing")"
    }
    .filter { !$0.hasSuffix("[timerfd]") }
}

/// How many mappings of locks' files there are.
private func mappedLocks() throws -> Int {
    // Not by a call that asks for the file's size first: here that is always 0.
    let file = try FileHandle(forReadingFrom: URL(fileURLWithPath: "/proc/self/maps"))
    return String(decoding: try file.readToEnd() ?? Data(), as: UTF8.self).split(separator: "\n").count {
        $0.contains(".lock")
    }
}

private func residentBytes() throws -> Int {
    let words = try String(contentsOfFile: "/proc/self/statm", encoding: .utf8).split(separator: " ")
    return try #require(Int(words[1])) * Int(getpagesize())
}
#endif
