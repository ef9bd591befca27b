import AdapterKit
import PortcullisCore
import PortcullisTesting
import Synchronization
import Testing

@Suite("A notifier that delivers later (X-2)", .timeLimit(.minutes(5)))
struct DeferredNotifierTests {
    /// A notifier and what came due and could not be delivered.
    private struct Place {
        let executor = ManualExecutor()
        let clock: ManualClock
        let base: RecordingNotifier
        let failures = Failures()

        init() {
            clock = ManualClock(wall: .seconds(1_767_268_800), executor: executor)
            base = RecordingNotifier(clock: clock)
        }

        func notifier() -> DeferredNotifier {
            DeferredNotifier(base, clock: clock, executor: executor) { [failures] in failures.add($0, $1) }
        }

        func time(_ seconds: Int) -> Duration { clock.now.wall + .seconds(seconds) }
        var bodies: [String] { base.delivered.map(\.body) }
    }

    private final class Failures: Sendable {
        private let all = Mutex<[String]>([])
        var texts: [String] { all.withLock { $0 } }
        func add(_ notification: LockNotification, _ error: NotifierError) {
            all.withLock { $0.append("\(notification.id) \(error.code.name)") }
        }
    }

    private func note(_ id: String, _ body: String? = nil) -> LockNotification {
        LockNotification(id: id, title: "Title", body: body ?? id)
    }

    @Test(
        "X-3: keeps the contract over a notifier that delivers at once",
        arguments: NotifierContract.allCases
    )
    func contract(_ clause: NotifierContract) async throws {
        let subject = NotifierSubject { clock in
            let base = RecordingNotifier(clock: clock)
            return .init(
                notifier: DeferredNotifier(base, clock: clock, executor: clock.executor) { _, _ in },
                delivered: { base.delivered },
                forbid: { base.setAuthorized(false) }
            )
        }
        let expected: ContractResult =
            clause == .stuckReader ? .notApplicable("the reader cannot be held in a test") : .kept
        #expect(try await clause.check(subject) == expected)
    }

    @Test("X-2: those due at one instant, after a clock was moved, come in the order of their times")
    func movedClock() async throws {
        let place = Place()
        let notifier = place.notifier()
        for seconds in [30, 10, 20] {
            try await notifier.deliver(note("\(seconds)"), at: place.time(seconds))
        }
        await place.clock.setWall(place.time(3_600))
        #expect(place.bodies == ["10", "20", "30"])
    }

