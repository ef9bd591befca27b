import Foundation
import PortcullisCore
import Testing

@testable import LinuxSystem

/// Lines and secrets of a descriptor.
@Suite("Reading a descriptor", .timeLimit(.minutes(5)))
struct ReaderTests {
    /// The read end of a pipe that holds this and no more.
    private func pipe(_ bytes: [UInt8]) throws -> Pipe {
        let pipe = Pipe()
        let writer = pipe.fileHandleForWriting
        // More than a pipe holds is written as it is read.
        Thread.detachNewThread {
            try? writer.write(contentsOf: Data(bytes))
            try? writer.close()
        }
        return pipe
    }

    private func text(_ secret: SecretBytes?) -> String? {
        secret?.withBytes { span in String(decoding: span.indices.map { span[$0] }, as: UTF8.self) }
    }

    @Test("S-5: lines come out as they went in; one that is too long is named, and the rest goes on")
    func lines() throws {
        let long = [UInt8](repeating: UInt8(ascii: "x"), count: LineReader.longest)
        let pipe = try pipe(Array("a\n\n".utf8) + long + [10] + long + long + Array("x\nb".utf8))
        var reader = LineReader(pipe.fileHandleForReading.fileDescriptor)
        var found: [Int?] = []
        while let line = reader.next(beforeWaiting: {}) {
            switch line {
            case .bytes(let bytes): found.append(bytes.count)
            case .tooLong: found.append(nil)
            case .failed: Issue.record("a pipe can be read")
            }
        }
        withExtendedLifetime(pipe) {}
        #expect(found == [1, 0, LineReader.longest, nil, 1])
    }

    @Test("S-5: what cannot be read says so")
    func failed() {
        var reader = LineReader(-1)
        guard case .failed = reader.next(beforeWaiting: {}) else {
            Issue.record("there is no such descriptor")
            return
        }
    }

    @Test("P-6: a failed read of a secret is an error, and not the end of the input")
    func secretFailed() throws {
        let folder = open("/", O_RDONLY | O_DIRECTORY)
        defer { close(folder) }
        let failure = #expect(throws: SecretReader.Failure.self) {
            _ = try SecretReader(folder).line(longest: 6)
        }
        #expect(failure == .system(EISDIR))
        #expect(throws: SecretReader.Failure.system(EBADF)) { _ = try SecretReader(-1).line(longest: 6) }
    }

    @Test("P-6: a line of a secret leaves what follows it, and has no end of its own")
    func secretLine() throws {
        let pipe = try pipe(Array("123456\r\n\nrest".utf8))
        let reader = SecretReader(pipe.fileHandleForReading.fileDescriptor)
        #expect(text(try reader.line(longest: 6 + 1)) == "123456")
        #expect(text(try reader.line(longest: 6)) == "")
        #expect(text(try reader.everything(longest: 4)) == "rest")
        #expect(try reader.line(longest: 6) == nil)
        withExtendedLifetime(pipe) {}
    }

    @Test("P-6: a secret that is too long is none")
    func tooLong() throws {
        // No more than a pipe holds: its writer must not be left with a pipe that is closed.
        let bytes = [UInt8](repeating: 1, count: 4_000)
        let pipe = try pipe(bytes)
        let reader = SecretReader(pipe.fileHandleForReading.fileDescriptor)
        #expect(throws: SecretReader.Failure.tooLong) { try reader.line(longest: 100) }
        #expect(throws: SecretReader.Failure.tooLong) { try reader.everything(longest: 1_000) }
        withExtendedLifetime(pipe) {}
        #expect(throws: SecretReader.Failure.self) { try SecretReader(-1).everything(longest: 100) }
    }
}
