import Foundation
import Glibc
import TerminalEmulator
import Testing

/// What is covered, and when.
@Suite("guard covers (P-20, P-23, P-24)", .serialized)
struct GuardCoverTests {
    private let passcode = "835291"

    /// Holds the lock of a run's store, as another process that writes.
    private func holdStore(of run: GuardedRun) throws -> Int32 {
        let path = run.home.appending(path: "portcullis/default.keystore.lock").path(percentEncoded: false)
        let file = unsafe open(path, O_RDWR | O_CLOEXEC)
        try #require(file >= 0 && flock(file, LOCK_EX | LOCK_NB) == 0)
        return file
    }

    // The store is waited for longer than these tests wait for anything: covered after it would be too late.
    @Test(
        "P-24: content is gone at once while another process holds the store",
        arguments: [
            (["--lock-timeout", "1h"], "\u{1D}"), (["--lock-timeout", "1h", "--timeout", "0s"], "\u{1B}[O"),
        ]
    )
    func heldStore(options: [String], key: String) async throws {
        let run = try GuardedRun(["guard"] + options + ["--", "sh", "-c", "echo priv\"\"ate; cat"])
        try await run.setPasscode(passcode)
        try await run.waitForText("private")
        let file = try holdStore(of: run)
        run.type(key)
        try await run.wait("the cover") { !$0.text.contains("private") }
        try await run.waitForText("Enter Passcode")
        close(file)
        run.type("\u{1B}[I")
        try await run.unlockUnderNoTimeout(passcode)
        try await run.waitForText("private")
        run.send(SIGTERM)
        #expect(try await run.waitForEnd() == 143)
    }

    @Test("P-23: idle, content is gone at once while another process holds the store")
    func heldStoreIdle() async throws {
        let run = try GuardedRun([
            "guard", "--lock-timeout", "1h", "--idle", "3s", "--", "sh", "-c", "echo priv\"\"ate; cat",
        ])
        try await run.setPasscode(passcode)
        try await run.waitForText("private")
        let file = try holdStore(of: run)
        try await run.wait("the cover") { !$0.text.contains("private") }
        try await run.waitForText("Enter Passcode")
        // It ends all the same, though it cannot note that.
        run.send(SIGTERM)
        #expect(try await run.waitForEnd() == 143)
        close(file)
    }

    @Test(
        "P-24: a run that begins locked shows its screen while the store is held, and can be ended"
    )
    func heldStoreAtTheBeginning() async throws {
        let first = try GuardedRun(["guard", "--", "cat"])
        try await first.setPasscode(passcode)
        try await first.lock()
        first.send(SIGTERM)
        #expect(try await first.waitForEnd() == 143)
        let file = try holdStore(of: first)
        let next = try GuardedRun(["guard", "--lock-timeout", "1h", "--", "cat"], home: first.home)
        try await next.waitForText("Enter Passcode")
        next.send(SIGTERM)
        #expect(try await next.waitForEnd() == 143)
        close(file)
    }

    @Test("P-24: a run that is stopped while another process holds the store stops, and ends afterwards")
    func heldStoreAtAStop() async throws {
        let run = try GuardedRun(
            ["guard", "--lock-timeout", "1h", "--", "sh", "-c", "echo priv\"\"ate; cat"],
            isJob: true
        )
        try await run.setPasscode(passcode)
        try await run.waitForText("private")
        let file = try holdStore(of: run)
        run.send(SIGTSTP)
        try await run.wait("the stop") { _ in run.isStopped }
        run.send(SIGTERM)
        run.resume()
        #expect(try await run.waitForEnd() == 143)
        close(file)
    }