    @Test("X-2: what is due and cannot be delivered is told, once, and does not hold up the next one")
    func failures() async throws {
        let place = Place()
        let notifier = place.notifier()
        try await notifier.deliver(note("a"), at: place.time(10))
        try await notifier.deliver(note("b"), at: place.time(20))
        place.base.setAuthorized(false)
        await place.clock.advance(by: .seconds(10))
        #expect(place.failures.texts == ["a notAuthorized"])
        #expect(await notifier.pending().map(\.notification.id) == ["b"])
        let refused = await #expect(throws: NotifierError.self) {
            try await notifier.deliver(note("b", "now"))
        }
        #expect(refused?.code == .notAuthorized)
        #expect(await notifier.pending().map(\.notification.body) == ["b"], "the pending one is left")
        place.base.setAuthorized(true)
        await place.clock.advance(by: .seconds(10))
        #expect(place.bodies == ["b"] && place.failures.texts.count == 1)
    }

    @Test("X-2: what is replaced, withdrawn, delivered at once or left behind waits for no time any more")
    func timers() async throws {
        let place = Place()
        var notifier: DeferredNotifier? = place.notifier()
        func demand(_ count: Int, _ what: String) async {
            await place.clock.advance(by: .zero)
            #expect(place.clock.sleeperCount == count, "\(what)")
        }
        for id in ["a", "b", "c", "d"] { try await notifier?.deliver(note(id), at: place.time(1_000)) }
        await demand(4, "four that are to come")
        try await notifier?.deliver(note("a"), at: place.time(1_001))
        await demand(4, "one in the place of another")
        await notifier?.withdraw(["b"])
        await demand(3, "one withdrawn")
        try await notifier?.deliver(note("c"))
        await demand(2, "one at once")
        notifier = nil
        await demand(0, "none is there to deliver them")
        #expect(place.bodies == ["c"])
    }

    /// A notifier that a gate holds up, and whose calls are cancelled with their tasks.
    private final class SlowNotifier: Notifier {
        let gate = Gate()
        private let all = Mutex<[String]>([])
        var events: [String] { all.withLock { $0 } }
        private func note(_ event: String) { all.withLock { $0.append(event) } }

        func requestAuthorization() async -> Bool { true }

        func deliver(_ notification: LockNotification) async throws(NotifierError) {
            guard await gate.pass() else {
                throw NotifierError(code: .systemFailure, message: "cancelled")
            }
            note(notification.body)
        }

        func withdraw(_ ids: Set<String>) async { note("withdraw \(ids.sorted())") }
    }

    @Test("X-2: one that is scheduled anew while it is delivered waits for its own time")
    func scheduledAnew() async throws {
        let clock = BentClock { $1 }
        let base = SlowNotifier()
        base.gate.close()
        let notifier = DeferredNotifier(base, clock: clock) { _, _ in }
        try await notifier.deliver(note("a"), at: clock.now.wall + .seconds(10))
        await clock.clock.waitForSleepers(1)
        await clock.clock.advance(by: .seconds(10))
        await base.gate.waitForHeld(1)
        try await notifier.deliver(note("a", "again"), at: clock.now.wall + .seconds(1_000))
        base.gate.open()
        try await BoundedWait.until { base.events == ["a"] }
        await clock.clock.waitForSleepers(1)
        for _ in 0..<100 { await Task.yield() }
        #expect(clock.sleeps == 2, "the timer of the first one has ended")
        await clock.clock.advance(by: .seconds(1_000))
        try await BoundedWait.until { base.events == ["a", "again"] }
    }

    @Test("X-2: one that is scheduled while one of its id is delivered stays; one from before does not")
    func scheduledMeanwhile() async throws {
        let clock = ManualClock()
        let base = SlowNotifier()
        base.gate.close()
        let notifier = DeferredNotifier(base, clock: clock) { _, _ in }
        try await notifier.deliver(note("a", "before"), at: clock.now.wall + .seconds(500))
        let first = Task { try await notifier.deliver(note("a")) }
        await base.gate.waitForHeld(1)
        try await notifier.deliver(note("a", "again"), at: clock.now.wall + .seconds(1_000))
        base.gate.open()
        try await first.value
        #expect(await notifier.pending().map(\.notification) == [note("a", "again")])
        // One from before is replaced.
        try await notifier.deliver(note("a", "now"))
        #expect(await notifier.pending().isEmpty)
    }

    /// A clock on which a test says when a sleeper wakes: `nil` for at once.
    private final class BentClock: LockClock {
        let clock = ManualClock()
        private let bend: @Sendable (_ call: Int, ClockDeadline) -> ClockDeadline?
        private let calls = Mutex(0)
        var sleeps: Int { calls.withLock { $0 } }

        init(_ bend: @escaping @Sendable (_ call: Int, ClockDeadline) -> ClockDeadline?) { self.bend = bend }

        var now: Moment { clock.now }
        var isSynchronised: Bool { clock.isSynchronised }
        var zone: String { clock.zone }
        func sleep(until deadline: ClockDeadline) async throws(CancellationError) {
            let call = calls.withLock { calls in
                calls += 1
                return calls
            }
            if let deadline = bend(call, deadline) { try await clock.sleep(until: deadline) }
        }
        func civilDate(at wall: Duration, dayStart: Duration) -> CivilDate {
            clock.civilDate(at: wall, dayStart: dayStart)
        }
        func start(of date: CivilDate, dayStart: Duration) -> Duration {
            clock.start(of: date, dayStart: dayStart)
        }
        func nextDayStart(after wall: Duration, dayStart: Duration) -> Duration {
            clock.nextDayStart(after: wall, dayStart: dayStart)
        }
        func notices() -> AsyncStream<ClockNotice> { clock.notices() }
    }

    @Test("X-2: one that is woken before its time sleeps again, and no more once it is delivered")
    func wokenEarly() async throws {
        // As where the clock is set back meanwhile.
        let clock = BentClock { call, deadline in call == 1 ? nil : deadline }
        let base = RecordingNotifier(clock: clock)
        let notifier = DeferredNotifier(base, clock: clock) { _, _ in }
        try await notifier.deliver(note("a"), at: clock.now.wall + .seconds(10))
        await clock.clock.waitForSleepers(1)
        #expect(clock.sleeps == 2 && base.delivered.isEmpty)
        await clock.clock.advance(by: .seconds(10))
        try await BoundedWait.until { !base.delivered.isEmpty }
        for _ in 0..<50 { await Task.yield() }
        #expect(clock.sleeps == 2 && base.delivered.count == 1)
        #expect(await notifier.pending().isEmpty)
    }

    @Test("X-2: withdrawing one does not end the delivery of another that its timer began")
    func withdrawnMeanwhile() async throws {
        let start = ManualClock().now.wall
        // The timer of the first one is late, so that the second one's timer delivers both.
        let clock = BentClock { _, deadline in
            deadline == .wall(start + .seconds(10)) ? .wall(start + .seconds(1_000)) : deadline
        }
        let base = SlowNotifier()
        base.gate.close()
        let lost = Failures()
        let notifier = DeferredNotifier(base, clock: clock) { lost.add($0, $1) }
        try await notifier.deliver(note("a"), at: start + .seconds(10))
        try await notifier.deliver(note("b"), at: start + .seconds(11))
        await clock.clock.waitForSleepers(2)
        await clock.clock.advance(by: .seconds(11))
        await base.gate.waitForHeld(1)
        let withdrawing = Task { await notifier.withdraw(["b"]) }
        try await BoundedWait.until { await notifier.pending().isEmpty }
        // Time for what must not happen: the end of the delivery, and a withdrawal that overtakes it.
        for _ in 0..<1_000 { await Task.yield() }
        base.gate.open()
        await withdrawing.value
        #expect(base.events == ["a", "withdraw [\"b\"]"])
        #expect(lost.texts.isEmpty)
    }
}
