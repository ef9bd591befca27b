import Foundation
import SoftwareTPM
import Testing

/// The built tool and a software TPM, from outside.
@Suite(
    "portcullis passcode --tpm (H-1, H-2, H-3)",
    .enabled(if: SoftwareTPM.isInstalled, "swtpm, tpm2-tools and libtss2-tctildr0 are not installed"),
    .timeLimit(.minutes(10))
)
struct TPMToolTests {
    static let right = "834912\n"
    static let wrong = "270954\n"
    static let passphrase = "gravel umbrella seventeen"

    /// A home with a passcode in a chip of its own.
    struct Desk {
        let tool: Tool
        let chip: SoftwareTPM
        /// The address of the chip.
        var tcti: String
        /// The option that names the chip; none where it is the machine's own, because the record leads there.
        var way: [String] { SoftwareTPM.isOwn ? ["--tpm", tcti] : [] }

        init(limit: Int = 5, recovery: Bool = true, sets: Bool = true) async throws {
            tool = try Tool()
            chip = try SoftwareTPM()
            tcti = chip.tcti
            try Data("\(TPMToolTests.passphrase)\n".utf8).write(to: passphraseFile)
            guard sets else { return }
            let way = recovery ? ["--recovery-passphrase-file", passphraseFile.path] : ["--no-recovery"]
            let set = [
                "passcode", "set", "--tpm", chip.tcti, "--tpm-limit", "\(limit)", "--throttle", "unlimited",
            ]
            let outcome = try await tool.run(set + way, input: Data(TPMToolTests.right.utf8))
            try #require(outcome.status == 0, "\(outcome.errors)")
        }

        var passphraseFile: URL { tool.home.appendingPathComponent("passphrase") }

        /// Runs a command of `passcode` with the chip.
        func run(_ arguments: String..., input: String = "") async throws -> Tool.Outcome {
            try await tool.run(["passcode"] + arguments + way, input: Data(input.utf8))
        }

        func verify(_ passcode: String) async throws -> Tool.Outcome {
            try await run("verify", "--json", input: passcode)
        }

        func status() async throws -> [String: Any] { try await run("status", "--json").json }

        func counted() async throws -> Int? {
            (try await status()["hardware"] as? [String: Any])?["failures"] as? Int
        }

        func recover(_ passcode: String, with passphrase: URL? = nil) async throws -> Tool.Outcome {
            let file = (passphrase ?? passphraseFile).path
            return try await run("recover", "--recovery-passphrase-file", file, input: passcode)
        }

        /// All files of the person's, to be put back.
        func copy() throws -> URL {
            let copy = tool.home.deletingLastPathComponent()
                .appendingPathComponent("copy-\(UUID().uuidString)")
            try FileManager.default.copyItem(at: tool.home, to: copy)
            return copy
        }

        func restore(_ copy: URL) throws {
            try FileManager.default.removeItem(at: tool.home)
            try FileManager.default.copyItem(at: copy, to: tool.home)
        }

        func remove() {
            tool.remove()
            chip.remove()
        }
    }

