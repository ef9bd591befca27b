import Foundation
import LinuxSystem
import PasscodeLock
import PortcullisCore
import PortcullisTesting
import TerminalEmulator
import Testing

@testable import TerminalHost

/// Guarded programs whose screens are lines of text.
@Suite("GuardedRun in lines of text (P-24, P-32)", .timeLimit(.minutes(5)))
struct GuardedLinesTests {
    @Test("P-20: after lost focus has locked, a typed passcode unlocks, though no report tells of the return")
    func lostFocus() async throws {
        let clock = ManualClock()
        let host = try await GuardedHost(
            #"printf '\033[?1004h'; echo here; cat"#,
            passcode: "835291",
            timeout: .after(.seconds(3)),
            clock: clock,
            isPlain: true
        )
        try await host.person.wait(for: "here")
        host.person.type("\u{1B}[O")
        try await BoundedWait.until("the absence") { await host.run.isAway }
        // In steps that are too short for a sleep of the machine.
        for _ in 1...3 {
            await clock.advance(by: .seconds(1))
            #expect(await host.run.input.lookAtClock() == 0)
        }
        try await host.person.wait(for: "Enter Passcode")
        host.person.type("835291\r")
        try await host.person.wait(for: GuardTexts().uncovered)
        host.person.type("and on\r")
        try await host.person.wait(for: "and on")
        host.run.end()
        _ = try await host.end()
    }

    @Test("P-20: the terminal is asked for focus reports, also on the lock screen")
    func focusReports() async throws {
        let clock = ManualClock()
        let host = try await GuardedHost(
            "echo here; cat",
            passcode: "835291",
            timeout: .after(.seconds(1)),
            clock: clock,
            isPlain: true
        )
        try await host.person.wait(for: "here")
        #expect(host.person.screen.modes.contains(1004))
        host.person.type("\u{1B}[O")
        try await BoundedWait.until("the absence") { await host.run.isAway }
        await clock.advance(by: .seconds(1))
        try await host.person.wait(for: "Enter Passcode")
        #expect(host.person.screen.modes.contains(1004))
        host.person.type("\u{1B}[I")
        try await BoundedWait.until("the return") { await !host.run.isAway }
        // A line that is typed too early is dropped.
        try await BoundedWait.until("the program", every: .milliseconds(100)) {
            host.person.type("835291\r")
            return host.person.screen.text.contains(GuardTexts().uncovered)
        }
        host.person.type("\u{1B}[O")
        try await BoundedWait.until("another absence") { await host.run.isAway }
        host.run.end()
        _ = try await host.end()
        try await host.person.wait("no more reports") { !$0.modes.contains(1004) }
    }

    @Test(
        "P-24: Return after an absence ends no line that was typed before it, and so opens nothing",
        arguments: [false, true]
    )
    func lineBeforeAbsence(isAsleep: Bool) async throws {
        let clock = ManualClock()
        let host = try await GuardedHost("echo here; cat", passcode: "835291", clock: clock, isPlain: true)
        try await host.person.wait(for: "here")
        host.person.type("\u{1D}")
        try await host.person.wait(for: "Enter Passcode")
        let generation = try await host.waitForLine()
        host.person.type("835291")
        try await BoundedWait.until("the digits to be read") {
            !DescriptorWait.isReady(host.person.descriptor, atMost: .zero)
        }
        if isAsleep {
            await clock.suspend(for: .seconds(3600))
        } else {
            host.person.type("\u{1B}[O")
            try await BoundedWait.until("the absence") { await host.run.isAway }
            host.person.type("\u{1B}[I")
            try await BoundedWait.until("the return") { await !host.run.isAway }
        }
        try await host.waitForLine(after: generation)
        host.person.type("\r")
        // A line that is typed too early is dropped. Each line is an answer of the lock screen, or of `cat`.
        try await BoundedWait.until("an answer", every: .milliseconds(100)) {
            host.person.type("270954\r")
            return host.person.raw.contains("Incorrect passcode") || host.person.raw.contains("270954")
        }
        #expect(!host.person.raw.contains(GuardTexts().uncovered))
        #expect(await host.run.isCovered)
        host.run.end()
        _ = try await host.end()
    }

    @Test("P-36: after an absence without a passcode, the offer to set one takes lines as before")
    func offerAfterAbsence() async throws {
        let clock = ManualClock()
        let host = try await GuardedHost("echo in\"\"side; cat", clock: clock, isPlain: true)
        try await host.person.wait(for: "Create a passcode")
        try await host.waitForLine()
        await clock.suspend(for: .seconds(3600))
        #expect(await host.run.input.lookAtClock() == 1)
        try await BoundedWait.until("the absence") { await host.run.absences == 1 }
        for step in ["Confirm passcode", "inside"] {
            try await BoundedWait.until(step, every: .milliseconds(100)) {
                if await host.run.isAwaitingLine { host.person.type("835291\r") }
                return host.person.raw.contains(step)
            }
        }
        host.run.end()
        _ = try await host.end()
    }