    @Test("P-20: in the background it leaves the terminal to the shell, and starts when it is in front")
    func background() async throws {
        let tool = [Tool.executable.path, "guard", "--", "sh", "-c", "echo ready; cat"]
        let run = try GuardedRun(["-c", GuardedRun.inBackground] + tool, executable: "/bin/sh")
        _ = try await run.stoppedJob()
        #expect(run.attributes == run.firstAttributes)
        #expect(!run.screen.isAlternate)
        try run.bringToFront()
        try await run.setPasscode(passcode)
        try await run.waitForText("ready")
        run.type("\u{4}")
        #expect(try await run.waitForEnd() == 0)
        #expect(run.attributes == run.firstAttributes)
    }

    @Test("P-20: started behind a shell's line, its program has the terminal's attributes, not the line's")
    func behindLineEditor() async throws {
        let tool = [Tool.executable.path, "guard", "--", "stty", "-a"]
        let run = try GuardedRun(["-c", GuardedRun.behindLineEditor] + tool, executable: "/bin/sh")
        _ = try await run.stoppedJob()
        #expect(run.attributes != run.firstAttributes)
        try run.bringToFront()
        try await run.setPasscode(passcode)
        #expect(try await run.waitForEnd() == 0)
        #expect(run.screen.text.contains("icanon") && !run.screen.text.contains("-icanon"))
        #expect(!run.screen.text.contains("-icrnl"))
        #expect(run.attributes == run.firstAttributes)
    }

    /// Runs a guarded program in a shell's job, stops the job when its screen shows a text, and waits until it
    /// has stopped again in the background.
    private func stoppedBehind(
        _ script: String,
        _ guarded: [String],
        at text: String,
        by signal: Int32
    ) async throws -> (run: GuardedRun, job: Int32) {
        let run = try GuardedRun(["-c", script, Tool.executable.path] + guarded, executable: "/bin/sh")
        try await run.setPasscode(passcode)
        try await run.waitForText(text)
        let job = run.front
        kill(job, signal)
        try await run.waitForText("behind")
        try await run.wait("another stop") { _ in GuardedRun.state(of: job) == "T" }
        return (run, job)
    }

    /// Brings the job to the front, expects that it is locked before it shows anything, and ends it.
    private func expectLockInFront(_ run: GuardedRun) async throws {
        try run.bringToFront()
        try await run.waitForText("Enter Passcode")
        #expect(!run.screen.text.contains("private"))
        try await run.unlockUnderNoTimeout(passcode)
        try await run.waitForText("private")
        run.type("\u{4}")
        #expect(try await run.waitForEnd() == 0)
        #expect(run.attributes == run.firstAttributes)
    }

    @Test("P-20: put in the background after a stop it shows nothing, and locks when it is in front")
    func throughBackground() async throws {
        let guarded = ["guard", "--timeout", "0s", "--", "sh", "-c", "echo priv\"\"ate; cat"]
        let (run, _) = try await stoppedBehind(
            GuardedRun.throughBackground,
            guarded,
            at: "private",
            by: SIGTSTP
        )
        #expect(run.attributes == run.firstAttributes)
        #expect(!run.screen.isAlternate && run.screen.text.contains("behind"))
        try await expectLockInFront(run)
    }

    @Test(
        "P-20: stopped by SIGSTOP and put in the background it locks when it is in front, and not before",
        arguments: [["--timeout", "0s"], ["--timeout", "never", "--idle", "3s"]]
    )
    func awayThroughBackground(options: [String]) async throws {
        let guarded = ["guard"] + options + ["--", "sh", "-c", "echo priv\"\"ate; cat"]
        let (run, _) = try await stoppedBehind(
            GuardedRun.awayThroughBackground,
            guarded,
            at: "private",
            by: SIGSTOP
        )
        #expect(!run.screen.isAlternate && !run.screen.text.contains("Enter Passcode"))
        try await expectLockInFront(run)
    }

    @Test("P-20: a signal ends it in the background, and the terminal stays the shell's")
    func endedInBackground() async throws {
        let guarded = ["guard", "--timeout", "0s", "--", "sh", "-c", "echo ready; cat"]
        let (run, job) = try await stoppedBehind(
            GuardedRun.throughBackground,
            guarded,
            at: "ready",
            by: SIGTSTP
        )
        try await run.end(job: job)
        #expect(run.attributes == run.firstAttributes)
        #expect(!run.screen.isAlternate && run.screen.text.contains("behind"))
        try run.bringToFront()
        #expect(try await run.waitForEnd() == 128 + SIGTERM)
    }