    @Test(
        "H-1, H-2: the chip counts to its limit through kills, restarts, clock changes and restored copies; recovery is the way out",
        .enabled(if: SoftwareTPM.isOwn, "the chip cannot be turned off")
    )
    func limit() async throws {
        let desk = try await Desk()
        defer { desk.remove() }
        let copy = try desk.copy()
        defer { try? FileManager.default.removeItem(at: copy) }
        #expect(try await desk.verify(Self.wrong).status == 1)
        #expect(try await desk.verify(Self.right).status == 0)
        #expect(try await desk.counted() == 0, "a right one resets")
        for count in 1...5 {
            #expect(try await desk.verify(Self.wrong).status == 1)
            #expect(try await desk.counted() == count)
            // The chip's clock goes on by a day; it cannot be set back.
            try desk.chip.tool("tpm2_setclock", "\(count * 86_400_000)")
            desk.chip.turnOff()
            try desk.chip.turnOn()
            try desk.restore(copy)
        }
        for passcode in [Self.right, Self.wrong] {
            let outcome = try await desk.verify(passcode)
            #expect(outcome.status == 5)
            #expect(outcome.json["result"] as? String == "triesExhausted")
        }
        let status = try await desk.status()
        #expect(status["failures"] as? Int == 0)
        let hardware = try #require(status["hardware"] as? [String: Any])
        #expect(hardware["kind"] as? String == "tpm2")
        #expect(hardware["failures"] as? Int == 5 && hardware["limit"] as? Int == 5)

        let other = desk.tool.home.appendingPathComponent("other")
        try Data("another long passphrase\n".utf8).write(to: other)
        #expect(try await desk.recover("619283\n", with: other).status == 3)
        #expect(try await desk.verify(Self.right).status == 5, "nothing changed")
        for passcode in ["619283\n", "528417\n"] {
            #expect(try await desk.recover(passcode).status == 0)
            #expect(try await desk.verify(passcode).status == 0)
            #expect(try await desk.verify(Self.wrong).status == 1)
            #expect(try await desk.counted() == 1)
        }
        #expect(try await desk.run("remove", input: "528417\n").status == 0)
        #expect(try desk.chip.handles("nv-index").isEmpty)
        #expect(try desk.chip.handles("persistent").isEmpty)
        #expect(try desk.chip.handles("transient").isEmpty)
        #expect(try desk.chip.handles("loaded-session").isEmpty)
    }

