import Glibc
import LinuxSystem
import PasscodeLock
import PortcullisCore
import PortcullisTesting
import SystemClock
import Testing

@testable import TerminalHost

/// Guarded programs whose input is a pipe.
@Suite("GuardedRun with a pipe as its input (P-36)", .timeLimit(.minutes(5)))
struct GuardedDataTests {
    private let service: PasscodeService
    private let output: OutputPipe
    private let errors: OutputPipe

    init() throws {
        service = try GuardedHost.other(on: InMemorySecretStore())
        output = try OutputPipe()
        errors = try OutputPipe()
    }

    /// Runs a program to its end, with this as all that is piped in.
    private func run(_ script: String, _ data: String) async throws -> GuardEnding {
        let input = try #require(Descriptors.makePipe())
        defer { close(input.read) }
        Descriptors.write(Array(data.utf8), to: input.write)
        close(input.write)
        let run = try GuardedRun(
            GuardedProgram(["sh", "-c", script], clock: SystemClock()),
            behind: service,
            on: Terminal(input: input.read, output: output.write, errors: errors.write),
            options: GuardOptions(takesSignals: false)
        )
        return try await run.run()
    }

    @Test("P-36: without a passcode data are no answers, and a hint beside the output says how to set one")
    func noOffer() async throws {
        let data = "later\n835291\nno end"
        #expect(try await run("cat", data) == GuardEnding(status: 0))
        #expect(output.text == data)
        #expect(errors.text == "Lock: no passcode is set; Ctrl-] in the piped input sets one.\n")
        #expect(try await !service.wasAsked())
    }

    @Test("P-36: a hint that no process reads does not end the host")
    func unreadHint() async {
        // In a process of its own, because the signal would end it.
        await #expect(processExitsWith: .success) {
            signal(SIGPIPE, SIG_DFL)
            let input = try #require(Descriptors.makePipe())
            close(input.write)
            let output = try OutputPipe()
            let errors = try #require(Descriptors.makePipe())
            close(errors.read)
            let run = try GuardedRun(
                GuardedProgram(["sh", "-c", "echo here"], clock: SystemClock()),
                behind: GuardedHost.other(on: InMemorySecretStore()),
                on: Terminal(input: input.read, output: output.write, errors: errors.write),
                options: GuardOptions(takesSignals: false)
            )
            #expect(try await run.run() == GuardEnding(status: 0))
            #expect(output.text == "here\n")
        }
    }

    @Test("P-36: who was asked before, or has a passcode, gets no hint", arguments: [false, true])
    func noHint(isSet: Bool) async throws {
        if isSet {
            _ = try await service.set(SecretBytes(copying: "835291".utf8))
        } else {
            try await service.noteAsked()
        }
        #expect(try await run("cat", "data") == GuardEnding(status: 0))
        #expect(output.text == "data" && errors.text.isEmpty)
    }

    @Test("P-36: the lock key in the data makes the offer, and the lines after it are answers")
    func offerByKey() async throws {
        let data = "\u{1D}835291\n835291\nhello\n"
        #expect(try await run("read x; echo got $x; exit 4", data) == GuardEnding(status: 4))
        #expect(output.text.contains("Create a passcode") && output.text.hasSuffix("got hello\n"))
        #expect(try await service.status().isSet)
    }
}
