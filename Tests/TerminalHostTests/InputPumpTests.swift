import LinuxSystem
import Glibc
import PasscodeLock
import PortcullisCore
import PortcullisTesting
import Synchronization
import Testing

@testable import TerminalHost

@Suite("InputPump (P-31)", .timeLimit(.minutes(5)))
struct InputPumpTests {
    /// What was delivered and not taken.
    private final class Screen: Sendable {
        let typed = Mutex<[SecretBytes]>([])
        var count: Int { typed.withLock { $0.reduce(0) { $0 + $1.count } } }

        func take(_ event: GuardEvent) {
            if case .typed(let bytes) = event { typed.withLock { $0.append(bytes) } }
        }

        /// What was delivered, as text, which is taken.
        func text(of pump: InputPump) -> String {
            takeAll().map { bytes in
                pump.wasTaken(bytes)
                return bytes.withBytes { span in
                    String(decoding: span.indices.map { span[$0] }, as: UTF8.self)
                }
            }.joined()
        }

        func takeAll() -> [SecretBytes] {
            typed.withLock { all in
                defer { all = [] }
                return all
            }
        }
    }

    @Test(
        "P-31: of what is typed faster than a screen takes it only a little is kept, and the passcode after it is heard"
    )
    func bounded() async throws {
        let pipe = try #require(Descriptors.makePipe())
        defer { close(pipe.write) }
        let screen = Screen()
        let pump = try makePump(
            pipe.read,
            deliver: { event in
                if case .typed(let bytes) = event { screen.typed.withLock { $0.append(bytes) } }
            }
        )
        try pump.start()
        await pump.send(to: .screen)
        for _ in 0..<64 { Descriptors.write([UInt8](repeating: 0x78, count: 4096), to: pipe.write) }
        await waitUntilRead(pipe.read)
        // The last of it is dealt with before this is.
        _ = await pump.lookAtClock()
        #expect((1...InputPump.screenLimit).contains(screen.count))
        for bytes in screen.takeAll() { pump.wasTaken(bytes) }
        Descriptors.write(Array("835291".utf8), to: pipe.write)
        while screen.count == 0 { await Task.yield() }
        var heard: [UInt8] = []
        for bytes in screen.takeAll() {
            bytes.withBytes { span in for index in 0..<span.count { heard.append(span[index]) } }
        }
        #expect(heard == Array("835291".utf8))
        await pump.finish()
    }

    @Test("P-31: the rest of a reply whose beginning was lost beyond the limit is not typed")
    func lostBeginning() async throws {
        let pipe = try #require(Descriptors.makePipe())
        defer { close(pipe.write) }
        let screen = Screen()
        let pump = try makePump(pipe.read, isTerminal: true, deliver: screen.take)
        try pump.start()
        await pump.send(to: .screen)
        func write(_ text: String) async {
            Descriptors.write(Array(text.utf8), to: pipe.write)
            await waitUntilRead(pipe.read)
            _ = await pump.lookAtClock()
        }
        await write(String(repeating: "x", count: InputPump.screenLimit))
        await write("\u{1B}]l835")
        #expect(screen.text(of: pump).count == InputPump.screenLimit)
        await write("291\u{1B}\\7")
        #expect(screen.text(of: pump) == "7")
        await pump.finish()
    }

    @Test("P-31: the rest of a paste that began before a change reaches neither a screen nor the program")
    func pasteAcrossChange() async throws {
        let pipe = try #require(Descriptors.makePipe())
        let program = try #require(Descriptors.makePipe())
        defer { for end in [pipe.write, program.read, program.write] { close(end) } }
        let screen = Screen()
        let pump = try makePump(pipe.read, isTerminal: true, deliver: screen.take)
        try pump.start()
        pump.attach(master: program.write)
        func write(_ text: String) async {
            Descriptors.write(Array(text.utf8), to: pipe.write)
            await waitUntilRead(pipe.read)
            _ = await pump.lookAtClock()
        }
        for receiver in [InputPump.Receiver.screen, .program] {
            await pump.send(to: .none)
            Descriptors.write(Array("\u{1B}[200~8".utf8), to: pipe.write)
            await pump.send(to: receiver)
            await write("35\t\r")
            await write("291\u{1B}")
            await write("[201~7")
            if case .screen = receiver {
                #expect(screen.text(of: pump) == "7")
            } else {
                var read: [UInt8] = [0, 0, 0, 0]
                #expect(unsafe Glibc.read(program.read, &read, read.count) == 1)
                #expect(read[0] == UInt8(ascii: "7"))
            }
        }
        await pump.finish()
    }

