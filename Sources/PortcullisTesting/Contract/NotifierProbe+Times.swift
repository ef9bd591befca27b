internal import PortcullisCore

extension NotifierProbe {
    func checkAtDate() async throws {
        let clock = try movable()
        try await schedule(note("a"), at: time(60))
        await clock.advance(by: .seconds(60 * 60 - 1))
        try await expect([], "a second before its time")
        await clock.advance(by: .seconds(1))
        try await expect([note("a")], "at its time")
        await clock.advance(by: .seconds(86_400))
        try await expect([note("a")], "a day after its time")
    }

    func checkDueInOrder() async throws {
        let clock = try movable()
        for minutes in [40, 10, 50, 20, 30] {
            try await schedule(note("\(minutes)"), at: time(minutes))
        }
        await clock.advance(by: .seconds(3_600))
        try await expect([10, 20, 30, 40, 50].map { note("\($0)") }, "after an hour")
    }

    func checkAtMostOnce() async throws {
        let clock = try movable()
        let start = clock.now.wall
        try await schedule(note("a"), at: time(10))
        for minutes in [20, 5, 20, -60, 60] {
            await clock.setWall(start + .seconds(minutes * 60))
            // Some notifiers check their clock only when a caller asks for the pending list. So the probe
            // calls `pending` after each change of the clock.
            _ = await pending()
            await clock.advance(by: .seconds(60))
        }
        await clock.advance(by: .seconds(86_400))
        try await expect([note("a")], "after the clock was moved over its time to and fro")
    }

    func checkSetForward() async throws {
        let clock = try movable()
        for minutes in [30, 10, 20, 300] {
            try await schedule(note("\(minutes)"), at: time(minutes))
        }
        await clock.setWall(time(60))
        try await expect([10, 20, 30].map { note("\($0)") }, "after the clock was set forward")
        await clock.setWall(time(600))
        try await expect([10, 20, 30, 300].map { note("\($0)") }, "after the clock was set forward again")
    }

    func checkSetBack() async throws {
        let clock = try movable()
        try await schedule(note("a"), at: time(10))
        await clock.setWall(time(-60))
        await clock.advance(by: .seconds(69 * 60))
        try await expect([], "a minute before the clock shows its time")
        await clock.advance(by: .seconds(60))
        try await expect([note("a")], "when the clock shows its time")
    }

    func checkAsleep() async throws {
        let clock = try movable()
        for minutes in [30, 10, 20] { try await schedule(note("\(minutes)"), at: time(minutes)) }
        await clock.suspend(for: .seconds(3 * 86_400))
        try await expect([10, 20, 30].map { note("\($0)") }, "after three days asleep")
    }
}
