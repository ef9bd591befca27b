import Foundation
import Glibc
import LinuxSystem
import PortcullisCore
import PortcullisTesting
import Synchronization
import Testing

@testable import TerminalHost

/// Piped inputs whose reads may block although `poll(2)` has reported bytes.
@Suite("InputPump and reads that block", .timeLimit(.minutes(5)))
struct BlockingInputTests {
    /// Asks the pump twice. The first answer comes before the pump waits for input, the second one after it.
    private func ask(_ pump: InputPump) async throws {
        let answers = Mutex(0)
        let asking = Task {
            for _ in 1...2 {
                _ = await pump.lookAtClock()
                answers.withLock { $0 += 1 }
            }
        }
        try await BoundedWait.until("the answers", every: .milliseconds(5)) { answers.withLock(\.self) == 2 }
        await asking.value
    }

    @Test("P-20: a read of piped input that does not return keeps no event waiting, and no end of a run")
    func silentFile() async throws {
        // A read of more bytes waits for a second byte, and a poll does not. So does a file on a server that
        // does not answer.
        var ends: [Int32] = [-1, -1]
        try #require(unsafe socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends) == 0)
        let (input, writer) = (ends[0], ends[1])
        var least: Int32 = 2
        let size = socklen_t(MemoryLayout<Int32>.size)
        try #require(unsafe setsockopt(input, SOL_SOCKET, SO_RCVLOWAT, &least, size) == 0)
        let program = try #require(Descriptors.makePipe())
        defer { for end in [input, program.read] { close(end) } }
        let pump = try makePump(input, isPiped: true)
        try pump.start()
        pump.attach(master: -1, pipe: program.write)
        await pump.send(to: .program)
        Descriptors.write(Array("a".utf8), to: writer)
        try await ask(pump)
        #expect(waiting(in: program.read) == 0)
        Descriptors.write(Array("b".utf8), to: writer)
        try await BoundedWait.until("both bytes") { waiting(in: program.read) == 2 }
        Descriptors.write(Array("c".utf8), to: writer)
        try await ask(pump)
        let hasEnded = Atomic(false)
        let ending = Task {
            await pump.finish()
            hasEnded.store(true, ordering: .releasing)
        }
        try await BoundedWait.until("the end") { hasEnded.load(ordering: .acquiring) }
        await ending.value
        // The read returns, and its thread ends.
        close(writer)
        try await BoundedWait.until("the last read") { waiting(in: input) == 0 }
    }

    @Test("guard: the end of a file is found, and a line before it needs no line end")
    func file() async throws {
        let place = FileManager.default.temporaryDirectory.appending(path: "input-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: place) }
        try Data("835291\nlast".utf8).write(to: place)
        let input = unsafe open(place.path, O_RDONLY | O_CLOEXEC)
        try #require(input >= 0)
        defer { close(input) }
        let events = Mutex<[String]>([])
        let pump = try makePump(
            input,
            isPiped: true,
            deliver: { event in
                switch event {
                case .line(let line): events.withLock { $0.append("\(line.count)") }
                case .inputEnded: events.withLock { $0.append("end") }
                default: break
                }
            }
        )
        try pump.start()
        for count in 1...3 {
            await pump.send(to: .line)
            try await BoundedWait.until("the next line") { events.withLock(\.count) == count }
        }
        #expect(events.withLock(\.self) == ["6", "4", "end"])
        await pump.finish()
    }

    @Test("P-20: a pipe whose bytes another process reads first keeps no event waiting")
    func twoReaders() async throws {
        var ends: [Int32] = [-1, -1]
        try #require(unsafe pipe(&ends) == 0)
        let (input, writer) = (ends[0], ends[1])
        let program = try #require(Descriptors.makePipe())
        defer { for end in [input, program.read] { close(end) } }
        let isTaking = Atomic(true)
        let taken = Atomic(0)
        let hasEnded = Atomic(false)
        let pump = try makePump(
            input,
            isPiped: true,
            sinceBoot: {
                // The clock is read between the poll and the read.
                var byte: UInt8 = 0
                if isTaking.load(ordering: .relaxed), waiting(in: input) > 0 {
                    taken.add(unsafe read(input, &byte, 1), ordering: .relaxed)
                }
                return .zero
            },
            deliver: { event in
                if case .inputEnded = event { hasEnded.store(true, ordering: .releasing) }
            }
        )
        try pump.start()
        pump.attach(master: -1, pipe: program.write)
        await pump.send(to: .program)
        for number in 1...20 {
            Descriptors.write(Array("x".utf8), to: writer)
            try await BoundedWait.until("the other reader") { taken.load(ordering: .relaxed) == number }
            try await ask(pump)
        }
        isTaking.store(false, ordering: .relaxed)
        Descriptors.write(Array("on".utf8), to: writer)
        try await BoundedWait.until("the bytes") { waiting(in: program.read) == 2 }
        // The mode of the open file that other processes share is as before.
        #expect(fcntl(input, F_GETFL) & O_NONBLOCK == 0)
        close(writer)
        try await BoundedWait.until("the end") { hasEnded.load(ordering: .acquiring) }
        await pump.finish()
    }

    @Test("guard: the end of a FIFO is found, though its writer has gone before the pump starts")
    func goneWriter() async throws {
        let place = FileManager.default.temporaryDirectory.appending(path: "fifo-\(UUID().uuidString)").path
        try #require(unsafe mkfifo(place, 0o600) == 0)
        defer { unsafe unlink(place) }
        let input = unsafe open(place, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
        let writer = unsafe open(place, O_WRONLY | O_CLOEXEC)
        try #require(input >= 0 && writer >= 0 && fcntl(input, F_SETFL, 0) == 0)
        defer { close(input) }
        Descriptors.write(Array("early".utf8), to: writer)
        close(writer)
        let program = try #require(Descriptors.makePipe())
        defer { close(program.read) }
        let hasEnded = Atomic(false)
        let pump = try makePump(
            input,
            isPiped: true,
            deliver: { event in
                if case .inputEnded = event { hasEnded.store(true, ordering: .releasing) }
            }
        )
        try pump.start()
        pump.attach(master: -1, pipe: program.write)
        await pump.send(to: .program)
        try await BoundedWait.until("the end") { hasEnded.load(ordering: .acquiring) }
        #expect(waiting(in: program.read) == 5)
        await pump.finish()
    }
}
