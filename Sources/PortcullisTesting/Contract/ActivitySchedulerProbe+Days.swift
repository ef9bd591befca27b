internal import PortcullisCore

extension ActivitySchedulerProbe {
    func checkDays() async throws {
        try await start(schedule((9, 0), (17, 30)))
        for day in 0..<3 {
            try await pass(to: Self.time(day, 8, 59))
            try await expect([], "before the start of day \(day)")
            try await pass(to: Self.time(day, 9))
            try await expect([(.intervalDidStart, Self.time(day, 9))], "at the start of day \(day)")
            try await pass(to: Self.time(day, 17, 29))
            try await expect([], "inside the interval of day \(day)")
            try await pass(to: Self.time(day, 17, 30))
            try await expect([(.intervalDidEnd, Self.time(day, 17, 30))], "at the end of day \(day)")
        }
    }

    func checkOvernight() async throws {
        try await start(schedule((22, 0), (6, 0)))
        try await pass(to: Self.time(1, 3))
        try await expect([(.intervalDidStart, Self.time(0, 22))], "in the first night")
        try await start(schedule((22, 0), (5, 0)))
        try await expect(
            [(.intervalDidEnd, Self.time(1, 3)), (.intervalDidStart, Self.time(0, 22))],
            "started after midnight"
        )
        try await pass(to: Self.time(1, 12))
        try await expect([(.intervalDidEnd, Self.time(1, 5))], "in the morning")
    }

    func checkWholeDay() async throws {
        try await start(schedule((4, 0), (4, 0)))
        try await expect([(.intervalDidStart, Self.time(0, 4))], "after a start")
        try await pass(to: Self.time(2, 3))
        let border = Self.time(1, 4)
        try await expect([(.intervalDidEnd, border), (.intervalDidStart, border)], "between two days")
    }

    func checkWarnings() async throws {
        try await start(schedule((10, 0), (12, 0), warning: 45))
        let steps: [Expected] = [
            (.intervalWillStartWarning, Self.time(0, 9, 15)), (.intervalDidStart, Self.time(0, 10)),
            (.intervalWillEndWarning, Self.time(0, 11, 15)), (.intervalDidEnd, Self.time(0, 12)),
            (.intervalWillStartWarning, Self.time(1, 9, 15)), (.intervalDidStart, Self.time(1, 10)),
        ]
        for step in steps {
            try await pass(to: step.time - .seconds(60))
            try await expect([], "a minute before \(step.kind)")
            try await pass(to: step.time)
            try await expect([step], "at the time of \(step.kind)")
        }
    }

    func checkLongWarning() async throws {
        try await start(schedule((14, 0), (14, 30), warning: 120))
        try await pass(to: Self.time(0, 14, 10))
        try await expect(
            [
                (.intervalWillStartWarning, Self.time(0, 12)), (.intervalDidStart, Self.time(0, 14)),
                (.intervalWillEndWarning, Self.time(0, 14)),
            ],
            "a warning of two hours in an interval of half an hour"
        )
        try await pass(to: Self.time(0, 15))
        try await expect([(.intervalDidEnd, Self.time(0, 14, 30))], "the end")
    }

    func checkLateWarning() async throws {
        try await start(schedule((8, 10), (9, 0), warning: 30))
        try await expect(
            [(.intervalWillStartWarning, Self.time(0, 7, 40))],
            "started shortly before the start"
        )
        try await start(schedule((7, 0), (8, 10), warning: 30))
        try await expect(
            [(.intervalDidStart, Self.time(0, 7)), (.intervalWillEndWarning, Self.time(0, 7, 40))],
            "started shortly before the end"
        )
        try await pass(to: Self.time(0, 9))
        try await expect([(.intervalDidEnd, Self.time(0, 8, 10))], "the end")
    }

    func checkOnceInside() async throws {
        let warns = can(.givesWarnings)
        try await start(schedule((7, 0), (9, 0), repeats: false, warning: warns ? 30 : nil))
        try await pass(to: Self.time(2, 10))
        let warning: [Expected] = warns ? [(.intervalWillEndWarning, Self.time(0, 8, 30))] : []
        try await expect(
            [(.intervalDidStart, Self.time(0, 7))] + warning + [(.intervalDidEnd, Self.time(0, 9))],
            "once, started inside"
        )
        try require(await scheduler.monitored().isEmpty, "it is still monitored after its only interval")
    }

    func checkOnceLater() async throws {
        try await start(schedule((6, 0), (7, 0), repeats: false))
        try await pass(to: Self.time(1, 6))
        try require(await scheduler.monitored()[name] != nil, "it is not monitored during its only interval")
        try await pass(to: Self.time(3, 10))
        try await expect(
            [(.intervalDidStart, Self.time(1, 6)), (.intervalDidEnd, Self.time(1, 7))],
            "once, started before"
        )
        try require(await scheduler.monitored().isEmpty, "it is still monitored after its only interval")
    }

    func checkActivitiesApart() async throws {
        try await start(schedule((9, 0), (17, 0)))
        try await start(schedule((8, 30), (9, 30)), other)
        try await pass(to: Self.time(0, 9, 10))
        await scheduler.stop([other])
        try await pass(to: Self.time(1, 8, 45))
        let seen = try await drain()
        try requireTimes([Self.time(0, 9), Self.time(0, 17)], of: name, in: seen, "times of the one")
        try requireTimes(
            [Self.time(0, 8, 30), Self.time(0, 9, 10)],
            of: other,
            in: seen,
            "times of the other, which was stopped"
        )
        try requireEqual(seen.map(\.activity), [other, name, other, name], "order of the events of both")
    }

    func checkNextEvent() async throws {
        try await start(schedule((9, 0), (17, 0), warning: can(.givesWarnings) ? 15 : nil))
        try await start(schedule((16, 0), (18, 0), repeats: !can(.takesOneShots)), other)
        var seen: [ActivityEvent] = []
        for _ in 0..<12 {
            let next = await scheduler.monitored().compactMapValues(\.nextEvent)
            guard let first = next.values.min() else { throw Finding("no next event is known") }
            try require(first > now, "a next event that has passed")
            let due = Set(next.filter { $0.value == first }.keys)
            try await pass(to: first - .seconds(1))
            try await expect([], "before the next event")
            try await pass(to: first)
            let events = try await drain()
            let activities = Set(events.map(\.activity))
            try require(
                activities == due,
                "activities with events at the next event: expected \(due), was \(activities)\(advice)"
            )
            try require(
                events.allSatisfy { $0.scheduled == first },
                "events at the next event were meant for other times"
            )
            seen += events
        }
        try requireEqual(seen.count { $0.activity == other }, 2, "events of the activity that comes once")
    }
}
