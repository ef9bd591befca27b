import FakeBiometrics
import PortcullisCore
import PortcullisTesting
import Testing

@Suite("FakeBiometrics", .timeLimit(.minutes(5)))
struct FakeBiometricsTests {
    let clock = ManualClock()
    let user = UserID.device
    let key = SecretBytes(randomCount: 32)

    private func reader(
        _ kind: BiometricKind = .touchID,
        binding: BiometricBinding = .key
    ) -> FakeBiometrics {
        FakeBiometrics(kind: kind, binding: binding, clock: clock)
    }

    private func prompt(_ reader: FakeBiometrics) async -> String {
        let outcome = await reader.authenticate(
            user: user,
            reason: "Unlock Ledger",
            fallbackTitle: "Enter Passcode"
        )
        return switch outcome {
        case .success(let released): released.map { $0.matches(key) ? "key" : "other" } ?? "success"
        case .failed(let message): message
        case .cancelled(let canceller): "cancelled by \(canceller)"
        default: "\(outcome)"
        }
    }

    /// Waits for a prompt that another task puts up.
    private func waitForPrompt(_ reader: FakeBiometrics, _ count: Int = 1) async throws {
        try await BoundedWait.until { reader.isPrompting && reader.prompts.count >= count }
    }

    @Test("P-10: kinds with names and symbols, asked each time")
    func kinds() async {
        let reader = reader(.faceID)
        #expect(await reader.availability(for: user).kind.displayName == "Face ID")
        #expect(await reader.availability(for: user).kind.symbolName == "faceid")
        reader.setKind(.touchID)
        #expect(await reader.availability(for: user).kind == .touchID)
        reader.setSwitchedOn(false)
        let off = await reader.availability(for: user)
        #expect(off.kind == .none && off.state == .notAvailable)
        #expect(off.kind.displayName == "Biometric")
        #expect(await prompt(reader) == "notAvailable")
    }