    @Test("P-24: without a passcode the lock key covers until the store has been asked, then offers one")
    func nothingToLockWith() async throws {
        let run = try GuardedRun(["guard", "--lock-timeout", "1h", "--", "sh", "-c", "echo priv\"\"ate; cat"])
        try await run.waitForText("Set up later")
        run.type("\t\r")
        try await run.waitForText("private")
        let file = try holdStore(of: run)
        run.type("\u{1D}")
        try await run.wait("the cover") { !$0.text.contains("private") }
        close(file)
        try await run.waitForText("Create a passcode")
        run.type("\t\r")
        try await run.waitForText("private")
        run.send(SIGTERM)
        #expect(try await run.waitForEnd() == 143)
    }

    @Test(
        "P-24: the program's title is not read while locked, and is back afterwards",
        arguments: [true, false]
    )
    func title(keepsTitles: Bool) async throws {
        let run = try GuardedRun(
            ["guard", "--", "sh", "-c", #"printf '\033]0;private\007ready\n'; cat"#],
            keepsTitles: keepsTitles
        )
        try await run.setPasscode(passcode)
        try await run.waitForText("ready")
        #expect(run.screen.title == "private")
        try await run.lock()
        #expect(run.screen.title == "Portcullis")
        try await run.unlock(passcode)
        try await run.wait("the program's title") { $0.title == "private" }
        try await run.lock()
        run.type("\t\r")
        try await run.waitForText("This ends the program")
        run.type("\t\r")
        #expect(try await run.waitForEnd() == 129)
        #expect(run.screen.title == (keepsTitles ? "" : "Portcullis"))
        #expect(run.raw.contains("logged out"))
    }

    @Test(
        "P-24: titles that the program has saved are not the window's title after a locked session has ended",
        arguments: [1, 12, 100]
    )
    func savedTitles(_ count: Int) async throws {
        let saves = String(repeating: #"\033[22;2t\033]2;private\007"#, count: count)
        let run = try GuardedRun(
            ["guard", "--", "sh", "-c", #"printf '\033]2;private\007\#(saves)ready\n'; cat"#]
        )
        try await run.setPasscode(passcode)
        try await run.waitForText("ready")
        #expect(run.screen.title == "private")
        try await run.lock()
        run.send(SIGTERM)
        #expect(try await run.waitForEnd() == 143)
        #expect(run.screen.title == "")
    }

    @Test("P-20: after output the terminal is asked anew to report its focus")
    func renewal() async throws {
        let run = try GuardedRun(["guard", "--", "sh", "-c", "read x; echo do\"\"ne; cat"])
        try await run.setPasscode(passcode)
        let before = run.raw.components(separatedBy: "\u{1B}[?1004h").count
        run.type("\n")
        try await run.waitForText("done")
        try await run.wait("another request") { _ in
            run.raw.components(separatedBy: "\u{1B}[?1004h").count > before
        }
        run.send(SIGTERM)
        #expect(try await run.waitForEnd() == 143)
    }

    @Test("guard: it says on its way in which key locks")
    func wayIn() async throws {
        let run = try GuardedRun(["guard", "--lock-key", "ctrl-l", "sh", "-c", "echo ready; exec cat"])
        try await run.waitForText("Set up later")
        run.type("\t\r")
        try await run.waitForText("no passcode is set; Ctrl-L sets one.")
        try await run.waitForText("ready")
        run.type("\u{C}")
        try await run.setPasscode(passcode)
        run.type("\u{4}")
        #expect(try await run.waitForEnd() == 0)
        let again = try GuardedRun(["guard", "sh", "-c", "exit 4"], home: run.home)
        #expect(try await again.waitForEnd() == 4)
        #expect(again.raw.contains("Ctrl-] locks."))
    }

    @Test("P-24: the lock key is understood on a Cyrillic layout", arguments: ["1098::93;5u", "1098;5u"])
    func cyrillic(key: String) async throws {
        let run = try GuardedRun(["guard", "--", "sh", "-c", #"printf '\033[>5uready\n'; cat"#])
        try await run.setPasscode(passcode)
        try await run.waitForText("ready")
        run.type("\u{1B}[\(key)")
        try await run.waitForText("Enter Passcode")
        run.send(SIGTERM)
        #expect(try await run.waitForEnd() == 143)
    }

    @Test(
        "P-32: told in lines on a terminal, a lock clears what was shown, and says how to answer and when it is open",
        arguments: [["--plain"], []]
    )
    func lines(options: [String]) async throws {
        let run = try GuardedRun(
            ["guard"] + options + ["--", "sh", "-c", "echo priv\"\"ate; exec cat"],
            variables: options.isEmpty ? ["TERM=dumb"] : []
        )
        try await run.waitForText("Create a passcode")
        run.type(passcode + "\r")
        try await run.waitForText("Confirm passcode")
        run.type(passcode + "\r")
        try await run.waitForText("private")
        #expect(!run.raw.contains("Open again"), "it was not open before")
        run.type("\u{1D}")
        try await run.waitForText("Enter Passcode")
        #expect(!run.screen.text.contains("private"))
        #expect(run.screen.text.contains("press Return"))
        #expect(run.screen.text.contains("scroll"))
        if options.isEmpty { #expect(!run.raw.contains("\u{1B}")) }
        run.type(passcode + "\r")
        try await run.waitForText("Open again")
        // What obeys no sequences was not cleared, as it said before.
        #expect(run.raw.contains("was cleared") == !options.isEmpty)
        run.type("more\n")
        try await run.wait("the program") { $0.lines.contains("more") }
        run.type("\u{4}")
        #expect(try await run.waitForEnd() == 0)
        #expect(!run.raw.contains(passcode))
    }

    @Test("P-32: told in lines, a passcode is heard also from a keyboard that sends every key as a sequence")
    func linesOfSequences() async throws {
        let run = try GuardedRun(["guard", "--plain", "--", "sh", "-c", "echo ready; exec cat"])
        try await run.waitForText("Create a passcode")
        run.type(passcode + "\r")
        try await run.waitForText("Confirm passcode")
        run.type(passcode + "\r")
        try await run.waitForText("ready")
        run.type("\u{1D}")
        try await run.waitForText("Enter Passcode")
        // With a wrong key taken back, and keys that are let go.
        let keys = passcode.unicodeScalars.map { "\u{1B}[\($0.value)u\u{1B}[\($0.value);1:3u" }
        run.type(keys.joined() + "\u{1B}[49;;49u\u{1B}[127u\u{1B}[13u")
        try await run.waitForText("Open again")
        run.type("\u{4}")
        #expect(try await run.waitForEnd() == 0)
    }

    @Test("P-4: a passcode is not shown where only standard input is a terminal")
    func outputIsPipe() async throws {
        let run = try GuardedRun(
            [
                "-c", "\"$0\" guard -- sh -c 'echo ready; read x; echo got $x; exit 4' | cat",
                Tool.executable.path,
            ],
            executable: "/bin/sh"
        )
        try await run.waitForText("Create a passcode")
        run.type(passcode + "\n")
        try await run.waitForText("Confirm passcode")
        run.type(passcode + "\n")
        try await run.waitForText("ready")
        run.type("\u{1D}\n")
        try await run.waitForText("Enter Passcode")
        run.type(passcode + "\n")
        // The terminal shows again what is typed for the program.
        try await run.wait("the echo") { _ in run.attributes == run.firstAttributes }
        run.type("end\n")
        try await run.waitForText("got end")
        #expect(try await run.waitForEnd() == 0, "the pipe's last")
        #expect(!run.raw.contains(passcode))
    }
}
