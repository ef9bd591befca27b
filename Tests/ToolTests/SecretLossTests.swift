import Foundation
import Testing

/// What a slip of the hand, or of a pipe, must not lose.
@Suite("portcullis secret: what a slip must not lose", .timeLimit(.minutes(10)))
struct SecretLossTests {
    @Test("K-3: an empty value replaces none, unless it is meant")
    func empty() async throws {
        let tool = try Tool()
        defer { tool.remove() }
        let fresh = try await tool.run("secret", "set", "k")
        #expect(fresh.status == 2 && fresh.errors.contains("--allow-empty"))
        #expect(!FileManager.default.fileExists(atPath: tool.store.path), "nothing is made for it")
        try await tool.run("secret", "set", "k", input: "kept")
        let refused = try await tool.run("secret", "set", "k")
        #expect(refused.status == 2 && refused.errors.contains("empty"))
        #expect(try await tool.run("secret", "get", "k").text == "kept")
        #expect(try await tool.run("secret", "set", "k", "--allow-empty").status == 0)
        #expect(try await tool.run("secret", "get", "k").output.isEmpty)
    }

    @Test("K-3: a name that is not UTF-8 is refused, as it would be taken for another")
    func otherEncodings() async throws {
        let tool = try Tool()
        defer { tool.remove() }
        for name in [#"M\374ller"#, #"\300\257"#, #"a\355\240\200"#] {
            let refused = try await tool.run(
                shell: "exec \"$0\" secret set \"$(printf '\(name)')\"",
                input: "x"
            )
            #expect(
                refused.status == 2 && refused.errors.contains("argument 3 is not UTF-8"),
                "\(refused.errors)"
            )
        }
        #expect(!FileManager.default.fileExists(atPath: tool.store.path), "nothing is made for it")
        #expect(try await tool.run(shell: #"exec "$0" secret set 'Müller'"#, input: "x").status == 0)
    }

    @Test("K-9: an export looks whether the file is there before it asks for anything")
    func exportAsksLater() async throws {
        let tool = try Tool()
        defer { tool.remove() }
        try await tool.run("secret", "set", "a", input: "x")
        let file = tool.home.appendingPathComponent("backup")
        try Data("mine".utf8).write(to: file)
        // Nothing is on standard input: whoever asked would say that.
        let outcome = try await tool.run("secret", "export", "--to", file.path)
        #expect(outcome.status == 2 && outcome.errors.contains("there already"), "\(outcome.errors)")
        #expect(try Data(contentsOf: file) == Data("mine".utf8))
        let link = tool.home.appendingPathComponent("link").path
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: "nowhere")
        #expect(try await tool.run("secret", "export", "--to", link).errors.contains("there already"))
    }

    @Test("K-1: the slot of the default key file goes by --force only, and it is said what follows")
    func defaultSlot() async throws {
        let tool = try Tool()
        defer { tool.remove() }
        try await tool.run("secret", "set", "a", input: "x")
        let phrase = tool.home.appendingPathComponent("phrase")
        try Data("correct horse\n".utf8).write(to: phrase)
        let byPhrase = ["--passphrase-file", phrase.path]
        let added = try await tool.run(
            "secret",
            "slots",
            "add",
            "--new-passphrase-file",
            phrase.path,
            "--json"
        )
        let second = try #require(added.json["id"] as? Int)
        for way in [[], byPhrase] {
            let refused = try await tool.run(["secret", "slots", "remove", "1"] + way, input: Data())
            #expect(refused.status == 2)
            #expect(refused.errors.contains("--force") && refused.errors.contains("--passphrase-file"))
        }
        #expect(try await tool.run("secret", "get", "a").text == "x")
        // Another slot goes as ever.
        #expect(try await tool.run("secret", "slots", "remove", "\(second)").status == 0)
        try await tool.run("secret", "slots", "add", "--new-passphrase-file", phrase.path)
        let forced = try await tool.run("secret", "slots", "remove", "1", "--force")
        #expect(forced.status == 0 && forced.errors.contains("--passphrase-file"))
        #expect(try await tool.run("secret", "get", "a").status == 3)
        #expect(try await tool.run(["secret", "get", "a"] + byPhrase, input: Data()).text == "x")
    }

    @Test("K-1: the last slot goes by --force only, and then nothing opens the store")
    func lastSlot() async throws {
        let tool = try Tool()
        defer { tool.remove() }
        try await tool.run("secret", "set", "a", input: "x")
        let before = try Data(contentsOf: tool.store)
        let refused = try await tool.run("secret", "slots", "remove", "1")
        #expect(refused.status == 2)
        #expect(refused.errors.contains("--force") && refused.errors.contains("lost for good"))
        #expect(try Data(contentsOf: tool.store) == before)
        let forced = try await tool.run("secret", "slots", "remove", "1", "--force")
        #expect(forced.status == 0 && forced.errors.contains("lost for good"), "\(forced.errors)")
        #expect(try await tool.run("secret", "get", "a").status == 3)
        #expect(try await tool.run("secret", "slots", "remove", "9", "--force").status == 3)
    }

    @Test("K-1: two processes that remove the two slots by --force: the last one goes only where it is said")
    func lastSlotMeanwhile() async throws {
        for _ in 0..<12 {
            let tool = try Tool()
            defer { tool.remove() }
            try await tool.run("secret", "set", "a", input: "x")
            let other = tool.home.appendingPathComponent("other.key").path
            let added = try await tool.run("secret", "slots", "add", "--new-key-file", other, "--json")
            let second = try #require(added.json["id"] as? Int)
            async let first = tool.run("secret", "slots", "remove", "1", "--force")
            async let last = tool.run("secret", "slots", "remove", "\(second)", "--force")
            let outcomes = try await [first, last]
            let told = outcomes.count { $0.errors.contains("is gone: nothing opens the store") }
            #expect(told == (outcomes.allSatisfy { $0.status == 0 } ? 1 : 0), "\(outcomes.map(\.errors))")
        }
    }

    @Test("K-9, K-1: at a terminal a new passphrase is asked for twice, and where they differ, anew")
    func twice() async throws {
        let tool = try Tool()
        defer { tool.remove() }
        try await tool.run("secret", "set", "a", input: "x")
        let backup = tool.home.appendingPathComponent("backup").path
        let places = ["--store", tool.store.path, "--key-file", tool.keyFile.path]
        for (arguments, prompt) in [
            (["export", "--to", backup], "Backup passphrase"),
            (["slots", "add", "--new-passphrase-file", "-"], "New passphrase"),
        ] {
            let before = try Data(contentsOf: tool.store)
            let run = try GuardedRun(["secret"] + arguments + places)
            for again in ["other\n", "phrase\n"] {
                try await run.wait("the question") { _ in run.raw.hasSuffix("\(prompt): ") }
                #expect(try Data(contentsOf: tool.store) == before)
                #expect(!FileManager.default.fileExists(atPath: backup) || prompt.hasPrefix("New"))
                run.type("phrase\n")
                try await run.wait("it again") { _ in run.raw.hasSuffix("\(prompt) again: ") }
                run.type(again)
            }
            #expect(try await run.waitForEnd() == 0, "\(arguments)")
            #expect(run.raw.contains("differ") && run.raw.contains("is short"))
        }
        // What is there already is asked for once.
        let run = try GuardedRun(["secret", "import", "--from", backup] + places)
        try await run.waitForText("Backup passphrase:")
        run.type("phrase\n")
        #expect(try await run.waitForEnd() == 0)
        #expect(
            try await tool.run("secret", "get", "a", "--passphrase-file", "-", input: "phrase\n").text == "x"
        )
    }

    @Test("K-9, K-1: at a terminal the passphrase of a new store is asked for twice, and later once")
    func twiceForNewStore() async throws {
        let tool = try Tool()
        defer { tool.remove() }
        let place = ["--passphrase-file", "-", "--store", tool.store.path]
        for (arguments, next) in [
            (["secret", "import", "--from", "/nonexistent"], "Backup passphrase"),
            (["passcode", "set"], "New passcode"),
            (["secret", "set", "a"], "Value"),
        ] {
            let run = try GuardedRun(arguments + place)
            for again in ["other\n", "phrase\n"] {
                try await run.wait("the question") { _ in run.raw.hasSuffix("Passphrase: ") }
                run.type("phrase\n")
                try await run.wait("it again") { _ in run.raw.hasSuffix("Passphrase again: ") }
                run.type(again)
            }
            try await run.wait("what comes next") { _ in run.raw.hasSuffix("\(next): ") }
            #expect(run.raw.contains("differ") && run.raw.contains("is short"), "\(arguments)")
            #expect(!FileManager.default.fileExists(atPath: tool.store.path))
            run.type(next == "Value" ? "x\n" : "\u{3}")
            #expect(try await run.waitForEnd() == (next == "Value" ? 0 : 130), "\(arguments)")
        }
        let run = try GuardedRun(["secret", "set", "b"] + place)
        try await run.waitForText("Passphrase:")
        run.type("phrase\n")
        try await run.wait("the value") { _ in run.raw.hasSuffix("Value: ") }
        run.type("y\n")
        #expect(try await run.waitForEnd() == 0)
        #expect(!run.raw.contains("again"))
        let get = ["secret", "get", "a"] + place
        #expect(try await tool.run(get, input: Data("phrase\n".utf8)).text == "x")
    }

    @Test(
        "K-6, P-5: a rescue from a store that lost frames warns that items may be older or missing",
        arguments: [true, false]
    )
    func lostFrame(isFrame: Bool) async throws {
        let tool = try Tool()
        defer { tool.remove() }
        try await tool.run("secret", "set", "a", input: "x")
        let end = try #require(try await tool.run("secret", "check", "--json").json["bytes"] as? Int)
        for name in ["b", "c"] { try await tool.run("secret", "set", name, input: name) }
        // One bit in the directory of the frame of b, or in the second page of the header.
        var bytes = try Data(contentsOf: tool.store)
        bytes[isFrame ? end + 50 : 4096 + 100] ^= 1
        try bytes.write(to: tool.store)
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: tool.store.path)
        for options in [[], ["--json"]] {
            let rescued = tool.home.appendingPathComponent("rescued\(options.count)").path
            let outcome = try await tool.run(["secret", "salvage", "--to", rescued] + options, input: Data())
            #expect(outcome.status == 0)
            #expect(outcome.errors.contains("older or missing") == isFrame, "\(outcome.errors)")
            let found = try await tool.run("secret", "get", "b", "--store", rescued)
            #expect(found.status == (isFrame ? 1 : 0))
            #expect(try await tool.run("secret", "get", "c", "--store", rescued).text == "c")
        }
    }
}