    @Test("P-31: a terminal that answers without a pause keeps no change of the receiver waiting")
    func endlessAnswers() async throws {
        let pipe = try #require(Descriptors.makePipe())
        defer { close(pipe.write) }
        let screen = Screen()
        let pump = try makePump(pipe.read, isTerminal: true, deliver: screen.take)
        try pump.start()
        let isOver = Atomic(false)
        let hasEnded = Atomic(false)
        let written = Atomic(0)
        let answers = Array(String(repeating: "\u{1B}[?62;22c", count: 400).utf8)
        Threads.start {
            // A pump that waits for the end ends the test, too.
            while !isOver.load(ordering: .relaxed), written.load(ordering: .relaxed) < 64 << 20 {
                Descriptors.write(answers, to: pipe.write)
                written.add(answers.count, ordering: .relaxed)
            }
            hasEnded.store(true, ordering: .releasing)
        }
        try await BoundedWait.until("a full pipe") { written.load(ordering: .relaxed) > 40_000 }
        await pump.send(to: .none)
        #expect(written.load(ordering: .relaxed) < 32 << 20)
        isOver.store(true, ordering: .relaxed)
        await pump.send(to: .screen)
        try await BoundedWait.until("the end of the answers") { hasEnded.load(ordering: .acquiring) }
        await pump.finish()
    }

    @Test("P-20: the lock key that came while nothing was read locks before the program is given anything")
    func lockKeyInBetween() async throws {
        let pipe = try #require(Descriptors.makePipe())
        let program = try #require(Descriptors.makePipe())
        defer { for end in [pipe.write, program.read, program.write] { close(end) } }
        let keys = Mutex(0)
        let pump = try makePump(
            pipe.read,
            isTerminal: true,
            deliver: { event in
                if case .lockKey = event { keys.withLock { $0 += 1 } }
            }
        )
        try pump.start()
        pump.attach(master: program.write)
        await pump.send(to: .none)
        Descriptors.write(Array("x\u{1D}y".utf8), to: pipe.write)
        #expect(await !pump.send(to: .screen))
        #expect(keys.withLock(\.self) == 0, "a screen covers it already")
        await pump.send(to: .none)
        Descriptors.write(Array("x\u{1D}y".utf8), to: pipe.write)
        #expect(await pump.send(to: .program))
        #expect(keys.withLock(\.self) == 1)
        Descriptors.write(Array("z".utf8), to: pipe.write)
        _ = await pump.lookAtClock()
        #expect(!DescriptorWait.isReady(program.read, atMost: .zero), "it is the lock's now")
        await pump.finish()
    }

    @Test("P-20: of input that is dropped between receivers the focus reports count")
    func focusInBetween() async throws {
        let pipe = try #require(Descriptors.makePipe())
        defer { close(pipe.write) }
        let reports = Mutex<[Bool]>([])
        let pump = try makePump(
            pipe.read,
            isTerminal: true,
            deliver: { event in
                if case .focus(let isFocused) = event { reports.withLock { $0.append(isFocused) } }
            }
        )
        try pump.start()
        await pump.send(to: .none)
        Descriptors.write(Array("x\u{1B}[Oy".utf8), to: pipe.write)
        await pump.send(to: .line)
        #expect(reports.withLock(\.self) == [false])
        await pump.finish()
    }

    @Test("P-24: Return right after lost focus ends no line that was typed before it")
    func lineBeforeLostFocus() async throws {
        let pipe = try #require(Descriptors.makePipe())
        defer { close(pipe.write) }
        let lengths = Mutex<[Int]>([])
        let pump = try makePump(
            pipe.read,
            isTerminal: true,
            deliver: { event in
                if case .line(let line) = event { lengths.withLock { $0.append(line.count) } }
            }
        )
        try pump.start()
        await pump.send(to: .line)
        Descriptors.write(Array("835291\u{1B}[O\r".utf8), to: pipe.write)
        try await BoundedWait.until("a line") { lengths.withLock { !$0.isEmpty } }
        #expect(lengths.withLock(\.self) == [0])
        await pump.finish()
    }

