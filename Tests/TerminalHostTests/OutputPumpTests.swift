import LinuxSystem
import Glibc
import PasscodeLock
import PortcullisCore
import PortcullisTesting
import Synchronization
import Testing

@testable import TerminalHost

/// What the program's output becomes on the terminal, in a time of its own.
@Suite("OutputPump (P-20, P-24)", .timeLimit(.minutes(5)))
struct OutputPumpTests {
    /// A pump between two pipes.
    private final class Bench: Sendable {
        let clock = ManualClock()
        let due = LockDue(idleTime: .seconds(10))
        let pump: OutputPump
        private let program: (read: Int32, write: Int32)
        private let terminal: (read: Int32, write: Int32)
        private let text = Mutex<[UInt8]>([])

        init(around: SurroundingTerminals = .none) async throws {
            program = try #require(Descriptors.makePipe())
            terminal = try #require(Descriptors.makePipe())
            let (notice, continuation) = AsyncStream<Void>.makeStream()
            withheld = notice
            pump = try OutputPump(
                terminal: terminal.write,
                face: .drawn,
                around: around,
                due: due,
                sinceBoot: { [clock] in clock.now.sinceBoot },
                withheld: { continuation.yield() }
            )
            try pump.start()
            pump.attach(master: program.read)
            _ = await pump.release(leaving: false)
        }

        /// Tells that output is kept back.
        let withheld: AsyncStream<Void>

        deinit {
            // Its thread would look at a clock that stands still, without a pause and without an end.
            Task { [pump, program, terminal] in
                await pump.finish(isCovered: false)
                for descriptor in [program.read, program.write, terminal.read, terminal.write] {
                    close(descriptor)
                }
            }
        }

        func prints(_ output: String) { Descriptors.write(Array(output.utf8), to: program.write) }

        /// All that reached the terminal, once the pump has read what the program printed.
        func shown() async -> String {
            // The first is obeyed before it reads, the second after.
            for _ in 0..<2 { await pump.flush() }
            var buffer = [UInt8](repeating: 0, count: 1 << 16)
            let count = unsafe read(terminal.read, &buffer, buffer.count)
            return text.withLock { text in
                if count > 0 { text += buffer[..<count] }
                return String(decoding: text, as: UTF8.self)
            }
        }

        /// What reaches a terminal that has taken nothing so far, up to a text.
        func takes(upTo end: String) async -> String {
            var buffer = [UInt8](repeating: 0, count: 1 << 16)
            var taken = ""
            while !taken.contains(end) {
                let count = unsafe read(terminal.read, &buffer, buffer.count)
                if count > 0 {
                    taken += String(decoding: buffer[..<count], as: UTF8.self)
                } else {
                    await Task.yield()
                }
            }
            return taken
        }

        /// Takes some of what waits for the terminal.
        @discardableResult
        func takeSome() -> String {
            var buffer = [UInt8](repeating: 0, count: 4096)
            let count = unsafe read(terminal.read, &buffer, buffer.count)
            return count > 0 ? String(decoding: buffer[..<count], as: UTF8.self) : ""
        }

        func wait(for part: String) async {
            while await !shown().contains(part) { await Task.yield() }
        }
    }

    @Test("P-20: output is withheld after a sleep that ends after the idle deadline, though it was short")
    func dueInSum() async throws {
        let bench = try await Bench()
        bench.due.personWasActive(at: bench.clock.now.sinceBoot)
        await bench.clock.advance(by: .seconds(5))
        bench.prints("early")
        await bench.wait(for: "early")
        await bench.clock.advance(by: .seconds(5))
        bench.prints("late")
        for await _ in bench.withheld { break }
        #expect(await !bench.shown().contains("late"))
        await bench.pump.goOn()
        await bench.wait(for: "late")
    }

