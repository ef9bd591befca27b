#if os(Linux)
import Foundation
import Glibc
import GoalLock
import LockScreens
import PortcullisCore
import PortcullisTesting
import TerminalEmulator
import TerminalScreens
import Testing

@testable import TerminalHost
@testable import portcullis

/// `focus settings` from outside, with apps of its own. Serialized: each run has a terminal and threads of its own.
@Suite("focus settings (A-20, A-21, A-23)", .serialized)
struct FocusSettingsTests {
    /// A home with three apps, which is removed in the end.
    private final class Person: Sendable {
        let home: URL

        init() throws {
            home = FileManager.default.temporaryDirectory.appending(path: "settings-\(UUID().uuidString)")
            let applications = home.appending(path: "applications")
            try FileManager.default.createDirectory(at: applications, withIntermediateDirectories: true)
            for (name, label, category) in [
                ("fixture-chat", "Chat", "Network"), ("fixture-chess", "Chess", "Game"),
                ("fixture-odd", "Odd\u{1B}[2J\u{1B}]0;x\u{07} 漢字", "Graphics"),
            ] {
                let program = home.appending(path: name)
                try FileManager.default.copyItem(at: URL(filePath: "/bin/sleep"), to: program)
                let entry = """
                    [Desktop Entry]
                    Type=Application
                    Name=\(label)
                    Exec=\(program.path(percentEncoded: false)) 1000
                    Categories=\(category);

                    """
                try Data(entry.utf8).write(to: applications.appending(path: "\(name).desktop"))
            }
        }

        deinit { try? FileManager.default.removeItem(at: home) }

        func run(
            _ columns: Int = 80,
            _ rows: Int = 24,
            _ arguments: [String] = ["focus", "settings"],
            variables: [String] = [],
            isJob: Bool = false
        ) throws -> GuardedRun {
            try GuardedRun(
                arguments,
                columns: columns,
                rows: rows,
                home: home,
                variables: variables,
                isJob: isJob
            )
        }

        /// Gets past the introduction and switches the lock on.
        func enabled(_ run: GuardedRun) async throws {
            try await run.waitForText("Get Started")
            run.type("\r")
            // Until then the switch is busy, and takes nothing.
            try await run.waitForText("○━")
            run.type(" ")
            try await run.waitForText("━●")
            try await run.waitForText("Select Apps")
        }

        /// Chooses an app in the picker, or takes it back.
        func choose(_ label: String, in run: GuardedRun) async throws {
            run.type("\u{1B}[B\r")
            try await run.waitForText("type to search")
            run.type(label)
            try await run.waitForText("/ \(label)")
            run.type(" \r")
            try await run.wait("what comes of it") {
                !$0.text.contains("type to search")
                    && ($0.text.contains("━●") || $0.text.contains("Passcode"))
            }
        }
    }

    @Test("A-20, A-21, A-23: introduced once; what is chosen is kept; the terminal is as it was")
    func firstTime() async throws {
        let person = try Person()
        let run = try person.run()
        try await run.waitForText("Introducing App Lock")
        #expect(run.screen.isAlternate)
        try await person.enabled(run)
        try await person.choose("Chess", in: run)
        try await run.waitForText("• Chess")
        run.type("\u{1B}")
        #expect(try await run.waitForEnd() == 0)
        #expect(!run.screen.isAlternate && run.screen.modes == TerminalEmulator.modesAtFirst)
        #expect(run.attributes == run.firstAttributes)
        #expect(run.screen.text.contains("App Lock is on"))

        let again = try person.run()
        try await again.waitForText("• Chess")
        #expect(!again.raw.contains("Introducing"))
        again.type("\u{1B}")
        #expect(try await again.waitForEnd() == 0)
    }

    @Test("A-23: a label of a desktop file cannot steer the terminal")
    func foreignLabel() async throws {
        let person = try Person()
        let run = try person.run()
        try await person.enabled(run)
        run.type("\u{1B}[B\r")
        try await run.waitForText("Odd\u{FFFD}[2J\u{FFFD}]0;x\u{FFFD} 漢字")
        #expect(!run.raw.contains("\u{1B}]0;x"))
        run.type("\u{3}")
        #expect(try await run.waitForEnd() == 130)
        #expect(!run.screen.isAlternate)
    }

