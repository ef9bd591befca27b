internal import PortcullisCore

extension ManualZone {
    /// A zone whose clocks go forward from 02:00 to 03:00 on 6 January 2026, which is day 5 of the suite.
    static let contractSpring = ManualZone(
        "Contract/Spring",
        offset: .zero,
        changes: [Change(at: ActivitySchedulerProbe.time(5, 2), to: .seconds(3_600))]
    )
    /// A zone whose clocks go back from 03:00 to 02:00 on 6 January 2026, which is day 5 of the suite.
    static let contractAutumn = ManualZone(
        "Contract/Autumn",
        offset: .zero,
        changes: [Change(at: ActivitySchedulerProbe.time(5, 3), to: .seconds(-3_600))]
    )
    /// A zone that skips 6 January 2026, which is day 5 of the suite.
    static let contractSkip = ManualZone(
        "Contract/Skip",
        offset: .zero,
        changes: [Change(at: ActivitySchedulerProbe.time(5, 0), to: .seconds(86_400))]
    )
    /// A zone two hours behind UTC.
    static let contractWest = ManualZone("Contract/West", offset: .seconds(-2 * 3_600))
    /// A zone ten hours behind UTC.
    static let contractFarWest = ManualZone("Contract/FarWest", offset: .seconds(-10 * 3_600))
    /// A zone a whole day ahead of UTC.
    static let contractAhead = ManualZone("Contract/Ahead", offset: .seconds(86_400))
}

extension ActivitySchedulerProbe {
    func checkOnceMissed() async throws {
        try await start(schedule((9, 0), (10, 0), repeats: false))
        try await sleep(to: Self.time(0, 12))
        try await pass(to: Self.time(1, 12))
        try await expect([], "once, slept through")
        let isOver = await scheduler.monitored().isEmpty
        try require(isOver, "it is still monitored after it was slept through\(advice)")
    }

    func checkLongSleep() async throws {
        try await start(schedule((9, 0), (17, 0)))
        try await pass(to: Self.time(0, 10))
        try await expect([(.intervalDidStart, Self.time(0, 9))], "before the sleep")
        try await sleep(to: Self.time(4, 12))
        try await expect(
            [(.intervalDidEnd, Self.time(0, 17)), (.intervalDidStart, Self.time(4, 9))],
            "after a sleep into a later interval"
        )
        try await sleep(to: Self.time(8, 20))
        try await expect([(.intervalDidEnd, Self.time(4, 17))], "after a sleep to between intervals")
        try await pass(to: Self.time(9, 9))
        try await expect([(.intervalDidStart, Self.time(9, 9))], "at the next start")
    }

    func checkMissedWarnings() async throws {
        try await start(schedule((10, 0), (12, 0), warning: 60))
        try await sleep(to: Self.time(0, 9, 30))
        try await expect([(.intervalWillStartWarning, Self.time(0, 9))], "slept over the start's warning")
        try await sleep(to: Self.time(0, 11, 30))
        try await expect(
            [(.intervalDidStart, Self.time(0, 10)), (.intervalWillEndWarning, Self.time(0, 11))],
            "slept over start and the end's warning"
        )
        try await sleep(to: Self.time(1, 10, 30))
        try await expect(
            [(.intervalDidEnd, Self.time(0, 12)), (.intervalDidStart, Self.time(1, 10))],
            "slept over the end, a warning and a start"
        )
        try await sleep(to: Self.time(1, 13))
        try await expect([(.intervalDidEnd, Self.time(1, 12))], "slept over the end and its warning")
    }

    func checkShortDay() async throws {
        try await start(schedule((1, 0), (6, 0)))
        try await pass(to: Self.time(6, 12))
        try await expect(
            [
                (.intervalDidStart, Self.time(5, 1)), (.intervalDidEnd, Self.time(5, 5)),
                (.intervalDidStart, Self.time(6, 0)), (.intervalDidEnd, Self.time(6, 5)),
            ],
            "over a gap of an hour"
        )
    }

    func checkLongDay() async throws {
        try await start(schedule((1, 0), (6, 0)))
        try await pass(to: Self.time(6, 12))
        try await expect(
            [
                (.intervalDidStart, Self.time(5, 1)), (.intervalDidEnd, Self.time(5, 7)),
                (.intervalDidStart, Self.time(6, 2)), (.intervalDidEnd, Self.time(6, 7)),
            ],
            "over an overlap of an hour"
        )
    }

