import Foundation
import Glibc
import TerminalEmulator
import Testing

/// Sealed sessions from outside: what can be read where, over the whole life of a seal.
@Suite("guard --seal (K-8)", .serialized, .timeLimit(.minutes(10)))
struct SealTests {
    private let passcode = SealedHome.passcode

    @Test(
        "K-8: inside an unlocked session sealed values are read and set; elsewhere, and locked, they are not"
    )
    func session() async throws {
        let home = try await SealedHome()
        defer { home.remove() }
        let outside = home.outside
        let run = try await home.sealed()
        defer { withExtendedLifetime(run) {} }

        run.type("\(Tool.executable.path) secret get shut | cat && echo ' from inside'\n")
        try await run.waitForText("shut-value from inside")
        let inside = try home.inside()
        #expect(try await inside.run("secret", "set", "new", input: "new-value").status == 0)
        #expect(try await inside.run("secret", "get", "new").text == "new-value")
        let lines = "{\"name\":\"l1\",\"value\":\"MQ==\"}\n{\"name\":\"l2\",\"value\":\"Mg==\"}\n"
        #expect(try await inside.run("secret", "import-lines", "--batch", input: lines).status == 0)
        #expect(try await inside.run("secret", "get", "l2").text == "2")
        #expect(try await inside.run("secret", "remove", "l1").status == 0)
        #expect(try await inside.run("secret", "get", "l1").status == 1)

        try await expectShut(outside, home)

        try await run.lock()
        try await expectShut(inside, home)
        try await expectShut(outside, home)

        try await run.unlock(passcode)
        #expect(try await inside.run("secret", "get", "shut").text == "shut-value")
        #expect(try await outside.run("secret", "get", "shut").status == 10)

        run.type("exit 7\n")
        #expect(try await run.waitForEnd() == 7)
        #expect(!FileManager.default.fileExists(atPath: try home.agent()), "the socket goes with the session")
        #expect(try await inside.run("secret", "get", "shut").status == 10)
        #expect(!run.raw.contains(SealedHome.passphrase) && !run.raw.contains(passcode))
    }

    /// The `whenUnlocked` class is locked for this tool, and all else works.
    private func expectShut(_ tool: Tool, _ home: SealedHome) async throws {
        let get = try await tool.run("secret", "get", "shut")
        #expect(get.status == 10 && get.output.isEmpty)
        #expect(get.errors.contains("locked") && !get.errors.contains("shut-value"))
        #expect(try await tool.run("secret", "set", "shut", input: "x").status == 10)
        #expect(
            try await tool.run("secret", "import-lines", input: "{\"name\":\"x\",\"value\":\"eA==\"}").status
                == 10
        )
        let file = home.outside.home.appendingPathComponent("export-\(UUID().uuidString)")
        let export = try await tool.run(
            "secret",
            "export",
            "--to",
            file.path,
            "--backup-passphrase-file",
            home.phrase.path
        )
        #expect(export.status == 10)
        #expect(try await tool.run("secret", "get", "open").text == "open-value")
        #expect(try await tool.run("secret", "list").text.contains("shut\n"))
        for command in ["compact", "check"] { #expect(try await tool.run("secret", command).status == 0) }
        let set = try await tool.run(
            "secret",
            "set",
            "other",
            "--accessibility",
            "afterFirstUnlock",
            input: "y"
        )
        #expect(set.status == 0)
    }

    @Test("K-8: after kill -9 nothing opens the sealed values but the passcode, in the next session")
    func killed() async throws {
        let home = try await SealedHome()
        defer { home.remove() }
        let first = try await home.sealed()
        defer { withExtendedLifetime(first) {} }
        let orphan = try home.inside()
        first.send(SIGKILL)
        _ = try await first.waitForExit()
        for tool in [orphan, home.outside] {
            #expect(try await tool.run("secret", "get", "shut").status == 10)
        }

        // Sealed before: no --seal, and the passcode at once although the session was not locked.
        let second = try home.guarded()
        defer { withExtendedLifetime(second) {} }
        try await second.waitForText("Enter Passcode")
        second.type("111112")
        try await second.waitForText("Incorrect passcode")
        #expect(!second.raw.contains("ready"))
        try await second.unlock(passcode)
        try await second.waitForText("ready")
        #expect(try await home.inside().run("secret", "get", "shut").text == "shut-value")
        second.send(SIGTERM)
        #expect(try await second.waitForEnd() == 143)
        #expect(!FileManager.default.fileExists(atPath: try home.agent()))
    }