    @Test("P-24: a lock while a slow terminal is shown what was kept comes before the rest of it")
    func keptInPieces() async throws {
        let bench = try await Bench()
        _ = await bench.pump.hold()
        let lines = (0..<10_000).map { "secret line \($0) of what was kept\r\n" }
        for line in lines { bench.prints(line) }
        _ = await bench.pump.release(leaving: false)
        _ = await bench.pump.hold()
        bench.pump.draw(Array("COVER".utf8))
        let before = await bench.takes(upTo: "COVER")
        // What the pipe holds, and one piece that waits for it.
        #expect(before.utf8.count < 80_000)
        _ = await bench.pump.release(leaving: false)
        bench.prints("END")
        let after = await bench.takes(upTo: "END")
        let all = (before + after).replacing(ScreenModes.breakOff(around: .none), with: "")
            .replacing("COVER", with: "").replacing(ScreenModes.focusReports, with: "")
        #expect(all.hasSuffix(lines.suffix(9_000).joined() + "END"), "nothing of it is lost")
    }

    @Test("an end by a signal does not wait for a reader that is slow but steady")
    func steadyReader() async throws {
        let bench = try await Bench()
        _ = await bench.pump.hold()
        for number in 0..<20_000 { bench.prints("line \(number) of what was kept\r\n") }
        _ = await bench.pump.release(leaving: false)
        let reader = Task {
            while !Task.isCancelled {
                bench.takeSome()
                try? await Task.sleep(for: .milliseconds(100))
            }
        }
        let began = ContinuousClock.now
        bench.pump.hurry()
        #expect(await !bench.pump.finish(isCovered: false), "the rest is dropped")
        #expect(ContinuousClock.now - began < .seconds(10))
        reader.cancel()
    }

    @Test("P-24: what comes after a pause of the terminal is shown at the end, and the terminal is restored")
    func pauseAtEnd() async throws {
        let bench = try await Bench()
        _ = await bench.pump.hold()
        for number in 0..<10_000 { bench.prints("line \(number) of what was kept\r\n") }
        _ = await bench.pump.release(leaving: false)
        // It is not read before all that was kept is shown.
        bench.prints("\u{1B}[?2004hEND")
        let isOver = Mutex(false)
        let taking = Mutex("")
        // The reader has a thread of its own, because tasks may run late.
        try Threads.startAtOnce {
            // Longer than the pump waits before it drops output, and shorter than twice that.
            usleep(1_500_000)
            while true {
                let isLast = isOver.withLock { $0 }
                let some = bench.takeSome()
                taking.withLock { $0 += some }
                if some.isEmpty { if isLast { break } else { usleep(1_000) } }
            }
            taking.withLock { $0 += "\u{0}" }
        }
        #expect(await !bench.pump.finish(isCovered: false), "what waited during the pause is dropped")
        isOver.withLock { $0 = true }
        try await BoundedWait.until("the reader") { taking.withLock { $0.hasSuffix("\u{0}") } }
        let taken = taking.withLock { $0 }
        #expect(taken.contains("line 9999 of what was kept\r\n"))
        #expect(taken.contains("END"))
        #expect(taken.contains("\u{1B}[?2004l"), "a mode that was set last is undone, too")
    }

    @Test(
        "P-24: text is shown again after what only some terminals take for a string",
        arguments: [
            "\u{1B}!A", "\u{1B}kx", "\u{1B}\"x", "\u{1B}(Px", "\u{90}x", "\u{9D}0;x", "\u{1B}]R",
            "\u{1B}]P0ff0000",
        ],
        [false, true]
    )
    func doubtfulStrings(start: String, isLocked: Bool) async throws {
        let bench = try await Bench()
        bench.prints("before" + start)
        await bench.wait(for: start)
        if isLocked {
            _ = await bench.pump.hold()
            bench.prints("one line\r\n")
            _ = await bench.pump.release(leaving: true)
        } else {
            await bench.clock.advance(by: FocusRenewal.patience + .seconds(1))
            bench.prints("one line\r\n")
        }
        await bench.wait(for: "one line\r\n")
        bench.prints("\u{1B}[?1049l[another]")
        await bench.wait(for: "\u{1B}[?1049l[another]")
    }

