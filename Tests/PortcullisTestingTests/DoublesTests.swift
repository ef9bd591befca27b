import PortcullisCore
import PortcullisTesting
import Testing

@Suite("Doubles", .timeLimit(.minutes(5)))
struct DoublesTests {
    private func note(_ id: String, _ body: String = "") -> LockNotification {
        LockNotification(id: id, title: "T", body: body)
    }

    @Test("RecordingNotifier delivers what is due, once, in order; cancelled and replaced ones never")
    func notifier() async throws {
        let clock = ManualClock()
        let notifier = RecordingNotifier(clock: clock)
        let start = clock.now.wall
        try await notifier.deliver(note("now"))
        try await notifier.deliver(note("b"), at: start + .seconds(20))
        try await notifier.deliver(note("a"), at: start + .seconds(10))
        try await notifier.deliver(note("gone"), at: start + .seconds(5))
        try await notifier.deliver(note("b", "again"), at: start + .seconds(30))
        await notifier.withdraw(["gone"])
        #expect(await notifier.pending().map(\.notification.id) == ["a", "b"])
        await clock.advance(by: .seconds(15))
        #expect(notifier.delivered.map(\.id) == ["now", "a"])
        await clock.advance(by: .seconds(60))
        await notifier.withdraw(["b"])
        #expect(notifier.delivered == [note("now"), note("a"), note("b", "again")])
        #expect(await notifier.pending().isEmpty)

        // What is due does not wait to be asked for.
        try await notifier.deliver(note("due"), at: clock.now.wall + .seconds(1))
        await clock.advance(by: .seconds(1))
        #expect(await notifier.pending().isEmpty)

        notifier.setAuthorized(false)
        #expect(await !notifier.requestAuthorization())
        let error = await #expect(throws: NotifierError.self) { try await notifier.deliver(note("c")) }
        #expect(error?.code == .notAuthorized)
    }

    @Test("P-33: InMemorySession signs out who is signed in, and can be held while it does")
    func session() async throws {
        let session = InMemorySession(.device)
        #expect(await session.restore() == .device)
        session.gate.close()
        let signingOut = Task { await session.signOut() }
        await session.gate.waitForHeld(1)
        #expect(await session.current == .device)
        #expect(session.signOuts.isEmpty)
        session.gate.open()
        await signingOut.value
        #expect(await session.current == nil)
        let other = try #require(UserID("c"))
        session.signIn(.device)
        session.signIn(other)
        #expect(await session.current == other)
        await session.signOut()
        await session.signOut()
        #expect(session.signOuts == [.device, other, nil])
    }

    @Test("SeededNumbers are those of SplitMix64")
    func numbers() {
        var numbers = SeededNumbers(seed: 0)
        let seen = (0..<3).map { _ in numbers.next() }
        #expect(seen == [0xE220_A839_7B1D_CDAF, 0x6E78_9E6A_A1B9_65F4, 0x06C4_5D18_8009_454F])
        var later = SeededNumbers(seed: 1)
        #expect(later.next() == seen[1])
    }

    @Test("a wait ends when its condition holds, at its bound, or with its task")
    func waits() async throws {
        var looks = 0
        try await BoundedWait.until {
            looks += 1
            return looks == 3
        }
        #expect(looks == 3)
        try await BoundedWait.until("the third look", every: .nanoseconds(1)) {
            looks += 1
            return looks == 6
        }
        let late = await #expect(throws: (any Error).self) {
            try await BoundedWait.until("nothing", limit: .zero, file: "F", line: 7) { false }
        }
        #expect(late.map { "\($0)" } == "F:7 waited in vain for nothing")
        let cancelled = Task {
            unsafe withUnsafeCurrentTask { task in unsafe task?.cancel() }
            try await BoundedWait.until { false }
        }
        await #expect(throws: CancellationError.self) { try await cancelled.value }
    }
}