    @Test(
        "K-8: the class is shut when the session locks by itself, and when it is left by a signal",
        .timeLimit(.minutes(5))
    )
    func idle() async throws {
        let home = try await SealedHome()
        defer { home.remove() }
        let run = try home.guarded(home.seal + ["--idle", "1s", "--timeout", "1s"])
        defer { withExtendedLifetime(run) {} }
        try await run.choosePasscode(passcode)
        // Sealing may take longer than the idle time; then it locks before the program has begun.
        var hasBegun: Bool { (try? home.agent())?.isEmpty == false }
        try await run.wait("the program or the lock screen") { screen in
            hasBegun || screen.text.contains("Enter Passcode")
        }
        if !hasBegun { run.type(passcode) }
        try await run.wait("the program's first words") { _ in hasBegun }
        // Until it has locked by itself.
        let inside = try home.inside()
        while try await inside.run("secret", "get", "shut").status != 10 {}
        try await run.waitForText("Enter Passcode")
        run.send(SIGHUP)
        #expect(try await run.waitForEnd() == 129)
        #expect(!FileManager.default.fileExists(atPath: try home.agent()))
    }

    @Test("K-8, P-32: by lines, on pipes, a session is sealed and opened as on a terminal")
    func plain() async throws {
        let home = try await SealedHome()
        defer { home.remove() }
        let get = "\(Tool.executable.path) secret get shut"
        let lines = "\(SealedHome.passphrase)\n\(passcode)\n\(passcode)\n"
        let options = ["--plain", "--seal", "--recovery-passphrase-file", "-"]
        let first = try await home.outside.run(
            ["guard"] + options + ["--", "sh", "-c", get],
            input: Data(lines.utf8)
        )
        #expect(first.status == 0 && first.text.hasSuffix("shut-value\n"))
        #expect(!first.text.contains(SealedHome.passphrase) && !first.text.contains(passcode))
        let second = try await home.outside.run("guard", "--", "sh", "-c", get, input: "\(passcode)\n")
        #expect(second.status == 0 && second.text.hasSuffix("shut-value\n"))
        // Nobody is there to answer.
        let third = try await home.outside.run("guard", "--", "sh", "-c", get)
        #expect(third.status != 0 && !third.text.contains("shut-value"))
    }

    @Test("K-8: without a passcode nothing is sealed, and the program does not run: 125")
    func setUpLater() async throws {
        let home = try await SealedHome()
        defer { home.remove() }
        let run = try home.guarded(home.seal)
        defer { withExtendedLifetime(run) {} }
        try await run.waitForText("Set up later")
        run.type("\t\r")
        #expect(try await run.waitForEnd() == 125)
        #expect(run.raw.contains("the store is not sealed") && !run.raw.contains("ready"))
        #expect(try await home.outside.run("secret", "get", "shut").text == "shut-value")
        // Asked before and again: a session that was asked to be sealed is never started unsealed.
        let again = try home.guarded(home.seal)
        defer { withExtendedLifetime(again) {} }
        try await again.waitForText("Set up later")
        again.send(SIGTERM)
        #expect(try await again.waitForEnd() == 143)
        let interrupted = try home.guarded(home.seal)
        defer { withExtendedLifetime(interrupted) {} }
        try await interrupted.waitForText("Set up later")
        interrupted.type("\u{3}")
        #expect(try await interrupted.waitForEnd() == 130)
        #expect(try await home.outside.run("secret", "get", "shut").text == "shut-value")
    }

