#if Passkeys && os(Linux)
import Foundation
import Glibc
import PortcullisCore
import Testing

@testable import Passkeys

@Suite("What passkeys leave in memory (W-3)", .timeLimit(.minutes(5)))
struct PasskeyMemoryTests {
    private static let alphabet = Array(
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8
    )

    /// A browser's response with random outputs, which no other memory has, and the place of the first one's text.
    private func response() -> (json: SecretBytes, first: Range<Int>) {
        let head = Array(
            """
            {"rawId":"AQ","response":{"clientDataJSON":"Ag","authenticatorData":"Aw","signature":"BQ"},
            "clientExtensionResults":{"prf":{"results":{"first":"
            """.utf8
        )
        let json = SecretBytes(capacity: head.count + 200) { output in
            func append(_ bytes: some Sequence<UInt8>) { for byte in bytes { output.append(byte) } }
            func appendOutput() {
                for _ in 0..<42 { output.append(Self.alphabet[Int.random(in: 0..<64)]) }
                // Of the last digit two bits are left over.
                output.append(Self.alphabet[Int.random(in: 0..<16) * 4])
            }
            append(head)
            appendOutput()
            append("\",\"second\":\"".utf8)
            appendOutput()
            append("\"}}}}".utf8)
        }
        return (json, head.count..<head.count + 43)
    }

    /// Takes the response, keeps a key under the first output, opens it and wraps it anew under the second.
    private func use(_ json: SecretBytes, _ key: SecretBytes) throws -> PasskeyOutputs {
        guard case .used(_, let found) = try PasskeyAnswer(json: json), let outputs = found else {
            throw Memory.Failure(what: "the response is none")
        }
        let (salt, owner) = (Array<UInt8>(0..<32), Array("owner".utf8))
        let wrap = try KeyWrap(key, under: outputs.first, salt: salt, owner: owner)
        guard let opened = wrap.open(under: outputs.first, owner: owner) else {
            throw Memory.Failure(what: "it is shut")
        }
        _ = KeyWrap.mark(of: opened)
        let anew = try KeyWrap(opened, under: outputs.second, salt: salt.reversed(), owner: owner)
        // Last, so that nothing takes the memory that was opened into.
        _ = anew.open(under: outputs.second, owner: owner)
        return outputs
    }

    /// Runs this test in a process whose functions are all bound when it starts: what binds one at its first call puts the
    /// registers on the stack, whatever is in them.
    private func runAgain() async throws {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: CommandLine.arguments[0])
        process.arguments = ["--testing-library", "swift-testing", "--filter", "PasskeyMemoryTests"]
        process.environment = ProcessInfo.processInfo.environment.merging(["LD_BIND_NOW": "1"]) { $1 }
        let output = Pipe()
        (process.standardOutput, process.standardError) = (output, output)
        try process.run()
        let said = await withCheckedContinuation { continuation in
            Thread.detachNewThread {
                continuation.resume(
                    returning: String(decoding: output.fileHandleForReading.availableToEnd, as: UTF8.self)
                )
            }
        }
        process.waitUntilExit()
        #expect(process.terminationStatus == 0 && said.contains("Test run with 1 test"), "\(said)")
    }

    @Test(
        "W-3: outputs and key are nowhere but in memory of secrets",
        .enabled(if: Memory.isTold, "the kernel tells nothing of mappings")
    )
    func memory() async throws {
        guard ProcessInfo.processInfo.environment["LD_BIND_NOW"] != nil else { return try await runAgain() }
        let key = SecretBytes(randomCount: 32)
        let (json, place) = response()
        // On a thread of its own, whose memory no other uses again soon after it is given back.
        let outputs = try await withCheckedThrowingContinuation { continuation in
            Thread.detachNewThread { continuation.resume(with: Result { try use(json, key) }) }
        }
        #expect(try Memory.holds(key) == false)
        #expect(try Memory.holds(outputs.first) == false)
        #expect(try Memory.holds(outputs.second) == false)
        #expect(try Memory.holds(json.part(place)) == false)
        // The search finds what is there.
        let copied = SecretBytes(randomCount: 32)
        let copy = copied.withBytes { bytes in bytes.indices.map { bytes[$0] } }
        #expect(try Memory.holds(copied))
        #expect(copy.count == 32)
    }
}

extension FileHandle {
    /// All that comes until the other end is closed.
    fileprivate var availableToEnd: Data {
        var all = Data()
        while case let more = availableData, !more.isEmpty { all += more }
        return all
    }
}

/// This process's memory, as the kernel shows it.
private enum Memory {
    struct Failure: Error { let what: String }

    static let isTold = (try? mappings().contains { $0.isSecret }) ?? false

    /// Whether the last bytes lie anywhere but in memory that no dump shows, which is where secrets are.
    ///
    /// The first ones of memory that was given back are overwritten by the allocator.
    static func holds(_ whole: SecretBytes) throws -> Bool {
        let secret = whole.part(whole.count - 12..<whole.count)
        let memory = unsafe open("/proc/self/mem", O_RDONLY | O_CLOEXEC)
        guard memory >= 0 else { throw Failure(what: "the memory cannot be read") }
        defer { close(memory) }
        let size = 1 << 20
        let buffer = UnsafeMutableRawPointer.allocate(byteCount: size, alignment: 16)
        defer { unsafe buffer.deallocate() }
        for mapping in try mappings() where !mapping.isSecret {
            var start = mapping.range.lowerBound
            while start < mapping.range.upperBound {
                let count = min(size, Int(mapping.range.upperBound - start))
                // What the kernel lists and does not give is no memory of this program's.
                let read = unsafe pread(memory, buffer, count, off_t(start))
                guard read > 0 else { break }
                if unsafe Self.lies(secret, in: UnsafeRawBufferPointer(start: buffer, count: read)) {
                    return true
                }
                if count < size { break }
                // A find may lie across two pieces.
                start += UInt(count - secret.count)
            }
        }
        return false
    }

    private static func lies(_ secret: SecretBytes, in memory: UnsafeRawBufferPointer) -> Bool {
        secret.withBytes { bytes in
            unsafe bytes.withUnsafeBytes { needle in
                guard let start = memory.baseAddress, let sought = needle.baseAddress else { return false }
                var place = 0
                while place + needle.count <= memory.count,
                    let found = unsafe memchr(
                        start + place,
                        Int32(needle[0]),
                        memory.count - needle.count - place + 1
                    )
                {
                    if unsafe memcmp(found, sought, needle.count) == 0 { return true }
                    place = unsafe UnsafeRawPointer(found) - start + 1
                }
                return false
            }
        }
    }

    private static func mappings() throws -> [(range: Range<UInt>, isSecret: Bool)] {
        _ = SecretBytes(randomCount: 1)
        let file = try FileHandle(forReadingFrom: URL(fileURLWithPath: "/proc/self/smaps"))
        var mappings: [(range: Range<UInt>, isSecret: Bool)] = []
        var range: Range<UInt>?
        var isReadable = false
        for line in String(decoding: try file.readToEnd() ?? Data(), as: UTF8.self).split(separator: "\n") {
            let words = line.split(separator: " ")
            let ends = words[0].split(separator: "-").compactMap { UInt($0, radix: 16) }
            if ends.count == 2 { (range, isReadable) = (ends[0]..<ends[1], words[1].hasPrefix("rw")) }
            if words[0] == "VmFlags:", let range, isReadable {
                mappings.append((range, Set(words.dropFirst()).isSuperset(of: ["dd", "wf"])))
            }
        }
        return mappings
    }
}
#endif
