internal import PortcullisCore

extension ActivitySchedulerProbe {
    func checkStartInside() async throws {
        let present = try presentSchedule()
        try await start(present.schedule)
        try await expect([(.intervalDidStart, present.start)], "after a start inside")
    }

    func checkStartOutside() async throws {
        try await start(laterSchedule())
        try await expect([], "after a start outside")
        try requireEqual(await scheduler.monitored().count, 1, "activities that are monitored")
    }

    func checkStopInside() async throws {
        try await start(presentSchedule().schedule)
        _ = try await drain()
        let before = now
        await scheduler.stop([name])
        let after = now
        let seen = try await drain()
        try require(
            seen.map(\.kind) == [.intervalDidEnd] && seen.allSatisfy { $0.activity == name },
            "after a stop inside: expected the end, were \(seen)"
        )
        let scheduled = seen.first?.scheduled ?? .zero
        try require(
            before <= scheduled && scheduled <= after,
            "the end was not meant for the time of the stop"
        )
        await scheduler.stop([name])
        try await expect([], "after a second stop")
    }

    func checkStopOutside() async throws {
        await scheduler.stop([name])
        try await expect([], "after a stop of what was never started")
        try await start(laterSchedule())
        await scheduler.stop([other])
        try requireEqual(Set(await scheduler.monitored().keys), [name], "monitored after another's stop")
        await scheduler.stop([name, other])
        try await expect([], "after a stop outside")
        await scheduler.stop([])
        try require(await scheduler.monitored().isEmpty, "a stopped activity is still monitored")
    }

    func checkReplaces() async throws {
        try await start(schedule((7, 0), (10, 0)))
        try await expect([(.intervalDidStart, Self.time(0, 7))], "after a start inside")
        try await start(schedule((9, 0), (11, 0)))
        try await expect([(.intervalDidEnd, now)], "replacing inside by one that is not on")
        try await pass(to: Self.time(0, 9, 30))
        try await expect([(.intervalDidStart, Self.time(0, 9))], "the new schedule's start")
        let present = try schedule((8, 0), (12, 0))
        try await start(present)
        try await expect(
            [(.intervalDidEnd, now), (.intervalDidStart, Self.time(0, 8))],
            "replacing inside by one that is on"
        )
        try requireEqual(
            await scheduler.monitored()[name]?.schedule,
            present,
            "the schedule that is monitored"
        )
        try await pass(to: Self.time(1, 9, 30))
        try await expect(
            [(.intervalDidEnd, Self.time(0, 12)), (.intervalDidStart, Self.time(1, 8))],
            "the day after a replacement"
        )
    }

    func checkRestarts() async throws {
        let present = try presentSchedule()
        try await start(present.schedule)
        _ = try await drain()
        try await start(present.schedule)
        let seen = try await drain()
        try requireEqual(seen.map(\.kind), [.intervalDidEnd, .intervalDidStart], "after an equal start")
        try requireEqual(seen.last?.scheduled, present.start, "time that the start was meant for")
    }

    func checkMonitored() async throws {
        try require(await scheduler.monitored().isEmpty, "a new scheduler monitors something")
        let (present, later) = (try presentSchedule().schedule, try laterSchedule())
        try await start(present)
        try await start(later, other)
        let seen = await scheduler.monitored().mapValues(\.schedule)
        try requireEqual(seen, [name: present, other: later], "what is monitored")
        await scheduler.stop([name])
        try requireEqual(Array(await scheduler.monitored().keys), [other], "monitored after a stop")
    }

    func checkRefusesUnsupported() async throws {
        let present = try presentSchedule().schedule
        try await start(present)
        _ = try await drain()
        var beyond: [ActivitySchedule] = []
        if !can(.givesWarnings) {
            var warning = present
            warning.warning = .seconds(60)
            beyond.append(warning)
        }
        if !can(.takesOneShots) {
            var once = present
            once.repeats = false
            beyond.append(once)
        }
        for schedule in beyond {
            for name in [name, other] {
                do {
                    try await start(schedule, name)
                    throw Finding("a schedule beyond its capabilities was taken")
                } catch let error as ActivitySchedulerError {
                    try requireEqual(error.code, .unsupported, "code of the error beyond its capabilities")
                }
            }
        }
        try await expect([], "after refusals")
        let seen = await scheduler.monitored().mapValues(\.schedule)
        try requireEqual(seen, [name: present], "what is monitored after refusals")
    }

    func checkRefusals() async throws {
        let present = try presentSchedule().schedule
        try await start(present)
        _ = try await drain()
        for warning in [Duration.zero, .seconds(-60), .seconds(86_400), .seconds(1_000_000)] {
            var bad = present
            bad.warning = warning
            for name in [name, other] {
                do {
                    try await start(bad, name)
                    throw Finding("a warning of \(warning) was taken")
                } catch let error as ActivitySchedulerError {
                    try requireEqual(error.code, .invalidSchedule, "code of the error for \(warning)")
                }
            }
        }
        try await expect([], "after refusals")
        try requireEqual(
            await scheduler.monitored().mapValues(\.schedule),
            [name: present],
            "what is monitored after refusals"
        )
    }
}