    @Test("P-24: an absence while a first passcode is stored loses no lock key that was typed before it")
    func lockKeyBeforeAbsence() async throws {
        let clock = ManualClock()
        let store = GatedSecretStore(InMemorySecretStore(), writesOf: PasscodeNames.asked)
        let host = try await GuardedHost("echo in\"\"side; cat", in: store, clock: clock, isPlain: true)
        store.writes.close()
        for step in ["Create a passcode", "Confirm passcode"] {
            try await host.person.wait(for: step)
            try await host.waitForLine()
            host.person.type("835291\r")
        }
        // The passcode is set, and the note that the person was asked is not written yet.
        await store.writes.waitForHeld(1)
        host.person.type("\u{1D}")
        #expect(DescriptorWait.isReady(host.person.descriptor, atMost: .seconds(120)))
        await clock.suspend(for: .seconds(3600))
        #expect(await host.run.input.lookAtClock() == 1)
        try await BoundedWait.until("the absence") { await host.run.absences == 1 }
        store.writes.open()
        try await host.person.wait(for: "Enter Passcode")
        #expect(!host.person.raw.contains("inside"))
        host.run.end()
        _ = try await host.end()
    }

    @Test("a program that ends leaves none of its modes, also behind the lock", arguments: [false, true])
    func modes(isLocked: Bool) async throws {
        let go = FileManager.default.temporaryDirectory.appending(path: "go-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: go) }
        let modes = #"\033[?1049h\033[?1000h\033[?2004h\033[?25l"#
        let host = try await GuardedHost(
            "printf '\(modes)'; echo here; until [ -e '\(go.path)' ]; do sleep 0.05; done; exit 3",
            passcode: "835291",
            isPlain: true
        )
        try await host.person.wait(for: "here")
        #expect(host.person.screen.modes.isSuperset(of: [1000, 1049, 2004]))
        if isLocked {
            host.person.type("\u{1D}")
            try await host.person.wait(for: "Enter Passcode")
        }
        try Data().write(to: go)
        if isLocked {
            try await BoundedWait.until("the program's end") { await host.run.endedBehindLock != nil }
            host.person.type("835291\r")
        }
        #expect(try await host.end() == GuardEnding(status: 3))
        try await host.person.wait("the modes from before") { $0.modes == TerminalEmulator.modesAtFirst }
    }

    @Test("P-24: a line that is typed while another one is checked is not left for the shell")
    func secondLine() async throws {
        let sealer = FastPasscodeSealer()
        let host = try await GuardedHost("echo here; cat", passcode: "835291", sealer: sealer, isPlain: true)
        try await host.person.wait(for: "here")
        host.person.type("\u{1D}")
        try await host.person.wait(for: "Enter Passcode")
        sealer.gate.close()
        host.person.type("270954\r")
        await sealer.gate.waitForHeld(1)
        host.person.type("835291\r")
        #expect(DescriptorWait.isReady(host.person.descriptor, atMost: .seconds(120)))
        host.run.end()
        _ = try await host.end()
        sealer.gate.open()
        host.person.terminal.enterRaw()
        #expect(!DescriptorWait.isReady(host.person.descriptor, atMost: .zero))
    }

    @Test("P-14: the lock key that follows a right passcode locks again, with nothing shown between")
    func lockKeyDuringCheck() async throws {
        let host = try await GuardedHost(
            "while :; do echo tick; sleep 0.01; done",
            passcode: "835291",
            isPlain: true
        )
        try await host.person.wait(for: "tick")
        host.person.type("\u{1D}")
        try await host.person.wait(for: "Enter Passcode")
        let (shown, generation) = (host.person.raw.count, await host.run.session.state.generation)
        host.person.type("835291\r\u{1D}")
        // Unlocking and locking each begin another generation.
        try await BoundedWait.until("the second lock") {
            await host.run.session.state.generation == generation + 2
        }
        try await host.person.wait("another lock screen") {
            $0.text.ranges(of: "Enter Passcode").count > 1
        }
        #expect(await host.run.session.state.isLocked)
        let later = host.person.raw.dropFirst(shown)
        #expect(!later.contains("tick") && !later.contains(GuardTexts().uncovered))
        host.person.type("835291\r")
        try await host.person.wait("the program") { $0.text.contains("tick") }
        host.run.end()
        _ = try await host.end()
    }
}
