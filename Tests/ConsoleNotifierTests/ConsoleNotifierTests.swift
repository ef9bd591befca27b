import ConsoleNotifier
import PortcullisCore
import PortcullisTesting
import Synchronization
import Testing

#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

@Suite("ConsoleNotifier (X-2)", .timeLimit(.minutes(5)))
struct ConsoleNotifierTests {
    /// What a sink was given.
    final class Page: Sendable {
        private let text = Mutex("")
        var lines: [String] { text.withLock { $0.split(separator: "\n").map(String.init) } }
        @Sendable func write(_ bytes: [UInt8]) {
            text.withLock { $0 += String(decoding: bytes, as: UTF8.self) }
        }
    }

    let clock = ManualClock(wall: .seconds(1_767_268_800))
    let page = Page()

    private func notifier(_ format: LineFormat = .plain) -> ConsoleNotifier {
        ConsoleNotifier(format: format, clock: clock, sink: page.write)
    }

    private func note(_ id: String, title: String = "Title", body: String = "Body") -> LockNotification {
        LockNotification(id: id, title: title, body: body)
    }

    @Test("X-2: a notification is one line with its time, plain or JSON")
    func immediate() async throws {
        let plain = notifier()
        try await plain.deliver(note("a"))
        try await plain.deliver(note("b"))
        await plain.flush()
        #expect(page.lines == Array(repeating: "2026-01-01T12:00:00Z Title Body", count: 2))
        let json = LineFormat.jsonLines.line(for: note("c"), at: .seconds(-1))
        #expect(json == #"{"time":"1969-12-31T23:59:59Z","id":"c","title":"Title","body":"Body"}"#)
    }

    @Test("X-2: nothing in a notification reaches the terminal as a command")
    func neutralises() {
        let nasty = note(
            "\u{7}",
            title: "a\u{1B}]0;x\u{7}\"\\\nb\u{9B}2J\u{7F}",
            body: "\u{202E}dlog\u{2028}ü👩‍👧"
        )
        let plain = LineFormat.plain.line(for: nasty, at: .zero)
        let json = LineFormat.jsonLines.line(for: nasty, at: .zero)
        #expect(plain == "1970-01-01T00:00:00Z a\u{FFFD}]0;x\u{FFFD}\"\\ b\u{FFFD}2J\u{FFFD} \u{FFFD}dlog ü👩‍👧")
        #expect(
            json == #"{"time":"1970-01-01T00:00:00Z","id":"\u0007","#
                + #""title":"a\u001b]0;x\u0007\"\\\nb\u009b2J\u007f","body":"\u202edlog\u2028ü👩‍👧"}"#
        )
    }

    @Test("X-2: no character that a terminal could obey is left in a line, whichever it is")
    func everyCharacter() throws {
        let dangerous: [ClosedRange<UInt32>] = [0...0x1F, 0x7F...0x9F, 0x2028...0x202E, 0x2066...0x2069]
        for value in (0...0x2070 as ClosedRange<UInt32>) {
            guard let scalar = Unicode.Scalar(value) else { continue }
            let note = note("id", title: "a\(scalar)b", body: "")
            let isDangerous = dangerous.contains { $0.contains(value) }
            for format in [LineFormat.plain, .jsonLines] {
                let line = format.line(for: note, at: .zero)
                let isThere = line.dropFirst(22).unicodeScalars.contains(scalar) && value != 0x20
                #expect(!(isDangerous && isThere), "U+\(String(value, radix: 16))")
            }
        }
        let tabs = LineFormat.jsonLines.line(for: note("id", title: "a\tb\rc", body: ""), at: .zero)
        #expect(tabs.contains(#""title":"a\tb\rc""#))
    }

    @Test("X-2: a reader that is stuck never blocks the caller; a full backlog is an error")
    func stuckReader() async throws {
        var ends: [Int32] = [0, 0]
        try #require(unsafe pipe(&ends) == 0)
        let notifier = ConsoleNotifier(
            clock: clock,
            backlog: 8,
            sink: ConsoleNotifier.descriptorSink(ends[1])
        )
        // Each line is larger than a pipe: the first blocks the thread for good.
        let long = note("long", body: String(repeating: "x", count: 200_000))
        var taken = 0
        for _ in 0..<20 {
            do throws(NotifierError) {
                try await notifier.deliver(long)
                taken += 1
            } catch {
                #expect(error.code == .systemFailure)
            }
        }
        #expect(taken == 8)
        let flushing = Task { await notifier.flush() }
        flushing.cancel()
        await flushing.value
        // The reader goes away: the thread ends with errors of its own, the process lives on.
        close(ends[0])
        await notifier.flush()
        close(ends[1])
    }
}