    @Test("guard: a program or a reader that has gone does not end a host that leaves SIGPIPE as it is")
    func brokenPipes() async {
        await #expect(processExitsWith: .success) {
            signal(SIGPIPE, SIG_DFL)
            let input = try #require(Descriptors.makePipe())
            let program = try #require(Descriptors.makePipe())
            let pump = try makePump(input.read, isPiped: true)
            try pump.start()
            pump.attach(master: -1, pipe: program.write)
            close(program.read)
            Descriptors.write(Array("bytes".utf8), to: input.write)
            await pump.send(to: .program)
            try await BoundedWait.until("the bytes to be read") { waiting(in: input.read) == 0 }
            _ = await pump.lookAtClock()
            await pump.finish()

            let terminal = try #require(Descriptors.makePipe())
            close(terminal.read)
            let error = Mutex<Int32>(0)
            let output = try OutputPump(
                terminal: terminal.write,
                face: .stream,
                sinceBoot: { .zero },
                failed: { number in error.withLock { $0 = number } }
            )
            try output.start()
            output.draw(Array("text".utf8))
            try await BoundedWait.until("the failed write") { error.withLock(\.self) == EPIPE }
            await output.finish(isCovered: false)
        }
    }

    @Test(
        "P-20: the program gets nothing after a sleep that ends after the idle time or the end of an absence",
        arguments: [false, true]
    )
    func dueInSum(isIdle: Bool) async throws {
        let input = try #require(Descriptors.makePipe())
        let program = try #require(Descriptors.makePipe())
        defer { for end in [input.write, program.read] { close(end) } }
        let clock = ManualClock()
        let due = LockDue(idleTime: isIdle ? .seconds(10) : nil)
        let pump = try makePump(
            input.read,
            isPiped: true,
            due: due,
            sinceBoot: { clock.now.sinceBoot }
        )
        try pump.start()
        pump.attach(master: -1, pipe: program.write)
        pump.setTimeout(.after(.seconds(10)))
        let start = clock.now.sinceBoot
        if isIdle { due.personWasActive(at: start) } else { due.setAway(until: start + .seconds(10)) }
        await pump.send(to: .program)
        await clock.advance(by: .seconds(5))
        #expect(await pump.lookAtClock() == 1)
        Descriptors.write(Array("early".utf8), to: input.write)
        try await BoundedWait.until("the early bytes") { waiting(in: program.read) == 5 }
        await clock.advance(by: .seconds(5))
        #expect(await pump.lookAtClock() == 2)
        Descriptors.write(Array("late".utf8), to: input.write)
        for _ in 0..<2 { _ = await pump.lookAtClock() }
        #expect(waiting(in: program.read) == 5)
        await pump.send(to: .program)
        try await BoundedWait.until("the rest") { waiting(in: program.read) == 9 }
        await pump.finish()
    }

    @Test("P-23: of a pipe a screen gets the lines after the lock key, and the program all others")
    func answersInPipe() async throws {
        let input = try #require(Descriptors.makePipe())
        let program = try #require(Descriptors.makePipe())
        defer { for end in [input.write, program.read] { close(end) } }
        let lines = Mutex<[String]>([])
        let pump = try makePump(
            input.read,
            isPiped: true,
            deliver: { event in
                guard case .line(let line) = event else { return }
                let text = line.withBytes { span in
                    String(decoding: span.indices.map { span[$0] }, as: UTF8.self)
                }
                lines.withLock { $0.append(text) }
            }
        )
        func write(_ text: String) async {
            Descriptors.write(Array(text.utf8), to: input.write)
            await waitUntilRead(input.read)
            _ = await pump.lookAtClock()
        }
        try pump.start()
        pump.attach(master: -1, pipe: program.write)
        await pump.send(to: .line)
        await write("first\n")
        #expect(lines.withLock(\.self) == ["first"])
        await pump.send(to: .program)
        await pump.send(to: .line)
        await write("111111\nforgot\n")
        #expect(lines.withLock(\.self) == ["first"])
        #expect(waiting(in: program.read) == 0, "it is locked")
        await write("\u{1D}835291\n")
        #expect(lines.withLock(\.self) == ["first", "835291"])
        await pump.send(to: .program)
        await write("last\n")
        try await BoundedWait.until("the program's bytes") { waiting(in: program.read) == 19 }
        var buffer = [UInt8](repeating: 0, count: 64)
        let count = unsafe read(program.read, &buffer, buffer.count)
        #expect(String(decoding: buffer.prefix(count), as: UTF8.self) == "111111\nforgot\nlast\n")
        await pump.finish()
    }

    @Test("guard: what is piped in before the program has its pipe waits for it, and so does the end")
    func early() async throws {
        let input = try #require(Descriptors.makePipe())
        let program = try #require(Descriptors.makePipe())
        defer { close(program.read) }
        let pump = try makePump(input.read, isPiped: true)
        try pump.start()
        await pump.send(to: .program)
        Descriptors.write(Array("early".utf8), to: input.write)
        close(input.write)
        await waitUntilRead(input.read)
        _ = await pump.lookAtClock()
        pump.end()
        pump.attach(master: -1, pipe: program.write)
        #expect(fcntl(program.read, F_SETFL, O_NONBLOCK) == 0)
        var text: [UInt8] = []
        try await BoundedWait.until("the end") {
            var buffer = [UInt8](repeating: 0, count: 64)
            let count = unsafe read(program.read, &buffer, buffer.count)
            if count > 0 { text += buffer[..<count] }
            return count == 0
        }
        #expect(text == Array("early".utf8))
        await pump.finish()
    }

    @Test(
        "guard: what was piped in when an absence ends is not lost: before it is read, and after it was",
        arguments: [false, true]
    )
    func overAbsence(isRead: Bool) async throws {
        let input = try #require(Descriptors.makePipe())
        let program = try #require(Descriptors.makePipe())
        defer { for end in [input.read, input.write, program.read] { close(end) } }
        let now = Mutex(Duration.zero)
        let absences = Mutex(0)
        let pump = try makePump(
            input.read,
            isPiped: true,
            // The time passes before the bytes come, or once they were read.
            sinceBoot: { isRead && waiting(in: input.read) > 0 ? .zero : now.withLock(\.self) },
            deliver: { event in
                if case .wasAway = event { absences.withLock { $0 += 1 } }
            }
        )
        if isRead { now.withLock { $0 = .seconds(10) } }
        try pump.start()
        pump.setTimeout(.after(.seconds(5)))
        pump.attach(master: -1, pipe: program.write)
        await pump.send(to: .program)
        _ = await pump.lookAtClock()
        if !isRead { now.withLock { $0 = .seconds(10) } }
        Descriptors.write(Array("stream".utf8), to: input.write)
        try await BoundedWait.until("the absence") { absences.withLock(\.self) == 1 }
        _ = await pump.lookAtClock()
        #expect(waiting(in: program.read) == 0, "it is not known yet whether it locks")
        await pump.send(to: .program)
        try await BoundedWait.until("the bytes") { waiting(in: program.read) == 6 }
        await pump.finish()
    }

    /// Until the pump has read all of it.
    private func waitUntilRead(_ descriptor: Int32) async {
        while waiting(in: descriptor) > 0 { await Task.yield() }
    }
}

/// The number of bytes that can be read.
func waiting(in descriptor: Int32) -> Int32 {
    var count: Int32 = 0
    _ = unsafe ioctl(descriptor, UInt(FIONREAD), &count)
    return count
}

/// A pump that has not started.
func makePump(
    _ input: Int32,
    isTerminal: Bool = false,
    isPiped: Bool = false,
    due: LockDue = LockDue(),
    sinceBoot: @escaping @Sendable () -> Duration = { .zero },
    deliver: @escaping @Sendable (GuardEvent) -> Void = { _ in }
) throws -> InputPump {
    try InputPump(
        input: input,
        isTerminal: isTerminal,
        isPiped: isPiped,
        lockKey: .standard,
        wantsFocus: { false },
        due: due,
        sinceBoot: sinceBoot,
        deliver: deliver
    )
}