    func checkGap() async throws {
        try await start(schedule((2, 30), (12, 0)))
        try await start(schedule((23, 0), (2, 15)), other)
        try await pass(to: Self.time(5, 4))
        try await expectTimes([Self.time(5, 2)], [Self.time(4, 23), Self.time(5, 2)], "times inside a gap")
    }

    func checkOverlap() async throws {
        try await start(schedule((2, 30), (12, 0)))
        try await start(schedule((23, 0), (2, 15)), other)
        try await pass(to: Self.time(5, 6))
        try await expectTimes(
            [Self.time(5, 2, 30)],
            [Self.time(4, 23), Self.time(5, 2, 15)],
            "times inside an overlap"
        )
    }

    private func expectTimes(_ ours: [Duration], _ others: [Duration], _ what: String) async throws {
        let seen = try await drain()
        try requireTimes(ours, of: name, in: seen, "\(what), a start")
        try requireTimes(others, of: other, in: seen, "\(what), an end")
    }

    func checkInsideGap() async throws {
        try await start(schedule((2, 10), (2, 50)))
        try await pass(to: Self.time(6, 12))
        try await expect(
            [
                (.intervalDidStart, Self.time(5, 2)), (.intervalDidEnd, Self.time(5, 2)),
                (.intervalDidStart, Self.time(6, 1, 10)), (.intervalDidEnd, Self.time(6, 1, 50)),
            ],
            "an interval inside a gap"
        )
    }

    func checkSkippedDate() async throws {
        try await start(schedule((0, 0), (23, 0)))
        try await pass(to: Self.time(5, 12))
        let jump = Self.time(5, 0)
        try await expect(
            [
                (.intervalDidStart, Self.time(4, 0)), (.intervalDidEnd, Self.time(4, 23)),
                (.intervalDidStart, jump), (.intervalDidEnd, jump), (.intervalDidStart, jump),
            ],
            "around a date that was skipped"
        )
    }

    func checkSetBackALittle() async throws {
        try await start(schedule((9, 0), (17, 0)))
        try await start(schedule((8, 30), (9, 0)), other)
        try await pass(to: Self.time(0, 9))
        _ = try await drain()
        try await setWall(Self.time(0, 6))
        try await pass(to: Self.time(0, 10))
        try await expect([], "after the clock was set back by three hours")
        try await pass(to: Self.time(0, 17))
        try await expect([(.intervalDidEnd, Self.time(0, 17))], "the end, by the clock that was set")
    }

    func checkSetBackFar() async throws {
        try await start(schedule((9, 0), (17, 0)))
        try await pass(to: Self.time(0, 9))
        _ = try await drain()
        let back = Self.time(0, 5, 59)
        try await setWall(back)
        try await expect([(.intervalDidEnd, back)], "when the clock is set back by more than three hours")
        try await pass(to: Self.time(0, 10))
        try await expect([(.intervalDidStart, Self.time(0, 9))], "when it is that time again")
    }

    func checkSetForward() async throws {
        try await start(schedule((9, 0), (17, 0)))
        try await pass(to: Self.time(0, 9))
        _ = try await drain()
        try await setWall(Self.time(3, 12))
        try await expect(
            [(.intervalDidEnd, Self.time(0, 17)), (.intervalDidStart, Self.time(3, 9))],
            "when the clock is set forward"
        )
        try await pass(to: Self.time(3, 17))
        try await expect([(.intervalDidEnd, Self.time(3, 17))], "the end, by the clock that was set")
    }

    func checkZoneSameDate() async throws {
        try await start(schedule((7, 0), (17, 0)))
        try await pass(to: Self.time(0, 10))
        _ = try await drain()
        try await setZone(.contractWest)
        try await pass(to: Self.time(0, 18))
        try await expect([], "in a zone where the interval is not over yet")
        try await pass(to: Self.time(0, 19))
        try await expect([(.intervalDidEnd, Self.time(0, 19))], "the end in the new zone")
    }

    func checkZoneOtherDate() async throws {
        try await start(schedule((7, 0), (17, 0)))
        try await pass(to: Self.time(0, 10))
        _ = try await drain()
        try await setZone(.contractFarWest)
        try await expect([(.intervalDidEnd, now)], "in a zone where the day has not begun")
        try await setZone(.utc)
        try await expect([(.intervalDidStart, Self.time(0, 7))], "back where it is on")
        try await setZone(.contractAhead)
        try await expect(
            [(.intervalDidEnd, now), (.intervalDidStart, Self.time(0, 7))],
            "in a zone where it is the same time of another date"
        )
    }
}
