internal import AdapterKit
internal import PortcullisCore
internal import Synchronization

/// A new scheduler, with the functions that check the scheduler for each clause.
final class ActivitySchedulerProbe: Sendable {
    typealias Expected = (kind: ActivityEvent.Kind, time: Duration)

    /// The start of day 0 of the suite: 2026-01-01T00:00:00Z.
    static let origin = Duration.seconds(1_767_225_600)
    private static let fencePrefix = "contract.fence-"

    let subject: ActivitySchedulerSubject
    let scheduler: any ActivityScheduler
    let clock: any LockClock
    let stream: AsyncStream<ActivityEvent>
    let name = ActivityName("contract")
    let other = ActivityName("contract.other")
    private let manual: ManualClock?
    private let fences = Atomic<Int>(0)

    /// Makes a scheduler and opens a stream of the scheduler's events. A manual clock starts with this time
    /// and zone. A clock that runs in real time ignores both.
    init(_ subject: ActivitySchedulerSubject, at wall: Duration, in zone: ManualZone = .utc) async throws {
        self.subject = subject
        switch subject.time {
        case .manual(let makeClock, let makeScheduler):
            let clock = makeClock(wall, zone)
            self.manual = clock
            self.clock = clock
            self.scheduler = try await makeScheduler(clock)
        case .running(let clock, let makeScheduler):
            self.manual = nil
            self.clock = clock
            self.scheduler = try await makeScheduler()
        }
        self.stream = scheduler.events()
    }

    var now: Duration { clock.now.wall }

    func can(_ capability: ActivitySchedulerCapabilities) -> Bool {
        scheduler.capabilities.contains(capability)
    }

    /// The wall time of an hour and a minute (UTC) on a day of the suite. Day 0 begins at ``origin``.
    static func time(_ day: Int, _ hour: Int, _ minute: Int = 0) -> Duration {
        origin + .seconds(((day * 24 + hour) * 60 + minute) * 60)
    }

    func schedule(
        _ start: (hour: Int, minute: Int),
        _ end: (hour: Int, minute: Int),
        repeats: Bool = true,
        warning minutes: Int? = nil
    ) throws -> ActivitySchedule {
        guard let start = TimeOfDay(hour: start.hour, minute: start.minute),
            let end = TimeOfDay(hour: end.hour, minute: end.minute)
        else { throw Finding("the suite made a time of day that does not exist") }
        return ActivitySchedule(
            start: start,
            end: end,
            repeats: repeats,
            warning: minutes.map { .seconds($0 * 60) }
        )
    }

    /// A schedule whose interval contains the present time, and the wall time at which that interval started.
    func presentSchedule() throws -> (schedule: ActivitySchedule, start: Duration) {
        let calendar = DayCalendar(clock)
        // The interval is a whole day that started hours ago, so that it does not end while the clause runs.
        // If midnight was 1 to 14 hours ago, the interval starts at midnight. At any other time of day it
        // starts at noon.
        let midnight = calendar.dayStart(at: now, dayStart: .zero)
        guard (.seconds(3_600)..<Duration.seconds(14 * 3_600)).contains(now - midnight) else {
            let noon = calendar.dayStart(at: now, dayStart: .seconds(12 * 3_600))
            return (try schedule((12, 0), (12, 0)), noon)
        }
        return (try schedule((0, 0), (0, 0)), midnight)
    }

    /// A schedule whose next interval starts in several hours.
    func laterSchedule() throws -> ActivitySchedule {
        let sinceFour = now - DayCalendar(clock).dayStart(at: now, dayStart: .seconds(4 * 3_600))
        let isFourFar = (.seconds(2 * 3_600)..<Duration.seconds(20 * 3_600)).contains(sinceFour)
        return isFourFar ? try schedule((4, 0), (5, 0)) : try schedule((12, 0), (13, 0))
    }

    func start(_ schedule: ActivitySchedule, _ name: ActivityName? = nil) async throws {
        try await scheduler.start(name ?? self.name, schedule: schedule)
    }
}

extension ActivitySchedulerProbe {
    private func moved() throws(Finding) -> ManualClock {
        guard let manual else {
            throw Finding("a clause that moves time ran on a clock that cannot be moved")
        }
        return manual
    }

    /// Moves the clock forward minute by minute, so that the scheduler can deliver each event at its time.
    func pass(to wall: Duration) async throws {
        let clock = try moved()
        while now < wall {
            await clock.advance(by: min(.seconds(60), wall - now))
            await subject.settle(scheduler)
        }
    }

    /// Makes the machine sleep until the clock shows this wall time.
    func sleep(to wall: Duration) async throws {
        try await moved().suspend(for: wall - now)
        await subject.settle(scheduler)
    }