    @Test("A-9: switching off, and taking back what was chosen, ask for the passcode where one is set")
    func passcode() async throws {
        let person = try Person()
        let first = try person.run()
        try await person.enabled(first)
        try await person.choose("Chess", in: first)
        try await first.waitForText("• Chess")
        first.type("\u{1B}")
        _ = try await first.waitForEnd()
        let set = try person.run(80, 24, ["passcode", "set"])
        try await set.waitForText("New passcode:")
        set.type("835291\r")
        try await set.waitForText("again")
        set.type("835291\r")
        #expect(try await set.waitForEnd() == 0)

        let run = try person.run()
        try await run.wait("the settings") { $0.text.contains("• Chess") && $0.text.contains("━●") }
        run.type(" ")
        try await run.waitForText("Enter Passcode")
        run.type("111112")
        try await run.waitForText("Incorrect passcode")
        run.type("\u{1B}")
        try await run.wait("the lock still on") { $0.text.contains("━●") && $0.text.contains("• Chess") }
        // More may be chosen without asking; less may not.
        try await person.choose("Chat", in: run)
        try await run.wait("Chat as well") { $0.text.contains("• Chat") && $0.text.contains("━●") }
        run.type("\u{1B}[A")
        try await person.choose("Chess", in: run)
        try await run.waitForText("Enter Passcode")
        run.type("835291")
        try await run.wait("Chess taken back") {
            $0.text.contains("• Chat") && !$0.text.contains("Chess") && $0.text.contains("━●")
        }
        run.type("\u{1B}[A ")
        try await run.waitForText("Enter Passcode")
        run.type("835291")
        try await run.waitForText("Choose Apps to Lock")
        run.type("\u{1B}")
        #expect(try await run.waitForEnd() == 0)
        #expect(!run.raw.contains("835291"))
    }

    @Test("A-9: a passcode that was typed in part before the window lost the focus loosens nothing")
    func halfTyped() async throws {
        let person = try Person()
        let set = try person.run(80, 24, ["passcode", "set"])
        try await set.waitForText("New passcode:")
        set.type("835291\r")
        try await set.waitForText("again")
        set.type("835291\r")
        #expect(try await set.waitForEnd() == 0)
        let run = try person.run()
        try await person.enabled(run)
        run.type(" ")
        try await run.waitForText("Enter Passcode")
        run.type("83529\u{1B}[O1")
        try await run.wait("the settings, with the lock on") {
            $0.text.contains("━●") && !$0.text.contains("Enter Passcode")
        }
        // It is asked for anew.
        run.type("\u{1B}[I ")
        try await run.waitForText("Enter Passcode")
        run.type("835291")
        try await run.wait("the lock off") { $0.text.contains("○━") }
        run.type("\u{1B}")
        #expect(try await run.waitForEnd() == 0)
    }

    @Test("A-9: the guardian whom another process named while the settings were open is asked")
    func otherGuardian() async throws {
        let person = try Person()
        let set = try person.run(80, 24, ["passcode", "set", "--user", "parent"])
        try await set.waitForText("New passcode:")
        set.type("835291\r")
        try await set.waitForText("again")
        set.type("835291\r")
        #expect(try await set.waitForEnd() == 0)

        let run = try person.run()
        try await run.waitForText("Get Started")
        run.type("\r")
        try await run.waitForText("○━")
        let parent = try person.run(80, 24, ["focus", "settings", "--passcode-user", "parent"])
        try await parent.waitForText("○━")
        parent.type(" ")
        try await parent.waitForText("━●")
        parent.type("\u{1B}")
        #expect(try await parent.waitForEnd() == 0)

        try await run.waitForText("━●")
        run.type(" ")
        try await run.waitForText("Enter Passcode")
        run.type("835291")
        try await run.wait("the lock off") { $0.text.contains("○━") }
        run.type("\u{1B}")
        #expect(try await run.waitForEnd() == 0)
    }

