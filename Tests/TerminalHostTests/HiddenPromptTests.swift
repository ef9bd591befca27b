import Glibc
import LinuxSystem
import PortcullisCore
import PortcullisTesting
import Synchronization
import Testing

@testable import TerminalHost

/// Secrets at terminals of their own, in one process.
@Suite("HiddenPrompt", .timeLimit(.minutes(5)))
struct HiddenPromptTests {
    /// Starts to ask at a terminal.
    private func ask(_ person: PersonTerminal, _ prompt: String) -> Task<HiddenPrompt.Answer, any Error> {
        let descriptor = person.descriptor
        return Task { try await HiddenPrompt(input: descriptor, output: descriptor).line(prompt) }
    }

    private func text(_ answer: HiddenPrompt.Answer) -> String? {
        guard case .line(let line) = answer else { return nil }
        return line.withBytes { bytes in
            String(decoding: bytes.indices.map { bytes[$0] }, as: UTF8.self)
        }
    }

    @Test("two prompts in one process each take what is typed at their terminal, and show none of it")
    func two() async throws {
        let (first, second) = (try PersonTerminal(), try PersonTerminal())
        let (one, other) = (ask(first, "First"), ask(second, "Second"))
        try await first.wait(for: "First:")
        try await second.wait(for: "Second:")
        second.type("tw\u{7F}wo\r")
        #expect(text(try await other.value) == "two")
        #expect(second.attributes == second.firstAttributes)
        first.type("one\r")
        #expect(text(try await one.value) == "one")
        #expect(first.attributes == first.firstAttributes)
        #expect(!first.raw.contains("one") && !second.raw.contains("two"))
    }

    @Test("a task that is cancelled ends its prompt, with the terminal as it was; then it can ask again")
    func cancelled() async throws {
        let person = try PersonTerminal()
        let asking = ask(person, "Secret")
        try await person.wait(for: "Secret:")
        person.type("begun")
        asking.cancel()
        guard case .interrupted = try await asking.value else {
            Issue.record("it was not ended")
            return
        }
        #expect(person.attributes == person.firstAttributes)
        let again = ask(person, "Again")
        try await person.wait(for: "Again:")
        person.type("whole\r")
        #expect(text(try await again.value) == "whole")
    }

    @Test("P-4: a terminal that cannot be read ends the prompt, and is not read again and again")
    func unreadable() async throws {
        let person = try PersonTerminal()
        var name = [CChar](repeating: 0, count: 128)
        try #require(unsafe ttyname_r(person.descriptor, &name, name.count) == 0)
        let descriptor = unsafe open(name, O_WRONLY | O_NOCTTY | O_CLOEXEC)
        try #require(descriptor >= 0)
        defer { close(descriptor) }
        let asking = Task { try await HiddenPrompt(input: descriptor, output: descriptor).line("Secret") }
        try await person.wait(for: "Secret:")
        person.type("x")
        // A prompt that goes on to read is cancelled.
        let patience = Task {
            try await Task.sleep(for: .seconds(10))
            asking.cancel()
        }
        guard case .nothingTyped = try await asking.value else {
            Issue.record("it was not ended")
            return
        }
        patience.cancel()
        #expect(person.attributes == person.firstAttributes)
    }

    @Test("P-4: a prompt on a stopped terminal can be cancelled, and shows itself when the terminal goes on")
    func stopped() async throws {
        let person = try PersonTerminal()
        person.type("\u{13}")
        let asking = ask(person, "Secret")
        try await BoundedWait.until("the hidden input") { person.attributes != person.firstAttributes }
        asking.cancel()
        guard case .interrupted = try await asking.value else {
            Issue.record("it was not ended")
            return
        }
        #expect(person.attributes == person.firstAttributes)
        let again = ask(person, "Again")
        try await BoundedWait.until("the hidden input") { person.attributes != person.firstAttributes }
        #expect(!person.raw.contains("Again"))
        person.type("\u{11}")
        try await person.wait(for: "Again:")
        person.type("whole\r")
        #expect(text(try await again.value) == "whole")
    }

    @Test("P-4: a prompt that no process reads takes its line, and leaves the terminal as it was")
    func noReader() async {
        await #expect(processExitsWith: .success) {
            signal(SIGPIPE, SIG_DFL)
            let person = try PersonTerminal()
            let output = try #require(Descriptors.makePipe())
            close(output.read)
            let descriptor = person.descriptor
            let asking = Task {
                try await HiddenPrompt(input: descriptor, output: output.write).line("Secret")
            }
            let hasEnded = Atomic(false)
            let waiting = Task {
                _ = await asking.result
                hasEnded.store(true, ordering: .releasing)
            }
            try await BoundedWait.until("the hidden input") { person.attributes != person.firstAttributes }
            // What is typed before the prompt drops earlier input is lost.
            try await BoundedWait.until("the line", every: .milliseconds(100)) {
                if !hasEnded.load(ordering: .acquiring) { person.type("a\r") }
                return hasEnded.load(ordering: .acquiring)
            }
            await waiting.value
            guard case .line = try await asking.value else {
                Issue.record("it was no line")
                return
            }
            #expect(person.attributes == person.firstAttributes)
        }
    }

    @Test("P-4: what was typed before a stop is no part of the line that is typed after it")
    func continued() async {
        await #expect(processExitsWith: .success) {
            let person = try PersonTerminal()
            let descriptor = person.descriptor
            let asking = Task { try await HiddenPrompt(input: descriptor, output: descriptor).line("Secret") }
            try await person.wait(for: "Secret:")
            var shown = termios()
            try #require(unsafe tcgetattr(descriptor, &shown) == 0)
            let hidden = person.attributes
            person.type("begun")
            try await BoundedWait.until("the keys to be read") {
                !DescriptorWait.isReady(descriptor, atMost: .zero)
            }
            // As a shell has the terminal while the process is stopped.
            shown.c_lflag |= tcflag_t(ECHO | ICANON)
            try #require(unsafe tcsetattr(descriptor, TCSANOW, &shown) == 0)
            kill(getpid(), SIGCONT)
            try await BoundedWait.until("the hidden input") { person.attributes == hidden }
            let hasEnded = Atomic(false)
            let waiting = Task {
                _ = await asking.result
                hasEnded.store(true, ordering: .releasing)
            }
            // What is typed before the prompt drops earlier input is lost.
            try await BoundedWait.until("the line", every: .milliseconds(100)) {
                if !hasEnded.load(ordering: .acquiring) { person.type("whole\r") }
                return hasEnded.load(ordering: .acquiring)
            }
            await waiting.value
            #expect(HiddenPromptTests().text(try await asking.value) == "whole")
        }
    }

    @Test("what is too long is no line, and what is no terminal has none")
    func others() async throws {
        let person = try PersonTerminal()
        let asking = ask(person, "Secret")
        try await person.wait(for: "Secret:")
        person.type(String(repeating: "x", count: HiddenPrompt.longest + 1) + "\r")
        guard case .tooLong = try await asking.value else {
            Issue.record("it was taken")
            return
        }
        guard case .nothingTyped = try await HiddenPrompt(input: -1).line("None") else {
            Issue.record("there is no terminal")
            return
        }
    }
}