    @Test(
        "H-3: another, a cleared or no TPM is 7 for every passcode, and nothing is counted",
        .enabled(if: SoftwareTPM.isOwn, "the chip cannot be turned off")
    )
    func otherChip() async throws {
        let desk = try await Desk()
        defer { desk.remove() }
        let other = try SoftwareTPM()
        defer { other.remove() }
        desk.chip.turnOff()
        for passcode in [Self.right, Self.wrong] { #expect(try await desk.verify(passcode).status == 7) }
        try desk.chip.turnOn()
        for passcode in [Self.right, Self.wrong] {
            let outcome = try await desk.tool.run("passcode", "verify", "--tpm", other.tcti, input: passcode)
            #expect(outcome.status == 7)
            #expect(outcome.errors.contains("another chip"))
        }
        #expect(try await desk.status()["failures"] as? Int == 0)
        #expect(try await desk.verify(Self.right).status == 0)
        try desk.chip.tool("tpm2_clear")
        for passcode in [Self.right, Self.wrong] { #expect(try await desk.verify(passcode).status == 7) }
        #expect(try await desk.status()["failures"] as? Int == 0)
    }

    @Test(
        "H-2: without --tpm no chip is asked that is none of the machine's: 7, and nothing is counted",
        .enabled(if: SoftwareTPM.isOwn, "the chip is the machine's")
    )
    func unnamedChip() async throws {
        let desk = try await Desk()
        defer { desk.remove() }
        for passcode in [Self.right, Self.wrong] {
            let outcome = try await desk.tool.run("passcode", "verify", input: passcode)
            #expect(outcome.status == 7)
            #expect(outcome.errors.contains("--tpm"), "\(outcome.errors)")
        }
        #expect(try await desk.counted() == 0)
        #expect(try await desk.status()["failures"] as? Int == 0)
        #expect(try await desk.verify(Self.right).status == 0)
    }

    @Test("H-3: a record older than the chip is 9, also for the passcode that it was set with")
    func older() async throws {
        let desk = try await Desk()
        defer { desk.remove() }
        let copy = try desk.copy()
        defer { try? FileManager.default.removeItem(at: copy) }
        #expect(try await desk.run("change", input: "834912\n619283\n").status == 0)
        #expect(try await desk.verify("619283\n").status == 0)
        try desk.restore(copy)
        for passcode in [Self.right, "619283\n"] { #expect(try await desk.verify(passcode).status == 9) }
        #expect(try await desk.recover("528417\n").status == 0, "the passphrase opens the key all the same")
        #expect(try await desk.verify("528417\n").status == 0)
    }

    @Test("H-3: an older copy is refused after a change, also where the note in the chip was deleted before")
    func deletedNote() async throws {
        let desk = try await Desk()
        defer { desk.remove() }
        let copy = try desk.copy()
        defer { try? FileManager.default.removeItem(at: copy) }
        let note = try #require(
            try desk.chip.handles("nv-index").first {
                try !desk.chip.tool("tpm2_nvreadpublic", $0).contains("value: 0x22020088")
            }
        )
        try desk.chip.tool("tpm2_nvundefine", note)
        #expect(try await desk.run("change", input: "834912\n619283\n").status == 0)
        #expect(try desk.chip.handles("nv-index").count == 2, "the former count is deleted")
        #expect(try await desk.verify("619283\n").status == 0)
        try desk.restore(copy)
        for passcode in [Self.right, "619283\n"] { #expect(try await desk.verify(passcode).status == 9) }
    }

    @Test("H-1: deleting, defining again and writing each index gives no key and no try")
    func replacedIndexes() async throws {
        let desk = try await Desk()
        defer { desk.remove() }
        _ = try await desk.verify(Self.wrong)
        let indexes = try desk.chip.handles("nv-index")
        #expect(indexes.count == 2, "what counts, and whose it is")
        // POLICYWRITE, PIN FAIL, OWNERREAD, NO_DA, and that it was written: nothing else writes it.
        let counter = try #require(
            try indexes.first {
                try desk.chip.tool("tpm2_nvreadpublic", $0).contains("value: 0x22020088")
            }
        )
        let about = try desk.chip.tool("tpm2_nvreadpublic", counter)
        let policy = try #require(about.firstMatch(of: /authorization policy: ([0-9A-F]{64})/)?.1)
        let file = desk.chip.folder.appendingPathComponent("policy")
        try Data(
            stride(from: 0, to: 64, by: 2).map { offset in
                let start = policy.index(policy.startIndex, offsetBy: offset)
                return UInt8(policy[start...].prefix(2), radix: 16)!
            }
        ).write(to: file)
        try desk.chip.tool("tpm2_nvundefine", counter)
        #expect(try await desk.verify(Self.right).status == 7)
        try desk.chip.tool(
            "tpm2_nvdefine",
            counter,
            "-s",
            "8",
            "-p",
            "mine",
            "-L",
            file.path,
            "-a",
            "nt=0x8|policywrite|ownerread|no_da"
        )
        let zero = Data([0, 0, 0, 0, 0, 0, 0, 99])
        for authority in [["-C", "o"], ["-C", counter, "-P", "mine"], ["-C", "p"]] {
            let result = desk.chip.run("tpm2_nvwrite", [counter, "-i", "-"] + authority, input: zero)
            #expect(result.status != 0, "nobody writes it again")
        }
        for passcode in [Self.right, Self.wrong] { #expect(try await desk.verify(passcode).status == 7) }
        try desk.chip.tool("tpm2_nvundefine", counter)
        try desk.chip.tool(
            "tpm2_nvdefine",
            counter,
            "-s",
            "8",
            "-p",
            "mine",
            "-a",
            "nt=0x8|ownerwrite|ownerread|no_da"
        )
        try desk.chip.tool("tpm2_nvwrite", counter, "-C", "o", "-i", "-", input: zero)
        for passcode in [Self.right, Self.wrong] { #expect(try await desk.verify(passcode).status == 7) }
        #expect(try await desk.recover("528417\n").status == 0)
    }

    @Test("H-1: off a terminal a passphrase is named, or that there is none; a weak one is refused")
    func options() async throws {
        let desk = try await Desk(sets: false)
        defer { desk.remove() }
        let set = ["passcode", "set", "--tpm", desk.chip.tcti]
        func run(_ more: [String]) async throws -> Int32 {
            try await desk.tool.run(set + more, input: Data(Self.right.utf8)).status
        }
        #expect(try await run([]) == 2)
        for weak in [
            "short", "aaaaaaaaaaaaaa", "abcdefghijklmn", "123456789012", "abcabcabcabcabc", "password1234",
        ] {
            try Data("\(weak)\n".utf8).write(to: desk.passphraseFile)
            #expect(try await run(["--recovery-passphrase-file", desk.passphraseFile.path]) == 2, "\(weak)")
        }
        #expect(try await run(["--no-recovery", "--tpm-limit", "0"]) == 2)
        #expect(try await desk.tool.run("passcode", "set", "--no-recovery", input: Self.right).status == 2)
        #expect(try await run(["--no-recovery"]) == 0)
        #expect(((try await desk.status())["hardware"] as? [String: Any])?["limit"] as? Int == 100)
        #expect(try await desk.recover("528417\n").status == 1, "there is nothing to recover it with")
    }

    @Test("H-1: change --tpm moves a passcode into the chip, with what is sealed under it")
    func moves() async throws {
        let desk = try await Desk(sets: false)
        defer { desk.remove() }
        #expect(try await desk.tool.run("passcode", "set", input: Self.right).status == 0)
        #expect(try await desk.status()["hardware"] == nil)
        let change = ["passcode", "change", "--tpm", desk.chip.tcti]
        let both = Data("834912\n619283\n".utf8)
        #expect(try await desk.tool.run(change, input: both).status == 2)
        #expect(
            try await desk.tool.run(change + ["--no-recovery", "--tpm-limit", "7"], input: both).status == 0
        )
        #expect(((try await desk.status())["hardware"] as? [String: Any])?["limit"] as? Int == 7)
        #expect(try await desk.verify("619283\n").status == 0)
        #expect(try await desk.verify(Self.right).status == 1)
        // Options for sealing are refused where nothing is sealed anew, and nothing is changed.
        let again = Data("619283\n528417\n".utf8)
        for options in [["--no-recovery"], ["--tpm-limit", "50"]] {
            #expect(try await desk.tool.run(change + options, input: again).status == 2)
        }
        #expect(try await desk.run("change", input: "619283\n528417\n").status == 0)
        #expect(
            ((try await desk.status())["hardware"] as? [String: Any])?["limit"] as? Int == 7,
            "it stays there"
        )
    }

    @Test("H-1: when a passcode is set in the chip, no record of an earlier passcode is left in the file")
    func setsAnew() async throws {
        let desk = try await Desk(sets: false)
        defer { desk.remove() }
        let tool = desk.tool
        #expect(try await tool.run("passcode", "set", input: Self.right).status == 0)
        #expect(try await tool.run("passcode", "remove", input: Self.right).status == 0)
        #expect(try await tool.hasPresentValuesOnly())
        // Another program may have removed a passcode and left its record, as any replaced value.
        for value in ["one", "two"] { try await tool.run("secret", "set", "a", input: value) }
        let set = ["passcode", "set", "--tpm", desk.chip.tcti, "--no-recovery"]
        #expect(try await tool.run(set, input: Data(Self.right.utf8)).status == 0)
        #expect(try await tool.hasPresentValuesOnly())
        #expect(try await desk.verify(Self.right).status == 0)
    }

    @Test("H-3: a chip in the machine's own lock-out, or with an owner's authorization, goes on opening")
    func lockout() async throws {
        let desk = try await Desk()
        defer { desk.remove() }
        try desk.chip.tool("tpm2_dictionarylockout", "--setup-parameters", "--max-tries=1", "--clear-lockout")
        let index = "0x1500016"
        try desk.chip.tool("tpm2_nvdefine", index, "-s", "8", "-p", "own", "-a", "authread|authwrite")
        for _ in 0..<2 {
            _ = desk.chip.run("tpm2_nvwrite", [index, "-C", index, "-P", "no", "-i", "-"], input: Data([0]))
        }
        #expect(
            desk.chip.run("tpm2_nvwrite", [index, "-C", index, "-P", "own", "-i", "-"], input: Data([0])).text
                .contains("0x921")
        )
        #expect(try await desk.verify(Self.wrong).status == 1)
        #expect(try await desk.verify(Self.right).status == 0)
        try desk.chip.tool("tpm2_changeauth", "-c", "owner", "someone")
        #expect(try await desk.verify(Self.wrong).status == 1)
        #expect(try await desk.verify(Self.right).status == 0)
        let outcome = try await desk.run("change", input: "834912\n619283\n")
        #expect(outcome.status == 7)
        #expect(outcome.errors.contains("owner"))
        #expect(try await desk.verify(Self.right).status == 0, "the old one holds")
    }
}
