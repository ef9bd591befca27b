import PortcullisTesting
import Synchronization
import TerminalEmulator
import Testing

@testable import TerminalHost

@Suite("StatusTerminal", .timeLimit(.minutes(5)))
struct StatusTerminalTests {
    @Test("the line stays below what is written above it, and is broken nowhere")
    func line() async throws {
        let person = try PersonTerminal(columns: 20, rows: 6)
        let held = Held(text: "first")
        let status = StatusTerminal(
            on: person.terminal,
            line: { width in held.text.withLock { String($0.prefix(width)) } },
            gone: {}
        )
        status.redraw(all: false)
        try await person.wait(for: "first")
        status.write(["one", "a line that is longer than the window"])
        try await person.wait("both") { $0.text.contains("window\nfirst") }
        held.text.withLock { $0 = String(repeating: "x", count: 40) }
        status.redraw(all: false)
        try await person.wait("the new one") { $0.lines.contains(String(repeating: "x", count: 19)) }
        #expect(!person.screen.text.contains("first"))
        await status.withoutLine { #expect(!person.raw.isEmpty) }
        await status.settle()
        try await person.wait("it again") { $0.lines.contains(String(repeating: "x", count: 19)) }
    }

    private final class Held: Sendable {
        let text: Mutex<String>
        init(text: String) { self.text = Mutex(text) }
    }
}
