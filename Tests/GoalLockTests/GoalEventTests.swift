import AdapterKit
import GoalLock
import PortcullisCore
import PortcullisTesting
import Testing

@Suite("What happens to the goal lock, as it is told to logs and metrics", .timeLimit(.minutes(5)))
struct GoalEventTests {
    private let bench = ServiceBench()

    /// The kinds of so many events that a body brings about.
    private func kinds(
        _ count: Int,
        of service: GoalLockService,
        _ body: () async throws -> Void
    ) async throws -> [GoalEvent.Kind] {
        var events = await service.events().makeAsyncIterator()
        try await body()
        var kinds: [GoalEvent.Kind] = []
        while kinds.count < count, let event = await events.next(isolation: #isolation) {
            kinds.append(event.kind)
        }
        return kinds
    }

    @Test("A-1, A-3, A-4: a day is told in order: on, shut, reached, the next day, shut, another goal, off")
    func day() async throws {
        let service = try bench.service()
        let today = try await service.status().date
        let told = try await kinds(10, of: service) {
            try await service.select(ServiceBench.selection)
            _ = try await service.enable()
            try await service.update(progress: 40)
            try await service.update(progress: 100)
            await bench.clock.advance(by: .hours(24))
            try await service.refresh()
            try await service.setGoal(200)
            try await service.setDayStart(try #require(TimeOfDay(hour: 3, minute: 0)))
            try await service.disable()
        }
        let tomorrow = CivilDate(daysSinceEpoch: today.daysSinceEpoch + 1)
        #expect(
            told == [
                .lifted(.disabled), .enabled, .shielded, .lifted(.reached), .dayBegan(tomorrow), .shielded,
                .goalChanged(200), .dayStartChanged(try #require(TimeOfDay(hour: 3, minute: 0))), .disabled,
                .lifted(.disabled),
            ]
        )
        let more = try await kinds(3, of: service) {
            try await service.select(ShieldSelection())
            try await service.noteUnreadableProgress()
            try await service.update(progress: 1)
        }
        #expect(more == [.selectionChanged(apps: 0, categories: 0), .progressLost, .progressFound])
    }

    @Test("A-11: what fails is told by its code, with the moment, also where the lock looked by itself")
    func failures() async throws {
        let service = try await bench.enabled()
        var events = await service.events().makeAsyncIterator()
        try await bench.overwriteRecord("{")
        await #expect(throws: GoalError.self) { try await service.refresh() }
        let moment = bench.clock.now
        #expect(
            await events.next(isolation: #isolation)
                == GoalEvent(moment: moment, kind: .failed(.damagedRecord))
        )
        await #expect(throws: GoalError.self) { try await service.launch() }
        #expect(await events.next(isolation: #isolation)?.kind == .failed(.damagedRecord))
        try await service.release()
        // First the release itself, which cannot read the state either.
        #expect(await events.next(isolation: #isolation)?.kind == .failed(.damagedRecord))
        // A state that cannot be understood is replaced by a new one, in which nothing is chosen.
        for kind in [GoalEvent.Kind.selectionChanged(apps: 0, categories: 0), .disabled, .lifted(.disabled)] {
            #expect(await events.next(isolation: #isolation)?.kind == kind)
        }
    }
}
