import Foundation
import LinuxSystem
import PasscodeLock
import PortcullisCore
import PortcullisTesting
import Testing

@testable import TerminalHost

/// Guarded programs whose output is a pipe, and whose input is a terminal that passes on whole lines.
@Suite("GuardedRun with a terminal as its input alone (P-24)", .timeLimit(.minutes(5)))
struct GuardedInputTests {
    @Test("P-24: the end-of-file key ends one read of the program, and neither the input nor a locked run")
    func endOfFileKey() async throws {
        let output = try OutputPipe()
        let host = try await GuardedHost(
            "cat >/dev/null; echo ov\"\"er; read x; echo \"got $x\"",
            passcode: "835291",
            writingTo: output
        )
        host.person.type("line\n\u{4}")
        try await output.wait(for: "over")
        host.run.lock()
        try await output.wait(for: "Enter Passcode")
        host.person.type("\u{4}83\u{4}5291\n")
        try await BoundedWait.until("the program", every: .milliseconds(5)) { await !host.run.isCovered }
        host.person.type("more\n")
        try await output.wait(for: "got more")
        #expect(try await host.end() == GuardEnding(status: 0))
    }

    @Test("P-14: the lock key that follows a right passcode locks again, with nothing shown between")
    func lockKeyDuringCheck() async throws {
        let output = try OutputPipe()
        let host = try await GuardedHost(
            "while :; do echo tick; sleep 0.01; done",
            passcode: "835291",
            writingTo: output
        )
        try await output.wait(for: "tick")
        host.person.type("\u{1D}\n")
        try await output.wait(for: "Enter Passcode")
        let generation = await host.run.session.state.generation
        host.person.type("835291\n\u{1D}\n")
        // Unlocking and locking each begin another generation.
        try await BoundedWait.until("the second lock", every: .milliseconds(5)) {
            await host.run.session.state.generation == generation + 2
        }
        try await BoundedWait.until("another lock screen", every: .milliseconds(5)) {
            output.text.ranges(of: "Enter Passcode").count > 1
        }
        let covered = try #require(output.text.range(of: "Enter Passcode"))
        #expect(!output.text[covered.upperBound...].contains("tick"))
        host.person.type("835291\n")
        try await BoundedWait.until("the program", every: .milliseconds(5)) {
            output.text[covered.upperBound...].contains("tick")
        }
        host.run.end()
        _ = try await host.end()
    }

    @Test(
        "P-24: the lock key locks without Return, also where it means something else to the terminal",
        arguments: [
            ("]", "\u{1D}"), ("c", "\u{3}"), ("d", "\u{4}"), ("s", "\u{13}"), ("u", "\u{15}"),
            ("z", "\u{1A}"), ("\\", "\u{1C}"),
        ]
    )
    func specialKey(name: String, key: String) async throws {
        let output = try OutputPipe()
        let host = try await GuardedHost(
            "echo re\"\"ady; cat",
            passcode: "835291",
            lockKey: try #require(LockKey("ctrl-\(name)")),
            writingTo: output
        )
        try await output.wait(for: "ready")
        host.person.type("half a line\(key)")
        try await output.wait(for: "Enter Passcode")
        host.person.type("835291\n")
        try await BoundedWait.until("the program", every: .milliseconds(5)) { await !host.run.isCovered }
        host.person.type("onward\n")
        try await output.wait(for: "onward")
        host.run.end()
        _ = try await host.end()
    }

    @Test("P-24: the start of a passcode that is typed as a locked run ends is not left for the shell")
    func unfinishedLine() async throws {
        let output = try OutputPipe()
        let host = try await GuardedHost("echo re\"\"ady; cat", passcode: "835291", writingTo: output)
        try await output.wait(for: "ready")
        host.run.lock()
        try await output.wait(for: "Enter Passcode")
        host.person.type("8352")
        // The terminal takes typed keys late. A poll makes it take them.
        #expect(!DescriptorWait.isReady(host.person.descriptor, atMost: .zero), "no whole line")
        host.run.end()
        _ = try await host.end()
        // In raw mode the start of a line can be read.
        host.person.terminal.enterRaw()
        #expect(!DescriptorWait.isReady(host.person.descriptor, atMost: .zero))
    }

    @Test("P-24: Return after an absence ends no line that was typed before it, and so opens nothing")
    func lineBeforeAbsence() async throws {
        let (clock, output) = (ManualClock(), try OutputPipe())
        let host = try await GuardedHost(
            "echo re\"\"ady; cat",
            passcode: "835291",
            clock: clock,
            writingTo: output
        )
        try await output.wait(for: "ready")
        host.run.lock()
        try await output.wait(for: "Enter Passcode")
        let generation = try await host.waitForLine()
        host.person.type("835291")
        // The terminal takes typed keys late. A poll makes it take them.
        #expect(!DescriptorWait.isReady(host.person.descriptor, atMost: .zero), "no whole line")
        await clock.suspend(for: .seconds(3600))
        try await host.waitForLine(after: generation)
        host.person.type("\n270954\n")
        try await BoundedWait.until("an answer", every: .milliseconds(5)) {
            let isCovered = await host.run.isCovered
            return output.text.contains("Incorrect passcode") || !isCovered
        }
        #expect(await host.run.isCovered)
        host.run.end()
        _ = try await host.end()
    }

    @Test("P-24: a lock waits for no other process that writes to a terminal that is held")
    func heldTerminal() async throws {
        let output = try OutputPipe()
        let host = try await GuardedHost("echo re\"\"ady; cat", passcode: "835291", writingTo: output)
        try await output.wait(for: "ready")
        host.person.stopReading()
        let writer = Process()
        writer.executableURL = URL(fileURLWithPath: "/bin/sh")
        writer.arguments = ["-c", "while echo line; do :; done"]
        writer.standardOutput = FileHandle(
            fileDescriptor: host.person.descriptor,
            closeOnDealloc: false
        )
        try writer.run()
        defer { writer.terminate() }
        // A write that succeeds keeps the terminal busy for less time.
        try await BoundedWait.until("the terminal to be full", every: .milliseconds(5)) {
            !DescriptorWait.isReady(host.person.descriptor, for: .writable, atMost: .milliseconds(200))
        }
        host.run.lock()
        try await output.wait(for: "Enter Passcode")
        writer.terminate()
        host.run.end()
        _ = try await host.end()
    }

    @Test("P-20: what came while the run waited in the background is handled before what came later")
    func deferred() async throws {
        let person = try PersonTerminal()
        let clock = ManualClock()
        let run = try GuardedRun(
            GuardedProgram(["cat"], clock: clock),
            behind: GuardedHost.other(on: InMemorySecretStore(), clock: clock),
            on: person.terminal,
            options: GuardOptions(takesSignals: false)
        )
        #expect(await run.takeTwo() == [1, 2])
    }
}

extension GuardedRun {
    /// Takes two events: the number 1, which was put off, and the number 2, which came later.
    fileprivate func takeTwo() async -> [UInt64] {
        deferred.append(.quiet(1))
        deliver(.quiet(2))
        var next = events.makeAsyncIterator()
        var numbers: [UInt64] = []
        while numbers.count < 2, case .quiet(let number)? = await nextEvent(from: &next) {
            numbers.append(number)
        }
        return numbers
    }
}
