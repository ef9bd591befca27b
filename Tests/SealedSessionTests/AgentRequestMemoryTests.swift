import Foundation
import Glibc
import LinuxSystem
import PortcullisCore
import Testing

@testable import SealedSession

/// How much memory one request takes.
@Suite("the memory of one request to a session's agent (K-8)", .timeLimit(.minutes(5)))
struct AgentRequestMemoryTests {
    /// The head of the longest request, and its beginning.
    private static let beginning = SecretBytes(copying: [0, 0, 0x20, 0, 1])

    /// How many bytes of this process a core dump leaves out, which is where secrets lie.
    private func protected() throws -> Int {
        let file = try FileHandle(forReadingFrom: URL(fileURLWithPath: "/proc/self/smaps"))
        defer { try? file.close() }
        var bytes = Data()
        while let more = try file.read(upToCount: 1 << 16), !more.isEmpty { bytes += more }
        var (size, sum) = (0, 0)
        for line in String(decoding: bytes, as: UTF8.self).split(separator: "\n") {
            let words = line.split(separator: " ")
            if words.first == "Size:", words.count > 1 { size = (Int(words[1]) ?? 0) << 10 }
            if words.first == "VmFlags:", words.contains("dd") { sum += size }
        }
        return sum
    }

    @Test("K-8: a request that comes byte by byte takes as much memory as it announced")
    func byteByByte() throws {
        var ends: [Int32] = [-1, -1]
        try #require(unsafe socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends) == 0)
        defer { for end in ends { close(end) } }
        Descriptors.setNonBlocking(ends[0])
        var connection = AgentConnection(ends[0], due: .now + .seconds(60))
        #expect(UnixSocket.send(Self.beginning, from: 0, to: ends[1]) == Self.beginning.count)
        guard case .announced = connection.read() else {
            Issue.record("the head was not understood")
            return
        }
        #expect(connection.announced == AgentMessage.longestRequest)
        let before = try protected()
        connection.takeBody()
        let byte = SecretBytes(copying: [1])
        for _ in 0..<2000 {
            _ = UnixSocket.send(byte, from: 0, to: ends[1])
            guard case .stays = connection.read() else {
                Issue.record("it waits for more")
                return
            }
        }
        // Each of them took 64 KiB. Other tests of this process have some secrets of their own meanwhile.
        let taken = try protected() - before
        #expect(taken <= 64 << 20)
        #expect(connection.requestSize == AgentMessage.longestRequest)
    }
}
