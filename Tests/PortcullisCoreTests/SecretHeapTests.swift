#if os(Linux)
import AdapterKit
import Dispatch
import Foundation
import Glibc
import PortcullisCore
import Testing

/// In processes of their own: what is measured belongs to the process.
@Suite("What secrets and threads give back (P-4)", .timeLimit(.minutes(5)))
struct SecretHeapTests {
    @Test("P-4: large secrets share mappings also where their pages are locked")
    func mappings() async {
        await #expect(processExitsWith: .success) {
            func mappings() throws -> Int {
                // Not by a call that asks for the file's size first: here that is always 0.
                let file = try FileHandle(forReadingFrom: URL(fileURLWithPath: "/proc/self/maps"))
                return try file.readToEnd()?.count { $0 == UInt8(ascii: "\n") } ?? 0
            }
            let before = try mappings()
            let secrets = (0..<1_000).map { _ in SecretBytes(randomCount: 5_000) }
            // The kernel limits the number of a process's mappings.
            #expect(try mappings() - before < 100)
            withExtendedLifetime(secrets) {}
        }
    }

    @Test("P-4: what a secret, a filling that failed or a buffer gives back is zero, and is used again")
    func reuse() async {
        await #expect(processExitsWith: .success) {
            struct Refused: Error {}
            for count in [48, 700, 4_096] {
                let bytes = [UInt8](repeating: 0xA5, count: count)
                // The block that is given back last is handed out first.
                let place = nextBlock(count).place
                do { #expect(address(of: SecretBytes(copying: bytes)) == place) }
                #expect(nextBlock(count) == (place, true), "a secret of \(count)")
                #expect(throws: Refused.self) {
                    try SecretBytes(capacity: count) { (output: inout OutputSpan<UInt8>) throws(Refused) in
                        for byte in bytes { output.append(byte) }
                        throw Refused()
                    }
                }
                #expect(nextBlock(count) == (place, true), "a filling of \(count)")
                for isEnlarged in [false, true] {
                    do {
                        let buffer = SecretBuffer(capacity: count)
                        unsafe buffer.fill { room in
                            unsafe room.copyBytes(from: bytes)
                            return count
                        }
                        if isEnlarged { buffer.makeRoom(10_000) }
                    }
                    #expect(nextBlock(count) == (place, true), "a buffer of \(count)")
                }
            }
        }
    }

    @Test("P-4: secrets that live at the same time share no byte, whatever their sizes")
    func apart() {
        let secrets = (0..<3_000).map { number in
            let bytes = (0..<(number * 7 % 600)).map { UInt8(truncatingIfNeeded: $0 &+ number) }
            return (bytes, SecretBytes(copying: bytes))
        }
        for (bytes, secret) in secrets { #expect(secret.matches(SecretBytes(copying: bytes))) }
        let ends = secrets.filter { !$0.0.isEmpty }
            .map { (address(of: $0.1), UInt($0.0.count)) }
            .sorted { $0.0 < $1.0 }
        #expect(zip(ends, ends.dropFirst()).allSatisfy { $0.0 + $0.1 <= $1.0 })
        #expect(ends.allSatisfy { $0.0 % 32 == 0 })
    }

    @Test("P-4: large secrets, workers and threads leave no memory taken")
    func memory() async {
        await #expect(processExitsWith: .success) {
            func demand(_ what: String, below limit: Int, _ use: () throws -> Void) throws {
                try use()
                let before = try addressSpace()
                for _ in 0..<10 { try use() }
                var more = try addressSpace() - before
                // On a busy machine a thread that has done its work may not have ended yet.
                for _ in 0..<200 where more >= limit {
                    usleep(50_000)
                    more = try addressSpace() - before
                }
                #expect(more < limit, "\(what): \(more) bytes")
            }
            let large = [UInt8](repeating: 1, count: 1 << 20)
            try demand("secrets", below: 50 << 20) {
                for _ in 0..<10 { _ = SecretBytes(copying: large) }
            }
            try demand("workers", below: 4 << 20) { for _ in 0..<20_000 { _ = WorkerThread() } }
            try demand("threads", below: 200 << 20) {
                let done = DispatchSemaphore(value: 0)
                for _ in 0..<50 {
                    Threads.start { done.signal() }
                    #expect(done.wait(timeout: .now() + 120) == .success)
                }
            }
        }
    }

    @Test("P-4: the heap says so once a page of it could not be locked in memory")
    func locked() async {
        await #expect(processExitsWith: .success) {
            _ = SecretBytes(copying: [1])
            var none = rlimit(rlim_cur: 0, rlim_max: 0)
            _ = unsafe setrlimit(__rlimit_resource_t(__RLIMIT_MEMLOCK.rawValue), &none)
            // The superuser may lock what it likes.
            if geteuid() == 0 { _ = seteuid(65_534) }
            var page = [UInt8](repeating: 0, count: 8_192)
            let isAllowed = unsafe page.withUnsafeMutableBytes { unsafe mlock($0.baseAddress, $0.count) } == 0
            let isLocked = SecretHeap.isLocked
            _ = SecretBytes(copying: [UInt8](repeating: 1, count: 70_000))
            #expect(SecretHeap.isLocked == (isLocked && isAllowed))
        }
    }
}

private func address(of secret: SecretBytes) -> UInt {
    secret.withBytes { bytes in unsafe bytes.withUnsafeBufferPointer { UInt(bitPattern: $0.baseAddress) } }
}

/// Where the next secret of a size lies, and whether there is nothing but zeros.
private func nextBlock(_ count: Int) -> (place: UInt, isZero: Bool) {
    var found = (place: UInt(0), isZero: false)
    _ = SecretBytes(capacity: count) { (output: inout OutputSpan<UInt8>) in
        unsafe output.withUnsafeMutableBufferPointer { buffer, _ in
            found.place = UInt(bitPattern: buffer.baseAddress)
            found.isZero = unsafe buffer.allSatisfy { $0 == 0 }
        }
    }
    return found
}

/// The size of what the process has mapped, in bytes.
private func addressSpace() throws -> Int {
    let text = try String(contentsOfFile: "/proc/self/statm", encoding: .utf8)
    return try #require(Int(text.prefix { $0 != " " })) * Int(getpagesize())
}
#endif