    @Test("P-24: the rest of a string that was broken off never appears, and the sequence that ends it does")
    func certainStrings() async throws {
        let bench = try await Bench()
        bench.prints("\u{1B}P1;2q#0")
        await bench.wait(for: "#0")
        _ = await bench.pump.hold()
        bench.prints("#rest\u{1B}[?1049lshown")
        _ = await bench.pump.release(leaving: true)
        await bench.wait(for: "\u{1B}[?1049lshown")
        #expect(await !bench.shown().contains("#rest"))
    }

    @Test("P-24: of what was broken off because it went on for too long nothing is lost beyond its line")
    func endlessString() async throws {
        let bench = try await Bench()
        bench.prints("\u{1B}]0;title")
        await bench.wait(for: "]0;title")
        await bench.clock.advance(by: FocusRenewal.patience + .seconds(1))
        await bench.wait(for: ScreenModes.breakOff(around: .none))
        bench.prints("rest\r\nlog 1\r\n")
        await bench.wait(for: "\r\nlog 1\r\n")
        #expect(await !bench.shown().contains("rest"))
        bench.prints("log 2\r\n")
        await bench.wait(for: "log 2\r\n")
    }

    @Test("P-24: in GNU screen no message of its message line reaches the terminal")
    func messages() async throws {
        let bench = try await Bench(around: SurroundingTerminals(environment: ["STY": "1.pts-0.host"]))
        for part in ["one\u{1B}", "!message", " goes on\u{1B}", "\\two", "\u{1B}^message\u{1B}\\three\n"] {
            bench.prints(part)
            _ = await bench.shown()
        }
        await bench.wait(for: "three")
        #expect(await !bench.shown().contains("message"))
        #expect(await bench.shown().contains("two"))
    }

    @Test("P-20: output after an absence as long as the timeout is kept back until it is clear what it means")
    func absence() async throws {
        let bench = try await Bench()
        bench.pump.setTimeout(.after(.seconds(2)))
        bench.prints("old")
        await bench.wait(for: "old")
        await bench.clock.advance(by: .seconds(6))
        bench.prints("new")
        for await _ in bench.withheld { break }
        #expect(await !bench.shown().contains("new"))
        await bench.pump.goOn()
        await bench.wait(for: "new")

        await bench.clock.advance(by: .seconds(6))
        bench.prints("newer")
        _ = await bench.shown()
        _ = await bench.pump.hold()
        await bench.pump.goOn()
        #expect(await !bench.shown().contains("newer"), "covered meanwhile")
        _ = await bench.pump.release(leaving: true)
        await bench.wait(for: "newer")
    }

    @Test("P-20: an absence while a run is ending keeps nothing back, because it can no longer lock")
    func absenceAtEnd() async throws {
        let bench = try await Bench()
        bench.pump.setTimeout(.after(.seconds(2)))
        _ = await bench.pump.hold()
        // More than the pipe holds, so that the end waits for the reader.
        for number in 0..<10_000 { bench.prints("line \(number) of the program's output\r\n") }
        _ = await bench.pump.release(leaving: false)
        // It is not read before all that was kept is shown.
        bench.prints("END")
        let reader = Task {
            var taken = ""
            while !Task.isCancelled {
                let some = bench.takeSome()
                taken += some
                // By then the pump has begun to end.
                if taken.utf8.count > 1 << 14, !some.isEmpty {
                    await bench.clock.advance(by: .seconds(6))
                } else {
                    await Task.yield()
                }
            }
            return taken
        }
        let isWhole = await bench.pump.finish(isCovered: false)
        reader.cancel()
        var taken = await reader.value
        var rest: String
        repeat {
            rest = bench.takeSome()
            taken += rest
        } while !rest.isEmpty
        #expect(isWhole && taken.contains("END"), "nothing is dropped")
    }

    @Test("P-20: an absence shorter than the timeout keeps nothing back")
    func shortAbsence() async throws {
        let bench = try await Bench()
        bench.pump.setTimeout(.after(.seconds(60)))
        bench.prints("old")
        await bench.wait(for: "old")
        await bench.clock.advance(by: .seconds(6))
        bench.prints("new")
        await bench.wait(for: "new")
    }
}
