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
        await notifier.cancel(["gone"])
        #expect(await notifier.pending().map(\.notification.id) == ["a", "b"])
        await clock.advance(by: .seconds(15))
        #expect(notifier.delivered.map(\.id) == ["now", "a"])
        await clock.advance(by: .seconds(60))
        await notifier.cancel(["b"])
        #expect(notifier.delivered == [note("now"), note("a"), note("b", "again")])
        #expect(await notifier.pending().isEmpty)

        notifier.setAuthorized(false)
        #expect(await !notifier.requestAuthorization())
        let error = await #expect(throws: NotifierError.self) { try await notifier.deliver(note("c")) }
        #expect(error?.code == .notAuthorized)
    }

    @Test("P-33: InMemorySession signs out whom it is told, and can be held while it does")
    func session() async throws {
        let staff = SignedInUser(id: .device, role: .staff)
        let customer = SignedInUser(id: try #require(UserID("c")), role: .customer)
        let session = InMemorySession(customer)
        session.signIn(staff)
        #expect(await session.restore() == staff)
        session.gate.close()
        let signingOut = Task { await session.signOut(.staff) }
        await session.gate.waitForHeld(1)
        #expect(await session.current == staff)
        #expect(session.signOuts.isEmpty)
        session.gate.open()
        await signingOut.value
        #expect(await session.current == customer)
        await session.signOut(.everything)
        #expect(await session.current == nil)
        #expect(session.signOuts == [.staff, .everything])
    }
}