    @Test("P-12: success, passcode, cancels and failures end as they were scripted")
    func outcomes() async throws {
        let reader = reader()
        try await reader.enroll(key, for: user)
        reader.script(
            .success,
            .choosePasscode,
            .cancel(by: .user),
            .cancel(by: .system),
            .fail(message: nil),
            .fail(message: "Wet finger")
        )
        var ends: [String] = []
        for _ in 0..<6 { ends.append(await prompt(reader)) }
        #expect(
            ends == [
                "key", "passcodeChosen", "cancelled by user",
                "cancelled by system", "Authentication failed", "Wet finger",
            ]
        )
        #expect(reader.prompts.first?.reason == "Unlock Ledger")
        #expect(reader.prompts.first?.fallbackTitle == "Enter Passcode")
    }

    @Test("P-12: five failures in a row lock out until the passcode; a success starts the count anew")
    func lockOut() async throws {
        let reader = reader()
        try await reader.enroll(key, for: user)
        let failure = FakeBiometrics.Answer.fail(message: nil)
        reader.script(
            failure,
            failure,
            failure,
            failure,
            .success,
            failure,
            failure,
            failure,
            failure,
            failure
        )
        for _ in 0..<9 { _ = await prompt(reader) }
        #expect(await reader.availability(for: user).state == .available)
        #expect(await prompt(reader) == "lockedOut")
        #expect(await reader.availability(for: user).state == .lockedOut)
        #expect(await prompt(reader) == "lockedOut")
        #expect(reader.prompts.count == 10, "no prompt while locked out")
        reader.passcodeEntered()
        reader.script(.success)
        #expect(await prompt(reader) == "key")
    }

    @Test("P-12: cancelling the task takes the prompt away, before and during")
    func taskCancellation() async throws {
        let reader = reader()
        try await reader.enroll(key, for: user)
        let prompting = Task { await prompt(reader) }
        try await waitForPrompt(reader)
        prompting.cancel()
        #expect(await prompting.value == "cancelled by app")
        #expect(!reader.isPrompting)
        #expect(!reader.answer(.success), "an answer that comes late reaches nobody")

        reader.script(.success, after: .seconds(5))
        let delayed = Task { await prompt(reader) }
        await clock.waitForSleepers(1)
        delayed.cancel()
        #expect(await delayed.value == "cancelled by app")
    }

    @Test("P-12: a scripted delay passes on the clock")
    func delay() async throws {
        let reader = reader()
        try await reader.enroll(key, for: user)
        reader.script(.success, after: .seconds(5))
        let prompting = Task { await prompt(reader) }
        await clock.waitForSleepers(1)
        await clock.advance(by: .seconds(5))
        #expect(await prompting.value == "key")
    }

    @Test("P-14: one prompt at a time: a second one ends the first")
    func onePrompt() async throws {
        let reader = reader()
        try await reader.enroll(key, for: user)
        let first = Task { await prompt(reader) }
        try await waitForPrompt(reader)
        let second = Task { await prompt(reader) }
        try await waitForPrompt(reader, 2)
        #expect(await first.value == "cancelled by system")
        try await BoundedWait.until { reader.answer(.success) }
        #expect(await second.value == "key")

        // One whose answer is scripted ends one that waits for its own.
        let waiting = Task { await prompt(reader) }
        try await waitForPrompt(reader, 3)
        reader.script(.success)
        #expect(await prompt(reader) == "key")
        #expect(await waiting.value == "cancelled by system")

        // The same for prompts whose answers are scripted, and for a reader that is switched off meanwhile.
        reader.script(.success, after: .seconds(5))
        reader.script(.success)
        let slow = Task { await prompt(reader) }
        await clock.waitForSleepers(1)
        #expect(await prompt(reader) == "key")
        await clock.advance(by: .seconds(5))
        #expect(await slow.value == "cancelled by system")
        reader.script(.success, after: .seconds(5))
        let switchedOff = Task { await prompt(reader) }
        await clock.waitForSleepers(1)
        reader.setSwitchedOn(false)
        await clock.advance(by: .seconds(5))
        #expect(await switchedOff.value == "cancelled by system")
    }

    @Test("P-12, P-14: a task that was cancelled before gets no prompt, and leaves the one that is up alone")
    func cancelledBefore() async throws {
        let reader = reader()
        try await reader.enroll(key, for: user)
        let first = Task { await prompt(reader) }
        try await waitForPrompt(reader)
        let cancelled = Task {
            while !Task.isCancelled { await Task.yield() }
            return await prompt(reader)
        }
        cancelled.cancel()
        #expect(await cancelled.value == "cancelled by app")
        #expect(reader.prompts.count == 1)
        #expect(reader.answer(.success))
        #expect(await first.value == "key")

        // One that is cancelled as it comes has ended the first or has not, and leaves no prompt that nobody can answer.
        for _ in 0..<10_000 {
            let reader = self.reader(binding: .assertion)
            let first = Task { @concurrent in await prompt(reader) }
            try await BoundedWait.until { reader.isPrompting }
            let second = Task { @concurrent in await prompt(reader) }
            try await BoundedWait.until { reader.prompts.count >= 2 }
            second.cancel()
            #expect(await second.value == "cancelled by app")
            let isUp = reader.answer(.success)
            let end = await first.value
            guard end == (isUp ? "success" : "cancelled by system") else {
                Issue.record("the first prompt ended in \(end)")
                return
            }
        }
    }

    @Test("P-14: of prompts that several tasks ask for at once, the last stays up and takes the answer")
    func promptsAtOnce() async throws {
        // What can go wrong lies between two instants of a call; many rounds meet it.
        for _ in 0..<10_000 {
            let reader = self.reader(binding: .assertion)
            let prompts = (0..<4).map { _ in Task { @concurrent in await prompt(reader) } }
            try await BoundedWait.until { reader.prompts.count >= 4 }
            let person = Task { @concurrent in
                while !Task.isCancelled {
                    reader.answer(.success)
                    await Task.yield()
                }
            }
            var ends: [String] = []
            for prompt in prompts { ends.append(await prompt.value) }
            person.cancel()
            guard ends.filter({ $0 == "success" }).count == 1 else {
                Issue.record("the prompts ended in \(ends)")
                return
            }
        }
    }

    @Test("P-13: a change of the enrolment changes the digest and drops the key")
    func enrolmentChange() async throws {
        let reader = reader()
        try await reader.enroll(key, for: user)
        let before = await reader.availability(for: user).enrolmentDigest
        #expect(before != nil)
        #expect(await reader.availability(for: user).enrolmentDigest == before)
        reader.changeEnrolment(to: ["owner", "stranger"])
        reader.changeEnrolment(to: ["owner"])
        #expect(await reader.availability(for: user).enrolmentDigest != before, "also when it looks the same")
        reader.script(.success)
        #expect(await prompt(reader) == "Authentication failed")

        reader.changeEnrolment(to: [])
        #expect(await reader.availability(for: user).state == .notEnrolled)
        #expect(await reader.availability(for: user).enrolmentDigest == nil)
        #expect(await prompt(reader) == "notEnrolled")
        let error = await #expect(throws: BiometricError.self) { try await reader.enroll(key, for: user) }
        #expect(error?.code == .notEnrolled)
    }

    @Test(
        "P-13: an answer to a prompt that was up before the enrolment changed releases no key that came after it"
    )
    func enrolmentChangeDuring() async throws {
        let reader = reader()
        try await reader.enroll(key, for: user)
        let prompting = Task { await prompt(reader) }
        try await waitForPrompt(reader)
        reader.changeEnrolment(to: ["owner", "stranger"])
        try await reader.enroll(key, for: user)
        #expect(reader.answer(.success))
        #expect(await prompting.value == "Authentication failed")
    }

    @Test("P-15: an assertion starts the count of failures anew, too")
    func assertionsCount() async throws {
        let reader = reader(binding: .assertion)
        let failures = Array(repeating: FakeBiometrics.Answer.fail(message: nil), count: 4)
        for answer in failures + [.success] + failures { reader.script(answer) }
        for _ in 0..<9 { _ = await prompt(reader) }
        #expect(await reader.availability(for: user).state == .available)
    }

    @Test("P-15: a key is released to its user only; an assertion releases none")
    func bindings() async throws {
        let reader = reader()
        try await reader.enroll(key, for: user)
        let other = try #require(UserID("other"))
        reader.script(.success, .success)
        let stranger = await reader.authenticate(user: other, reason: "", fallbackTitle: "")
        if case .success = stranger { Issue.record("another user's key was released") }
        try await reader.forget(user)
        try await reader.forget(user)
        #expect(await prompt(reader) == "Authentication failed")

        let asserting = self.reader(.faceID, binding: .assertion)
        try await asserting.enroll(key, for: user)
        asserting.script(.success)
        #expect(await prompt(asserting) == "success")
        #expect(await asserting.availability(for: user).binding == .assertion)
    }
}
