import GoalLock
import PortcullisCore
import PortcullisTesting
import Synchronization
import Testing

/// The release without a passcode.
@Suite("Releasing the goal lock by force (A-11)", .timeLimit(.minutes(5)))
struct ForcedReleaseTests {
    @Test("A-11: a forced release is told in the person's own time, and to programs in UTC")
    func forcedTime() {
        let note = ForcedReleaseNote(wall: .seconds(1_763_828_100), user: 7)
        #expect(note.time == "2025-11-22T16:15:00Z")
        #expect(note.localTime(ahead: .seconds(20_700)) == "2025-11-22 22:00")
        #expect(note.localTime(ahead: .seconds(14 * 3_600)) == "2025-11-23 06:15")
        #expect(note.localTime(ahead: .seconds(-17 * 3_600)) == "2025-11-21 23:15")
        for seconds in [Int64.min, -1, 0, 253_402_300_799, .max] {
            let odd = ForcedReleaseNote(wall: .seconds(seconds), user: 7)
            #expect(odd.time == nil && odd.localTime(ahead: .seconds(-50_000)) == nil)
        }
    }

    @Test("A-11: the last release by force is what the store tells, and a note that nothing wrote is none")
    func notes() async throws {
        let store = InMemorySecretStore()
        #expect(try await ForcedReleaseNote.last(in: store) == nil)
        for user in [7, 8] as [UInt32] {
            let release = ForcedReleaseNote(wall: .seconds(1_763_828_100), user: user)
            try await release.note(in: store)
            #expect(try await ForcedReleaseNote.last(in: store) == release)
        }
        try await store.write(
            SecretBytes("{}"),
            to: GoalNames.forcedRelease,
            accessibility: .afterFirstUnlockThisDeviceOnly
        )
        #expect(try await ForcedReleaseNote.last(in: store) == nil)
    }

    @Test("A-11: noting the release has an end where the store does not answer")
    func noteOnSilentStore() async throws {
        let clock = ManualClock()
        let gate = Gate()
        let store = SilentStore(base: InMemorySecretStore(), gate: gate)
        let note = ForcedReleaseNote(wall: .seconds(1_763_828_100), user: 7)
        try await note.note(in: store, within: .seconds(3), by: clock)
        #expect(try await ForcedReleaseNote.last(in: store) == note)
        gate.close()
        let noting = Task { try await note.note(in: store, within: .seconds(3), by: clock) }
        await clock.waitForSleepers(1)
        await gate.waitForHeld(1)
        await clock.advance(by: .seconds(3))
        let error = await #expect(throws: GoalError.self) { try await noting.value }
        #expect(error?.code == .timedOut)
        gate.open()
    }

    /// A store whose writes wait at a gate, also when they are cancelled.
    private struct SilentStore: ForwardingSecretStore {
        let base: any SecretStore
        let gate: Gate

        func write(
            _ value: SecretBytes,
            to name: SecretName,
            accessibility: Accessibility,
            if precondition: WritePrecondition
        ) async throws(SecretStoreError) -> WriteOutcome {
            _ = await Task { [gate] in await gate.pass() }.value
            return try await base.write(value, to: name, accessibility: accessibility, if: precondition)
        }
    }

    private static let moment = Moment(wall: .seconds(9), sinceBoot: .seconds(1_000), boot: BootID("a"))

    /// Looks at these moments, and what is to be done at the last.
    private static let looks: [(String, isPrivileged: Bool, [Moment], ForcedDelay.Step)] = [
        ("root", true, [moment], .over),
        ("at once", false, [moment], .wait(left: .seconds(3_600), again: .seconds(60))),
        (
            "between two minutes", false, [moment, moment.advanced(by: .seconds(90))],
            .wait(left: .seconds(3_510), again: .seconds(30))
        ),
        (
            "just before the end", false, [moment, moment.advanced(by: .seconds(3_600) - .nanoseconds(1))],
            .wait(left: .nanoseconds(1), again: .nanoseconds(1))
        ),
        ("at the end", false, [moment, moment.advanced(by: .seconds(3_600))], .over),
        (
            "the wall clock is put on", false,
            [moment, Moment(wall: .seconds(99_999), sinceBoot: .seconds(1_060), boot: BootID("a"))],
            .wait(left: .seconds(3_540), again: .seconds(60))
        ),
        (
            "after a restart", false,
            [moment, Moment(wall: .seconds(99_999), sinceBoot: .seconds(99_999), boot: BootID("b"))],
            .wait(left: .seconds(3_600), again: .seconds(60))
        ),
        (
            "an hour after a restart", false,
            [
                moment, Moment(wall: .seconds(99_999), sinceBoot: .seconds(5), boot: BootID("b")),
                Moment(wall: .seconds(99_999), sinceBoot: .seconds(3_605), boot: BootID("b")),
            ],
            .over
        ),
    ]

    @Test("A-11: what is left of the delay at a moment", arguments: looks)
    func steps(_ row: (name: String, isPrivileged: Bool, moments: [Moment], step: ForcedDelay.Step)) {
        var delay = ForcedDelay(isPrivileged: row.isPrivileged)
        let steps = row.moments.map { delay.look(at: $0) }
        #expect(steps.last == row.step, "\(row.name)")
    }

    @Test("A-11: a delay that is cancelled ends with an error")
    func cancelled() async {
        let clock = ManualClock()
        let waiting = Task { try await ForcedDelay().wait(by: clock) { _ in } }
        waiting.cancel()
        await #expect(throws: CancellationError.self) { try await waiting.value }
    }

    @Test("A-11: a forced release waits for its whole hour, by the clock that cannot be moved")
    func delay() async throws {
        let clock = ManualClock()
        let delay = ForcedDelay()
        let told = Told()
        let waiting = Task {
            try await delay.wait(by: clock) { told.add($0) }
            told.finish()
        }
        await clock.advance(by: .seconds(3_599))
        #expect(!told.isFinished)
        await clock.advance(by: .seconds(1))
        try await waiting.value
        #expect(told.times.first == .seconds(3_600))
        #expect(told.times.count == 60)
        #expect(told.times.last == .seconds(60))
    }

    private final class Told: Sendable {
        private let state = Mutex((times: [Duration](), isFinished: false))
        func add(_ time: Duration) { state.withLock { $0.times.append(time) } }
        func finish() { state.withLock { $0.isFinished = true } }
        var times: [Duration] { state.withLock { $0.times } }
        var isFinished: Bool { state.withLock { $0.isFinished } }
    }
}