    @Test("K-8: the recovery passphrase is asked for twice, hidden; without one nothing is sealed: 125")
    func recoveryPrompt() async throws {
        let home = try await SealedHome()
        defer { home.remove() }
        let typo = try home.guarded(["--seal"])
        defer { withExtendedLifetime(typo) {} }
        try await typo.waitForText("Recovery passphrase:")
        typo.type("\(SealedHome.passphrase)\n")
        try await typo.waitForText("Recovery passphrase again:")
        typo.type("something else\n")
        try await typo.wait("the first question") { _ in
            typo.raw.contains("differ") && typo.raw.hasSuffix("Recovery passphrase: ")
        }
        typo.type("\u{3}")
        #expect(try await typo.waitForEnd() == 125)
        #expect(!typo.raw.contains("Create a passcode"))

        #expect(try await home.outside.run("guard", "--seal", "--", "echo", "ran").status == 125)
        let missing = ["guard", "--seal", "--recovery-passphrase-file", "/nonexistent", "--", "echo", "ran"]
        let refused = try await home.outside.run(missing, input: Data())
        #expect(refused.status == 125 && refused.output.isEmpty)

        let run = try home.guarded(["--seal"])
        defer { withExtendedLifetime(run) {} }
        for prompt in ["Recovery passphrase:", "Recovery passphrase again:"] {
            try await run.waitForText(prompt)
            run.type("\(SealedHome.passphrase)\n")
        }
        try await run.setPasscode(passcode)
        try await run.waitForText("ready")
        #expect(try await home.outside.run("secret", "get", "shut").status == 10)
        #expect(!run.raw.contains(SealedHome.passphrase))
        run.send(SIGTERM)
        _ = try await run.waitForEnd()
        let path = home.phrase.path
        let unsealed = try await home.outside.run("secret", "unseal", "--recovery-passphrase-file", path)
        #expect(unsealed.status == 0, "what was typed is the passphrase")
    }

    @Test("K-8: a passcode that was set before seals the store once it is entered")
    func passcodeFirst() async throws {
        let home = try await SealedHome()
        defer { home.remove() }
        #expect(try await home.outside.run("passcode", "set", input: "\(passcode)\n").status == 0)
        let run = try home.guarded(home.seal)
        defer { withExtendedLifetime(run) {} }
        try await run.waitForText("Enter Passcode")
        #expect(try await home.outside.run("secret", "get", "shut").status == 0, "not sealed yet")
        try await run.unlock(passcode)
        try await run.waitForText("ready")
        #expect(try await home.outside.run("secret", "get", "shut").status == 10)
        #expect(try await home.inside().run("secret", "get", "shut").text == "shut-value")
        run.send(SIGTERM)
        _ = try await run.waitForEnd()
    }

    @Test("P-33, K-8: after a log-out the store stays sealed, and the recovery passphrase is the way out")
    func logOut() async throws {
        let home = try await SealedHome()
        defer { home.remove() }
        let outside = home.outside
        let run = try await home.sealed()
        defer { withExtendedLifetime(run) {} }
        try await run.lock()
        run.type("\t\r")
        try await run.waitForText("with its recovery passphrase")
        run.type("\t\r")
        #expect(try await run.waitForEnd() == 129)
        #expect(run.raw.contains("secret unseal"))
        #expect(try await outside.run("passcode", "status", "--json").json["set"] as? Bool == false)
        #expect(try await outside.hasPresentValuesOnly(), "the removed passcode's record")
        #expect(try await outside.run("secret", "get", "shut").status == 10)

        let lost = try home.guarded()
        defer { withExtendedLifetime(lost) {} }
        #expect(try await lost.waitForEnd() == 125)
        #expect(lost.raw.contains("secret unseal") && !lost.raw.contains("ready"))

        // A passcode that is set now is right, and opens nothing.
        let set = try await outside.run("passcode", "set", input: "\(passcode)\n")
        #expect(set.status == 0 && set.errors.contains("sealed under another passcode"))
        let other = try home.guarded()
        defer { withExtendedLifetime(other) {} }
        try await other.waitForText("Enter Passcode")
        other.type(passcode)
        try await other.waitForText("This passcode does not open the sealed store.")
        #expect(!other.raw.contains("ready"))
        other.send(SIGTERM)
        #expect(try await other.waitForEnd() == 143)

        #expect(try await outside.run("secret", "unseal", input: "wrong\n").status == 3)
        #expect(try await outside.run("secret", "get", "shut").status == 10)
        #expect(try await outside.run("secret", "unseal", input: "\(SealedHome.passphrase)\n").status == 0)
        #expect(try await outside.run("secret", "get", "shut").text == "shut-value")
        let again = try await outside.run("secret", "unseal", "--json", input: "")
        #expect(again.status == 0 && again.json["result"] as? String == "notSealed")
    }
}
