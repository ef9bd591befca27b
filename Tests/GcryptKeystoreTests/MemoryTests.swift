#if os(Linux)
import Foundation
@testable import GcryptKeystore
import Gcrypt
import PortcullisCore
import Testing

@Suite("What is left in memory", .timeLimit(.minutes(10)))
struct MemoryTests {
    /// Secrets to look for, by name.
    private typealias Needles = [String: [UInt8]]

    /// A process that uses a store and stops at each stage.
    private struct User {
        let process = Process()
        let input = Pipe()
        let output = Pipe()

        init(_ arguments: [String]) throws {
            let tests = URL(fileURLWithPath: CommandLine.arguments[0]).resolvingSymlinksInPath()
            process.executableURL = tests.deletingLastPathComponent().appendingPathComponent(
                "KeystoreProcess"
            )
            process.arguments = arguments
            (process.standardInput, process.standardOutput) = (input, output)
            try process.run()
        }

        func goOn() throws { try input.fileHandleForWriting.write(contentsOf: Data([10])) }

        /// Waits for the next stage, off Swift's pool.
        func stage() async -> String {
            await withCheckedContinuation { continuation in
                Thread.detachNewThread {
                    let line = output.fileHandleForReading.availableData
                    continuation.resume(
                        returning: String(decoding: line, as: UTF8.self).trimmingCharacters(in: .newlines)
                    )
                }
            }
        }

        func end() {
            try? input.fileHandleForWriting.close()
            process.waitUntilExit()
        }

        /// How often each secret lies anywhere in the process's memory.
        func counts(_ needles: Needles) throws -> [String: Int] {
            let memory = unsafe open("/proc/\(process.processIdentifier)/mem", O_RDONLY | O_CLOEXEC)
            try #require(memory >= 0, "the memory of a child cannot be read: \(errno)")
            defer { close(memory) }
            var counts: [String: Int] = [:]
            for range in try regions() {
                var content = Data(count: range.count)
                let size = unsafe content.withUnsafeMutableBytes {
                    unsafe pread(memory, $0.baseAddress, $0.count, off_t(range.lowerBound))
                }
                // The kernel's own pages are listed but cannot be read.
                guard size > 0 else { continue }
                for (name, bytes) in needles {
                    let needle = Data(bytes)
                    var from = content.startIndex
                    while let found = content.range(of: needle, in: from..<size) {
                        counts[name, default: 0] += 1
                        from = found.upperBound
                    }
                }
            }
            return counts
        }

        private func regions() throws -> [Range<UInt64>] {
            // Not by a call that asks for the file's size first: here that is always 0.
            let file = try FileHandle(
                forReadingFrom: URL(fileURLWithPath: "/proc/\(process.processIdentifier)/maps")
            )
            defer { try? file.close() }
            var bytes = Data()
            while let more = try file.read(upToCount: 1 << 16), !more.isEmpty { bytes += more }
            return String(decoding: bytes, as: UTF8.self).split(separator: "\n").compactMap { line in
                let words = line.split(separator: " ")
                let ends = words[0].split(separator: "-").compactMap { UInt64($0, radix: 16) }
                return words[1].hasPrefix("r") && ends.count == 2 ? ends[0]..<ends[1] : nil
            }
        }
    }

    private func bytes(_ secret: SecretBytes) -> [UInt8] {
        secret.withBytes { span in (0..<span.count).map { span[$0] } }
    }

    /// The keys of a store, found out in the test's process.
    private func keys(_ configuration: KeystoreConfiguration) throws -> Needles {
        let opened = try StoreOpener(configuration: configuration, files: POSIXFiles()).open()
        let (ring, header) = (opened.ring, opened.view.header)
        let slot = try #require(header.slots.first { $0.kind == .passphrase })
        guard case .passphrase(let passphrase) = configuration.credential else { return [:] }
        return [
            "store key": bytes(ring.storeKey),
            "header key": bytes(ring.headerKey),
            "anchor key": bytes(ring.anchorKey),
            "slot's key": bytes(try Argon2.derive(passphrase, salt: slot.salt, slot.cost)),
            "whenUnlocked key": bytes(
                try #require(try KeyRing.classKey(.whenUnlocked, header, ring.storeKey))
            ),
            "afterFirstUnlock key": bytes(
                try #require(try KeyRing.classKey(.afterFirstUnlock, header, ring.storeKey))
            ),
        ]
    }

    @Test(
        "P-4, K-8: after use, lock() and close(), a process's memory holds no passphrase, value or key that was dropped",
        .disabled(
            if: ProcessInfo.processInfo.environment["PORTCULLIS_SANITIZED"] != nil,
            "a sanitizer keeps what was freed, in memory of its own that no scan gets through"
        )
    )
    func scan() async throws {
        let scratch = try Scratch()
        let phrase = scratch.path + "/phrase"
        let passphrase = UUID().uuidString + UUID().uuidString.prefix(28)
        try scratch.put(Array(passphrase.utf8), phrase)
        let configuration = KeystoreConfiguration(
            path: scratch.store,
            credential: .passphrase(secret(passphrase)),
            argon2: Argon2Parameters(memory: 64, passes: 1, lanes: 1)
        )
        let value = UUID().uuidString
        let store = try await GcryptKeystore.open(configuration)
        try await store.put(value, "item", .whenUnlocked)
        await store.close()
        var needles = try keys(configuration)
        needles["passphrase"] = Array(passphrase.utf8)
        needles["value"] = Array(value.utf8)

        let user = try User([scratch.store, phrase])
        defer { user.end() }
        let dropped = ["passphrase", "value", "slot's key"]
        for (stage, absent, present) in [
            ("used", dropped, ["store key", "whenUnlocked key", "afterFirstUnlock key"]),
            ("locked", dropped + ["whenUnlocked key"], ["store key", "afterFirstUnlock key"]),
            ("unlocked", dropped, ["store key", "whenUnlocked key"]),
            ("closed", dropped + ["whenUnlocked key"], []),
            ("released", Array(needles.keys), []),
        ] {
            try #require(await user.stage() == stage)
            var counts = try user.counts(needles)
            // A thread of the store may be about to end, and to let go of what its last job had.
            let deadline = ContinuousClock.now + .seconds(60)
            while absent.contains(where: { counts[$0] != nil }), ContinuousClock.now < deadline {
                try await Task.sleep(for: .milliseconds(50))
                counts = try user.counts(needles)
            }
            for name in absent {
                #expect(counts[name] == nil, "\(stage): the \(name), \(counts[name] ?? 0) times")
            }
            for name in present { #expect(counts[name] != nil, "\(stage): the \(name) should be found") }
            try user.goOn()
        }
    }
}
#endif