    @Test("A-21: the screen follows the terminal's size and comes back after Ctrl-Z")
    func resizes() async throws {
        let person = try Person()
        let run = try person.run(isJob: true)
        try await run.waitForText("Get Started")
        run.resize(columns: 20, rows: 6)
        try await run.wait("a small picture") {
            $0.lines[5].contains("Get Started") && $0.lines[0].contains("Introducing App")
        }
        run.resize(columns: 80, rows: 24)
        try await run.waitForText("Take control of your screen time. Set daily limits for")
        run.type("\r")
        try await run.waitForText("Walk to Unlock")
        run.type("\u{1A}")
        try await run.waitUntilStopped()
        // What was written before it stopped may not be read yet.
        try await run.wait("the screen as it was") { !$0.isAlternate }
        #expect(run.attributes == run.firstAttributes)
        run.resume()
        try await run.wait("the screen") { $0.isAlternate && $0.text.contains("Walk to Unlock") }
        run.type("\u{1B}")
        #expect(try await run.waitForEnd() == 0)
    }

    @Test("A-20: in the background they leave the terminal to the shell, and are shown when in front")
    func background() async throws {
        let person = try Person()
        let words = ["-c", GuardedRun.inBackground, Tool.executable.path, "focus", "settings"]
        let run = try GuardedRun(words, executable: "/bin/sh", home: person.home)
        _ = try await run.stoppedJob()
        #expect(run.attributes == run.firstAttributes)
        #expect(!run.screen.isAlternate)
        try run.bringToFront()
        try await run.waitForText("Get Started")
        #expect(run.screen.isAlternate)
        run.type("\u{3}")
        #expect(try await run.waitForEnd() == 130)
        #expect(run.attributes == run.firstAttributes)
    }

    @Test("A-20: started behind a shell's line, they leave the terminal as the shell gave it to them")
    func behindLineEditor() async throws {
        let person = try Person()
        let words = ["-c", GuardedRun.behindLineEditor, Tool.executable.path, "focus", "settings"]
        let run = try GuardedRun(words, executable: "/bin/sh", home: person.home)
        _ = try await run.stoppedJob()
        #expect(run.attributes != run.firstAttributes)
        try run.bringToFront()
        try await run.waitForText("Get Started")
        run.type("\u{3}")
        #expect(try await run.waitForEnd() == 130)
        #expect(run.attributes == run.firstAttributes)
    }

    @Test("A-20: put in the background after Ctrl-Z they draw nothing, and a signal ends them there")
    func throughBackground() async throws {
        let person = try Person()
        let words = ["-c", GuardedRun.throughBackground, Tool.executable.path, "focus", "settings"]
        let run = try GuardedRun(words, executable: "/bin/sh", home: person.home)
        try await run.waitForText("Get Started")
        let job = run.front
        run.type("\u{1A}")
        try await run.waitForText("behind")
        try await run.wait("another stop") { _ in GuardedRun.state(of: job) == "T" }
        try await run.end(job: job)
        #expect(run.attributes == run.firstAttributes)
        #expect(!run.screen.isAlternate && run.screen.text.contains("behind"))
        try run.bringToFront()
        #expect(try await run.waitForEnd() == 128 + SIGTERM)
    }

    @Test("A-21: for another goal than steps the texts speak of that goal, which stays what it is called")
    func otherGoal() async throws {
        let person = try Person()
        let number = person.home.appending(path: "number").path(percentEncoded: false)
        try Data("3\n".utf8).write(to: URL(filePath: number))
        let start = ["focus", "run", "--once", "--goal", "3", "--title", "Pages", "--category", "Game"]
        let first = try person.run(80, 24, start + ["--progress-file", number])
        #expect(try await first.waitForEnd() == 0)
        let run = try person.run()
        try await run.waitForText("Get Started")
        #expect(!run.screen.text.contains("social apps"))
        run.type("\r")
        try await run.waitForText("(Pages)")
        #expect(!run.raw.contains("step goal") && !run.raw.contains("Walk"))
        run.type("\u{1B}")
        #expect(try await run.waitForEnd() == 0)
        let status = try person.run(80, 24, ["focus", "status"])
        #expect(try await status.waitForEnd() == 0)
        #expect(status.raw.contains("Pages"))
    }