    func setWall(_ wall: Duration) async throws {
        try await moved().setWall(wall)
        await subject.settle(scheduler)
    }

    func setZone(_ zone: ManualZone) async throws {
        try await moved().setZone(zone)
        await subject.settle(scheduler)
    }

    /// Returns the events that a stream has yielded since the probe last read the stream.
    ///
    /// A test cannot wait for an event that never comes. The probe therefore starts and stops another
    /// activity. When the end event of that activity comes, all earlier events have come too.
    func drain(_ stream: AsyncStream<ActivityEvent>? = nil) async throws -> [ActivityEvent] {
        let number = fences.wrappingAdd(1, ordering: .relaxed).newValue
        let fence = ActivityName("\(Self.fencePrefix)\(number)")
        try await start(try presentSchedule().schedule, fence)
        await scheduler.stop([fence])
        let last = ActivityEvent.Kind.intervalDidEnd
        let taken = await take(from: stream ?? self.stream) { event, _ in
            event.activity == fence && event.kind == last
        }
        guard let taken else {
            throw Finding("an activity that was started and stopped gave no start and end")
        }
        return taken
    }

    /// A possible reason why no events come, for the text of a ``Finding``; empty if none is known.
    var advice: String {
        guard let executor = manual?.executor, !executor.hasRunJobs else { return "" }
        return "; tasks of the scheduler's own need the executor of the clock, which was given none, "
            + "or a `settle` is missing"
    }

    /// Requires that the events of an activity were meant for exactly these times.
    func requireTimes(
        _ expected: [Duration],
        of activity: ActivityName,
        in events: [ActivityEvent],
        _ what: String
    ) throws(Finding) {
        let times = events.filter { $0.activity == activity }.map(\.scheduled)
        let reason = times.count < expected.count ? advice : ""
        try require(times == expected, "\(what): expected \(expected), was \(times)\(reason)")
    }

    /// Requires that the stream has yielded exactly these events since the probe last read it.
    func expect(
        _ expected: [Expected],
        _ what: String,
        from stream: AsyncStream<ActivityEvent>? = nil
    ) async throws {
        let wanted = expected.map { ActivityEvent(activity: name, kind: $0.kind, scheduled: $0.time) }
        // The probe reads the expected events before it calls the scheduler again. A further call could make
        // the scheduler deliver an event that it would otherwise not deliver.
        var seen: [ActivityEvent] = []
        if !wanted.isEmpty {
            let count = wanted.count
            guard let taken = await take(from: stream ?? self.stream, until: { $1 == count }) else {
                throw Finding("\(what): some of the events did not come: \(Self.text(wanted))\(advice)")
            }
            seen = taken
        }
        seen += try await drain(stream)
        try require(seen == wanted, "\(what): expected \(Self.text(wanted)), were \(Self.text(seen))")
    }

    /// Reads events up to and including the first event that satisfies the condition. The result leaves out
    /// events of the probe's own activities.
    ///
    /// - Parameter isLast: gets an event, and the number of events that the result contains so far.
    /// - Returns: `nil` when the stream ends, or when the time limit `patience` has passed.
    private func take(
        from stream: AsyncStream<ActivityEvent>,
        until isLast: @escaping @Sendable (ActivityEvent, Int) -> Bool
    ) async -> [ActivityEvent]? {
        await withTaskGroup(of: [ActivityEvent]?.self) { group in
            group.addTask {
                var events: [ActivityEvent] = []
                for await event in stream {
                    if !event.activity.rawValue.hasPrefix(Self.fencePrefix) { events.append(event) }
                    if isLast(event, events.count) { return events }
                }
                return nil
            }
            group.addTask { [subject] in
                // The limit is in real time. Only a failing clause reaches it.
                try? await Task.sleep(for: subject.patience)
                return nil
            }
            let first = await group.next() ?? nil
            group.cancelAll()
            return first
        }
    }

    private static func text(_ events: [ActivityEvent]) -> String {
        let texts = events.map { event in
            let minutes = (event.scheduled - origin).components.seconds / 60
            let (day, minute) = (minutes / 1_440, minutes % 1_440)
            return
                "\(event.activity.rawValue) \(event.kind) meant for day \(day), \(minute / 60):\(minute % 60) UTC"
        }
        return texts.isEmpty ? "none" : texts.joined(separator: "; ")
    }

    /// Runs the work in several tasks at once, and waits until all have ended.
    func atOnce(_ count: Int, _ work: @escaping @Sendable @concurrent (Int) async throws -> Void) async throws
    {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for index in 0..<count { group.addTask { try await work(index) } }
            try await group.waitForAll()
        }
    }
}
