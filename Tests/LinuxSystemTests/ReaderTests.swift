import Foundation
import PortcullisCore
import Testing

@testable import LinuxSystem

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

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

    @Test("K-4: a secret is waited for also where another process has made the input non-blocking")
    func nonBlockingSecret() throws {
        let ends = try #require(Descriptors.makePipe())
        defer { close(ends.read) }
        let reader = SecretReader(ends.read)
        Thread.detachNewThread {
            usleep(20_000)
            Descriptors.write(Array("first\nthe ".utf8), to: ends.write)
            usleep(20_000)
            Descriptors.write(Array("rest".utf8), to: ends.write)
            close(ends.write)
        }
        #expect(text(try reader.line(longest: 100)) == "first")
        #expect(text(try reader.everything(longest: 100)) == "the rest")
    }

    @Test("S-5: before a reader waits for input it says so, and while input is there it does not")
    func beforeWaiting() async throws {
        let pipe = Pipe()
        let writer = pipe.fileHandleForWriting
        var reader = LineReader(pipe.fileHandleForReading.fileDescriptor)
        var waits = 0
        func next(_ written: String) throws -> String? {
            let line = try reader.next {
                waits += 1
                try writer.write(contentsOf: Data(written.utf8))
            }
            guard case .bytes(let bytes) = line else { return nil }
            return String(decoding: bytes, as: UTF8.self)
        }
        #expect(try next("a\nb\nc") == "a")
        #expect(waits == 1)
        #expect(try next("none") == "b")
        #expect(waits == 1, "the second line was read with the first one")
        #expect(try next("d\n") == "cd")
        #expect(waits == 2)
        try writer.write(contentsOf: Data("e\n".utf8))
        #expect(try next("none") == "e")
        #expect(waits == 2, "there was input")
        try writer.write(contentsOf: Data("f".utf8))
        try writer.close()
        #expect(try next("none") == "f")
        #expect(try next("none") == nil)
        #expect(waits == 2)
    }

    @Test("S-5: an error before the wait ends the read, and the next read goes on where it was")
    func stopped() throws {
        struct Stop: Error {}
        let pipe = Pipe()
        let writer = pipe.fileHandleForWriting
        var reader = LineReader(pipe.fileHandleForReading.fileDescriptor)
        try writer.write(contentsOf: Data("begin".utf8))
        #expect(throws: Stop.self) {
            _ = try reader.next { () throws(Stop) in throw Stop() }
        }
        try writer.write(contentsOf: Data("ning\n".utf8))
        guard case .bytes(let line) = reader.next(beforeWaiting: {}) else {
            Issue.record("the line is there")
            return
        }
        #expect(Array(line) == Array("beginning".utf8))
    }

    @Test("S-5: a descriptor that another process made non-blocking is waited on")
    func nonBlocking() async throws {
        let pipe = Pipe()
        let writer = pipe.fileHandleForWriting
        Descriptors.setNonBlocking(pipe.fileHandleForReading.fileDescriptor)
        let isWaiting = DispatchSemaphore(value: 0)
        Thread.detachNewThread {
            isWaiting.wait()
            // Real time: the reader has to come upon an empty pipe.
            usleep(20_000)
            try? writer.write(contentsOf: Data("late\n".utf8))
            try? writer.close()
        }
        var reader = LineReader(pipe.fileHandleForReading.fileDescriptor)
        var found: [String] = []
        while case .bytes(let line) = reader.next(beforeWaiting: { isWaiting.signal() }) {
            found.append(String(decoding: line, as: UTF8.self))
        }
        #expect(found == ["late"])
    }

    @Test("S-5: lines of all lengths around the reader's blocks come out whole")
    func blocks() throws {
        let lengths = (0..<40).map { ($0 * 4_099) % (LineReader.longest + 1) } + [LineReader.longest, 0, 1]
        var bytes: [UInt8] = []
        for (number, length) in lengths.enumerated() {
            bytes += [UInt8](repeating: UInt8(number), count: length).map { $0 == 10 ? 255 : $0 } + [10]
        }
        let pipe = try pipe(bytes)
        var reader = LineReader(pipe.fileHandleForReading.fileDescriptor)
        var found: [Int] = []
        while case .bytes(let line) = reader.next(beforeWaiting: {}) {
            let number = UInt8(found.count)
            #expect(line.allSatisfy { $0 == (number == 10 ? 255 : number) })
            found.append(line.count)
        }
        withExtendedLifetime(pipe) {}
        #expect(found == lengths)
    }

    @Test("S-5: a last line that is too long is named, too, and then the end comes")
    func longEnd() throws {
        for count in [LineReader.longest + 1, 3 * LineReader.longest] {
            let pipe = try pipe([UInt8](repeating: 120, count: count))
            var reader = LineReader(pipe.fileHandleForReading.fileDescriptor)
            guard case .tooLong = reader.next(beforeWaiting: {}) else {
                Issue.record("\(count) bytes are a line")
                return
            }
            #expect(reader.next(beforeWaiting: {}) == nil)
            withExtendedLifetime(pipe) {}
        }
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
        let folder = unsafe open("/", O_RDONLY | O_DIRECTORY)
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
        #expect(text(try reader.line(longest: 6)) == "123456")
        #expect(text(try reader.line(longest: 6)) == "")
        #expect(text(try reader.everything(longest: 4)) == "rest")
        #expect(try reader.line(longest: 6) == nil)
        withExtendedLifetime(pipe) {}
    }

    @Test("P-6: a return that is not the line's end counts as one byte more")
    func returnInLine() throws {
        let pipe = try pipe(Array("123456\r7\n\n12345\r\n".utf8))
        let reader = SecretReader(pipe.fileHandleForReading.fileDescriptor)
        #expect(throws: SecretReader.Failure.tooLong) { try reader.line(longest: 6) }
        #expect(text(try reader.line(longest: 6)) == "")
        #expect(text(try reader.line(longest: 6)) == "")
        #expect(text(try reader.line(longest: 6)) == "12345")
        withExtendedLifetime(pipe) {}
    }

    @Test("P-6: a secret of the longest length is taken, its end does not count, and what follows stays")
    func longestLine() throws {
        let pipe = try pipe(Array("123456\n1234567\n\r\nend".utf8))
        let reader = SecretReader(pipe.fileHandleForReading.fileDescriptor)
        #expect(text(try reader.line(longest: 6)) == "123456")
        #expect(throws: SecretReader.Failure.tooLong) { try reader.line(longest: 6) }
        // The byte that was too much is gone, and no further one.
        #expect(text(try reader.line(longest: 6)) == "")
        #expect(text(try reader.line(longest: 6)) == "")
        #expect(text(try reader.line(longest: 6)) == "end")
        #expect(try reader.line(longest: 6) == nil)
        withExtendedLifetime(pipe) {}
    }

    @Test("K-1: all bytes up to the longest length are read as they are, in however many blocks")
    func everything() throws {
        for count in [0, 1, 65_536, 65_537, 200_000] {
            let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31) }
            let pipe = try pipe(bytes)
            let reader = SecretReader(pipe.fileHandleForReading.fileDescriptor)
            let found = try reader.everything(longest: count)
            #expect(found.count == count)
            #expect(found.matches(SecretBytes(copying: bytes)))
            withExtendedLifetime(pipe) {}
        }
        let pipe = try pipe([UInt8](repeating: 1, count: 101))
        let reader = SecretReader(pipe.fileHandleForReading.fileDescriptor)
        #expect(throws: SecretReader.Failure.tooLong) { try reader.everything(longest: 100) }
        withExtendedLifetime(pipe) {}
        #expect(throws: SecretReader.Failure.system(EBADF)) { try SecretReader(-1).everything(longest: 100) }
    }

    @Test("K-3: the records of a stream are its lines that are not empty")
    func records() throws {
        let pipe = try pipe(Array("\n\none\n\n\ntwo\nthree".utf8))
        var reader = SecretReader(pipe.fileHandleForReading.fileDescriptor)
        var found: [String?] = []
        while let line = try reader.record(longest: 5) { found.append(text(line)) }
        #expect(found == ["one", "two", "three"])
        #expect(try reader.record(longest: 5) == nil)
        withExtendedLifetime(pipe) {}
        var none = SecretReader(-1)
        #expect(throws: SecretReader.Failure.system(EBADF)) { try none.record(longest: 5) }
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
