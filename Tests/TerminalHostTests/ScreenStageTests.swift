import Glibc
import LockScreens
import PortcullisCore
import PortcullisTesting
import SystemClock
import TerminalEmulator
import TerminalScreens
import Testing

@testable import TerminalHost

/// Pictures on terminals of their own, in one process.
@MainActor
@Suite("ScreenStage", .timeLimit(.minutes(5)))
struct ScreenStageTests {
    /// Shows what was typed last, and the size.
    private final class Notes: StageLayer {
        var size = TerminalSize(columns: 1, rows: 1)
        var text = "nothing"
        var wasDismissed = false
        var watched: [Bool] = []
        private var shown: String?

        func handle(_ event: TerminalEvent) {
            if case .character(let scalar) = event { text = "typed \(scalar)" }
        }

        func refresh() -> FaceChange {
            defer { shown = text }
            return shown == text ? .nothing : .picture
        }

        func painting(shake: Int) -> Painting {
            var canvas = Canvas(size: size)
            canvas.draw("\(text) in \(size.columns) x \(size.rows)", x: 0, y: 0)
            return Painting(canvas: canvas)
        }

        func watch(_ isWatched: Bool) { watched.append(isWatched) }
        func dismiss() { wasDismissed = true }
    }

    private func stage(on person: PersonTerminal) throws -> ScreenStage {
        try ScreenStage(on: person.terminal, title: "Test", clock: SystemClock(), takesSignals: false)
    }

    @Test("keys behind Ctrl-C in one read do nothing more")
    func keysBehindInterrupt() async throws {
        let person = try PersonTerminal()
        let notes = Notes()
        let stage = try stage(on: person)
        let run = Task { try await stage.run { stage.show(notes) } }
        try await person.wait(for: "nothing")
        person.type("a\u{3}b")
        #expect(try await run.value == .interrupted)
        #expect(notes.text == "typed a")
    }

    @Test("two stages in one process each show what is typed at their terminal, and leave it as it was")
    func two() async throws {
        let (first, second) = (try PersonTerminal(), try PersonTerminal(columns: 40, rows: 10))
        let (one, other) = (Notes(), Notes())
        let (here, there) = (try stage(on: first), try stage(on: second))
        let running = Task { try await here.run { here.show(one) } }
        let another = Task { try await there.run { there.show(other) } }
        try await first.wait(for: "nothing in 80 x 24")
        try await second.wait(for: "nothing in 40 x 10")
        second.type("b")
        try await second.wait(for: "typed b in 40 x 10")
        first.resize(columns: 60, rows: 20)
        here.terminalWasResized()
        try await first.wait(for: "nothing in 60 x 20")
        second.type("\u{3}")
        #expect(try await another.value == .interrupted)
        first.type("a")
        try await first.wait(for: "typed a in 60 x 20")
        #expect(first.screen.isAlternate && !second.screen.isAlternate)
        here.close()
        #expect(try await running.value == .closed)
        #expect(one.wasDismissed && other.wasDismissed)
        for person in [first, second] {
            try await person.wait("the first screen") {
                !$0.isAlternate && $0.modes.isSubset(of: [7, 25, 64])
            }
            #expect(person.attributes == person.firstAttributes)
        }
    }

    @Test("a layer over another is seen, and takes what is typed, until it is removed; its changes are drawn")
    func layers() async throws {
        let person = try PersonTerminal()
        let stage = try stage(on: person)
        let (under, over) = (Notes(), Notes())
        over.text = "over"
        // Before the stage runs nothing is drawn.
        stage.show(under)
        let running = Task { try await stage.run() }
        try await person.wait(for: "nothing")
        stage.show(over)
        try await person.wait(for: "over")
        over.text = "changed"
        stage.layerChanged()
        try await person.wait(for: "changed")
        person.type("x")
        try await person.wait(for: "typed x")
        stage.remove(over)
        try await person.wait(for: "nothing")
        #expect(over.wasDismissed && !under.wasDismissed)
        person.type("\u{1B}[O")
        try await BoundedWait.until("the focus") { under.watched == [false] }
        running.cancel()
        #expect(try await running.value == .closed)
        await #expect(throws: TerminalHostError.self) { try await stage.run() }
    }

    @Test("P-20: the host learns of a sleep, and after a stop it is told before it is drawn")
    func absences() async throws {
        let (person, clock, notes) = (try PersonTerminal(), ManualClock(), Notes())
        let stage = try ScreenStage(
            on: person.terminal,
            title: "Test",
            clock: clock,
            takesSignals: false,
            wasAway: { moment in notes.text = "away for \(clock.now.elapsed(since: moment) ?? .zero)" }
        )
        let running = Task { try await stage.run { stage.show(notes) } }
        try await person.wait(for: "nothing")
        await clock.suspend(for: .seconds(3600))
        try await person.wait(for: "away for 3600.0 seconds")
        stage.deliver(.terminal(.focus(false)))
        try await BoundedWait.until("the focus") { notes.watched == [false] }

        // Another program leaves the terminal in this way.
        person.show("\u{1B}[?1004l\u{1B}[?1000l\u{1B}[?1006l\u{1B}[?2004l\u{1B}[?7h\u{1B}[?1049l")
        let shown = person.raw.count
        await clock.suspend(for: .seconds(60))
        stage.deliver(.terminal(.signal(SIGCONT)))
        try await person.wait("the modes and the picture") {
            $0.modes.isSuperset(of: [1000, 1004, 1006, 2004]) && !$0.modes.contains(7) && $0.isAlternate
                && $0.text.contains("away for 60.0 seconds")
        }
        #expect(!person.raw.dropFirst(shown).contains("3600.0"))
        stage.close()
        #expect(try await running.value == .closed)
    }
}
