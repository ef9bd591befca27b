import ArgumentParser
import Foundation
import GcryptKeystore
import PortcullisCore
import PortcullisTesting
import Testing

@testable import portcullis

@Suite("help and its words")
struct HelpTests {
    /// Every command there is.
    private static let commands: [any ParsableCommand.Type] = {
        func all(_ command: any ParsableCommand.Type) -> [any ParsableCommand.Type] {
            [command] + command.configuration.subcommands.flatMap(all)
        }
        return all(Portcullis.self)
    }()

    /// A help text with its lines joined, so that a phrase is found wherever it was broken.
    private static func text(_ command: any ParsableCommand.Type) -> String {
        Portcullis.helpMessage(for: command).split(whereSeparator: \.isWhitespace).joined(separator: " ")
    }

    @Test(
        "P-6: where /proc cannot be read, a command fails and is not taken for a call for help",
        .enabled(if: geteuid() == 0 && FileManager.default.isExecutableFile(atPath: "/usr/bin/unshare"))
    )
    func withoutProcesses() async throws {
        let tool = try Tool()
        defer { tool.remove() }
        for command in ["passcode verify", "secret set a", "--version"] {
            let outcome = try await tool.run(
                shell: "exec unshare -m sh -c 'mount -t tmpfs none /proc && exec \"$0\" \(command)' \"$0\"",
                input: "111111\n"
            )
            #expect(outcome.status == 7 && outcome.output.isEmpty)
            #expect(outcome.errors == "portcullis: /proc cannot be read\n")
        }
    }

    @Test("K-1: help for a command that there is not is 2, and names it; for one that there is, 0")
    func unknown() async throws {
        let tool = try Tool()
        defer { tool.remove() }
        for words in [["nope"], ["secret", "nope"], ["secret", "slots", "\u{1B}[2J"]] {
            let outcome = try await tool.run(["help"] + words, input: Data())
            #expect(outcome.status == 2)
            #expect(outcome.output.isEmpty)
            #expect(outcome.errors.hasPrefix("portcullis: there is no command"))
            #expect(!outcome.errors.contains("\u{1B}"))
        }
        for words in [["nope"], ["secret", "nope", "--json"], ["secret", "slots", "\u{1B}[2J"]] {
            let outcome = try await tool.run(words, input: Data())
            #expect(outcome.status == 2 && outcome.output.isEmpty)
            #expect(outcome.errors.hasPrefix("portcullis: there is no command"))
            #expect(!outcome.errors.contains("\u{1B}"))
        }
        for words in [[], ["secret"], ["secret", "slots", "add"], ["--help"], ["help"]] {
            let outcome = try await tool.run(["help"] + words, input: Data())
            #expect(outcome.status == 0)
            #expect(outcome.text.contains("USAGE"))
        }
    }

    @Test(
        "K-1: a word of a hyphen and letters is no call for help, but -h is",
        arguments: ["-hash", "-dash", "-ah", "-help"]
    )
    func cluster(word: String) async throws {
        let tool = try Tool()
        defer { tool.remove() }
        let lines = [
            ["secret", "set", word], ["secret", "set", "--json", "a", word],
            ["secret", "set", word, "--", "-h"], [word],
        ]
        for words in lines {
            let outcome = try await tool.run(words, input: Data("x".utf8))
            #expect(outcome.status == 2 && outcome.output.isEmpty)
            #expect(outcome.errors.contains("'\(word)'"), "\(outcome.errors)")
        }
        #expect(try await tool.run("secret", "list").text.isEmpty)
        #expect(try await tool.run("secret", "set", "--", word, input: "x").status == 0)
        #expect(try await tool.run("secret", "get", "--", word).text == "x")
        #expect(try await tool.run("secret", "set", "-h").text.contains("USAGE"))
        let value = try await tool.run("schedule", "next", "--after", word, "@daily")
        #expect(value.status == 2 && !value.errors.contains("no option"))
    }

    @Test("K-10: help that cannot be written is an error as any other output is", .enabled(if: hasFull))
    func unwritten() async throws {
        let tool = try Tool()
        defer { tool.remove() }
        for words in [["--help"], ["secret", "--help"], ["help", "secret"]] {
            let (process, _, _, _) = tool.process(words)
            process.standardOutput = try FileHandle(forWritingTo: URL(fileURLWithPath: "/dev/full"))
            try process.run()
            try await BoundedWait.untilProcess("the tool has ended") { !process.isRunning }
            #expect(process.terminationStatus == ToolExit.refused.rawValue)
        }
    }

    private static let hasFull = FileManager.default.fileExists(atPath: "/dev/full")

    @Test("K-1: where the store lies is in the help of every command that opens it, and of their groups")
    func places() {
        let opening = Self.commands.filter { Self.text($0).contains("--store <store>") }
        #expect(opening.count > 20)
        for command in opening + [SecretCommand.self, PasscodeCommand.self] {
            let text = Self.text(command)
            #expect(text.contains("portcullis/default.keystore in $XDG_DATA_HOME or ~/.local/share"))
            #expect(text.contains("portcullis/default.key in $XDG_CONFIG_HOME or ~/.config"))
        }
    }

    @Test("K-7: the wait for another writer is --busy-timeout; its earlier spelling works and is not shown")
    func busyTimeout() async throws {
        let tool = try Tool()
        defer { tool.remove() }
        for command in Self.commands { #expect(!Self.text(command).contains("lock-timeout")) }
        #expect(Self.text(SetSecret.self).contains("--busy-timeout"))
        for option in ["--busy-timeout", "--lock-timeout"] {
            #expect(try await tool.run("secret", "set", "a", option, "1s", input: "x").status == 0)
            #expect(try await tool.run("secret", "set", "a", option, "soon", input: "x").status == 2)
        }
        let options = try StoreOptions.parse(["--lock-timeout", "3s"])
        let configuration = try options.configuration(
            with: .rawKey(SecretBytes(copying: [])),
            createsIfMissing: false
        )
        #expect(configuration.lockTimeout == .seconds(3))
    }

    @Test("A-20: to the person the goal lock is App Lock, in every help text")
    func appLock() {
        for command in Self.commands {
            let text = Self.text(command).lowercased()
            for name in ["goal lock", "goal-lock", "while the lock is", "the lock is switched"] {
                #expect(!text.contains(name), "\(command)")
            }
        }
        #expect(Self.text(Portcullis.self).contains("App Lock"))
    }
}
