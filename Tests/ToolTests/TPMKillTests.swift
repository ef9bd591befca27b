import Foundation
import PortcullisTesting
import SoftwareTPM
import Testing

/// Kills of the tool and of the TPM, at any moment.
@Suite(
    "portcullis passcode --tpm, killed (H-1)",
    .enabled(if: SoftwareTPM.isInstalled, "swtpm, tpm2-tools and libtss2-tctildr0 are not installed"),
    .timeLimit(.minutes(15))
)
struct TPMKillTests {
    /// What gives a program another clock on the wall: a command, and the library that it loads into the program.
    private static let (faketime, otherClock): (String?, String?) = (
        ["/usr/bin/faketime"].first { FileManager.default.isExecutableFile(atPath: $0) },
        ["/usr/lib/x86_64-linux-gnu", "/usr/lib/aarch64-linux-gnu"]
            .map { "\($0)/faketime/libfaketimeMT.so.1" }
            .first { FileManager.default.fileExists(atPath: $0) }
    )

    /// Runs `verify` with another clock, such as `-400d`.
    private func verify(_ passcode: String, at clock: String, _ desk: TPMToolTests.Desk) async throws -> Int32
    {
        // What goes by the time since the start of the machine goes on, as it does when a clock on the wall is set.
        let command =
            "exec faketime -m --exclude-monotonic -f '\(clock)' \"$0\" passcode verify --tpm \(desk.tcti)"
        return try await desk.tool.run(shell: command, input: passcode).status
    }

    @Test(
        "H-1: no change of the system's clock wins a try, and none lets the right passcode through at the limit",
        .enabled(if: faketime != nil, "faketime is not installed")
    )
    func clocks() async throws {
        let desk = try await TPMToolTests.Desk()
        defer { desk.remove() }
        let copy = try desk.copy()
        defer { try? FileManager.default.removeItem(at: copy) }
        let clocks = ["-20y", "+20y", "@1970-01-02 00:00:00", "+1d", "-1d"]
        let year = try await desk.tool.run(shell: "faketime -m -f '\(clocks[2])' date +%Y")
        #expect(year.text == "1970\n", "the clock is moved")
        #expect(try await verify(TPMToolTests.wrong, at: "+20y", desk) == 1)
        #expect(try await verify(TPMToolTests.right, at: "-20y", desk) == 0)
        #expect(try await desk.counted() == 0, "a right one resets")
        for (index, clock) in clocks.enumerated() {
            #expect(try await verify(TPMToolTests.wrong, at: clock, desk) == 1, "\(clock)")
            #expect(try await desk.counted() == index + 1)
            if index.isMultiple(of: 2) { try desk.restore(copy) }
        }
        for clock in clocks {
            #expect(try await verify(TPMToolTests.right, at: clock, desk) == 5, "\(clock)")
        }
        #expect(try await desk.verify(TPMToolTests.right).status == 5)
        #expect(try await desk.recover("619283\n").status == 0)
        #expect(try await desk.verify("619283\n").status == 0)
    }

    @Test(
        "H-1: 5 wrong tries among kills of the tool and the chip, clock changes and restored copies; then the right one is refused",
        .enabled(if: SoftwareTPM.isOwn, "the chip cannot be turned off")
    )
    func kills() async throws {
        var numbers = SeededNumbers(seed: 7)
        let desk = try await TPMToolTests.Desk()
        defer { desk.remove() }
        let copy = try desk.copy()
        defer { try? FileManager.default.removeItem(at: copy) }
        var answered = 0
        for round in 0..<40 {
            let clock = ["+0", "-3y", "+3y", "+1d"].randomElement(using: &numbers)!
            let (process, input, output, errors) = desk.tool.process([])
            // The library goes into the shell first, and the tool takes the shell's place: what the library changes in the
            // environment before `main` keeps Swift from finding the arguments.
            process.executableURL = URL(fileURLWithPath: "/bin/sh")
            let command = "exec \"$0\" passcode verify --tpm \(desk.tcti)"
            process.arguments = ["-c", command, Tool.executable.path]
            process.environment?["FAKETIME"] = clock
            process.environment?["FAKETIME_DONT_FAKE_MONOTONIC"] = "1"
            // Without it the clock stays; the test above says so.
            process.environment?["LD_PRELOAD"] = Self.otherClock
            try process.run()
            defer {
                for name in ["faketime_shm", "sem.faketime_sem"] {
                    try? FileManager.default.removeItem(
                        atPath: "/dev/shm/\(name)_\(process.processIdentifier)"
                    )
                }
            }
            try? input.fileHandleForWriting.write(contentsOf: Data(TPMToolTests.wrong.utf8))
            try? input.fileHandleForWriting.close()
            usleep(UInt32.random(in: 0...150_000, using: &numbers))
            let isKilled = Bool.random(using: &numbers)
            if isKilled {
                kill(process.processIdentifier, SIGKILL)
            } else if round % 3 == 0 {
                desk.chip.turnOff()
            }
            process.waitUntilExit()
            _ = try? output.fileHandleForReading.readToEnd()
            _ = try? errors.fileHandleForReading.readToEnd()
            if !isKilled, round % 3 == 0 { try desk.chip.turnOn() }
            if process.terminationReason == .exit {
                #expect([1, 5, 7].contains(process.terminationStatus))
                if process.terminationStatus == 1 { answered += 1 }
            }
            desk.chip.flush()
            if Int.random(in: 0..<3, using: &numbers) == 0 { try desk.restore(copy) }
        }
        #expect(answered <= 5, "no try is won")
        for _ in answered..<5 { _ = try await desk.verify(TPMToolTests.wrong) }
        #expect(try await desk.verify(TPMToolTests.right).status == 5)
        #expect(try await desk.recover("619283\n").status == 0)
        #expect(try await desk.run("remove", input: "619283\n").status == 0)
        #expect(try desk.chip.handles("nv-index").isEmpty)
    }

    @Test("H-8: no library of the TPM is loaded by --help, secret get, or verify without a TPM")
    func loadsNothing() async throws {
        let desk = try await TPMToolTests.Desk(sets: false)
        defer { desk.remove() }
        var tool = desk.tool
        try await tool.run("passcode", "set", input: TPMToolTests.right)
        try await tool.run("secret", "set", "name", input: "value")
        tool.variables["LD_DEBUG"] = "files"
        for (arguments, input) in [
            (["--help"], ""), (["secret", "get", "name"], ""), (["passcode", "verify"], TPMToolTests.right),
            (["passcode", "remove"], TPMToolTests.right),
        ] {
            let outcome = try await tool.run(arguments, input: Data(input.utf8))
            #expect(outcome.status == 0)
            #expect(outcome.errors.contains("libgcrypt") || arguments == ["--help"])
            for library in ["libtss2", "libfido2", "libsystemd", "libcrypto"] {
                #expect(!outcome.errors.contains(library), "\(arguments)")
            }
        }
    }
}