    @Test("A-21: where no shell can continue it, Ctrl-Z does not stop it")
    func orphaned() async throws {
        let person = try Person()
        let run = try person.run()
        try await run.waitForText("Get Started")
        run.type("\u{1A}")
        try await run.wait("the screen anew") {
            run.raw.components(separatedBy: "\u{1B}[?1049h").count == 3 && $0.text.contains("Get Started")
        }
        run.type("\r")
        try await run.waitForText("Walk to Unlock")
        run.type("\u{1B}")
        #expect(try await run.waitForEnd() == 0)
    }

    @Test("A-20: the row moves for nobody while the window has no focus; a key goes on as ever")
    @MainActor
    func focus() async throws {
        let icons = ["Chess", "Chat"].map { ScreenIcon(symbol: $0, label: $0) }
        let presenter = ScreenPresenter(IntroductionScreen(icons: icons), clock: ManualClock()) { _ in nil }
        let layer = PresentedScreen(
            presenter,
            size: TerminalSize(columns: 80, rows: 24),
            abilities: TerminalAbilities(colours: false, unicode: true),
            watched: { $0 ? .appeared : .disappeared },
            changed: {}
        )
        presenter.handle(.appeared)
        presenter.handle(.tick(generation: 1))
        let offset = presenter.content.icons?.offset ?? 0
        #expect(offset > 0)
        layer.watch(false)
        presenter.handle(.tick(generation: 1))
        #expect(presenter.content.icons?.offset == offset)
        layer.watch(true)
        presenter.handle(.tick(generation: 2))
        #expect((presenter.content.icons?.offset ?? 0) > offset)

        let person = try Person()
        let run = try person.run()
        try await run.waitForText("Get Started")
        // The window loses the focus, and the terminal does not tell when it comes back.
        run.type("\u{1B}[O")
        run.type("\r")
        try await run.waitForText("Walk to Unlock")
        run.type("\u{1B}")
        #expect(try await run.waitForEnd() == 0)
    }

    @Test("A-21: a signal ends it with the terminal as it was", arguments: [SIGTERM, SIGHUP])
    func signals(number: Int32) async throws {
        let person = try Person()
        let run = try person.run(variables: ["NO_COLOR=1"])
        try await run.waitForText("Get Started")
        run.send(number)
        #expect(try await run.waitForEnd() == 128 + number)
        #expect(!run.screen.isAlternate && run.screen.modes == TerminalEmulator.modesAtFirst)
        #expect(run.attributes == run.firstAttributes)
        #expect(!run.raw.contains(";36m"))
    }

    @Test("A-21: without a terminal it says what to do instead, and makes nothing")
    func noTerminal() async throws {
        let tool = try Tool()
        defer { tool.remove() }
        let outcome = try await tool.run("focus", "settings")
        #expect(outcome.status == 2)
        #expect(outcome.errors.contains("needs a terminal"))
        #expect(!FileManager.default.fileExists(atPath: tool.store.path))
        let dumb = try Person().run(variables: ["TERM=dumb"])
        #expect(try await dumb.waitForEnd() == 2)
        #expect(dumb.screen.text.contains("TERM=dumb"))
    }

    @Test("A-11: a damaged store ends it with an error of its own, before any screen appears")
    func damaged() async throws {
        let person = try Person()
        let first = try person.run()
        try await person.enabled(first)
        first.type("\u{1B}")
        _ = try await first.waitForEnd()
        let store = person.home.appending(path: "portcullis/default.keystore")
        var bytes = try Data(contentsOf: store)
        // Beyond the header pages, in the frames.
        let last = try #require(bytes.lastIndex { $0 != 0 })
        bytes[8192 + (last - 8192) / 2] ^= 0x40
        try bytes.write(to: store)
        let run = try person.run()
        #expect(try await run.waitForEnd() == 4)
        #expect(!run.raw.contains("\u{1B}[?1049h"))
    }
}
#endif
