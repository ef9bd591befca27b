import PortcullisCore
import PortcullisTesting
import Testing

@Suite("ManualClock (S-6)", .timeLimit(.minutes(5)))
struct ManualClockTests {
    let clock = ManualClock()

    @Test("advancing moves both clocks on one boot")
    func advances() async {
        let before = clock.now
        await clock.advance(by: .seconds(10))
        #expect(clock.now == before.advanced(by: .seconds(10)))
        #expect(clock.now.elapsed(since: before) == .seconds(10))
    }

    @Test("S-6: sleepers wake in the order of their deadlines, at their deadlines, sleeping again included")
    func order() async throws {
        let (executor, log) = (ManualExecutor(), Journal<String>())
        let clock = ManualClock(executor: executor)
        let start = clock.now.sinceBoot
        for (name, period) in [("b", 3), ("a", 2)] {
            Task(executorPreference: executor) {
                for round in 1...3 {
                    try await clock.sleep(until: .sinceBoot(start + .seconds(period * round)))
                    let passed = (clock.now.sinceBoot - start).components.seconds
                    log.note("\(name)@\(passed)")
                }
            }
        }
        for _ in 0..<9 { await clock.advance(by: .seconds(1)) }
        #expect(log.entries == ["a@2", "b@3", "a@4", "b@6", "a@6", "b@9"])
    }

    @Test("one long advance is the same as many short ones")
    func oneAdvance() async throws {
        let executor = ManualExecutor()
        let clock = ManualClock(executor: executor)
        let start = clock.now.sinceBoot
        let wakes = Journal<Duration>()
        let ticking = Task(executorPreference: executor) {
            for second in 1...100 {
                try await clock.sleep(until: .sinceBoot(start + .seconds(second)))
                wakes.note(clock.now.sinceBoot - start)
            }
        }
        await clock.waitForSleepers(1)
        await clock.advance(by: .seconds(100))
        try await ticking.value
        #expect(wakes.entries == (1...100).map { .seconds($0) })
    }

    @Test("a passed deadline returns at once; a cancelled sleep throws at once, before and during")
    func passedAndCancelled() async throws {
        try await clock.sleep(until: .sinceBoot(.zero))
        try await clock.sleep(until: .wall(clock.now.wall))
        let clock = clock
        let sleeping = Task { try await clock.sleep(until: .wall(.seconds(9_000_000_000))) }
        await clock.waitForSleepers(1)
        sleeping.cancel()
        await #expect(throws: CancellationError.self) { try await sleeping.value }
        #expect(clock.sleeperCount == 0)
        let late = Task {
            unsafe withUnsafeCurrentTask { task in unsafe task?.cancel() }
            try await clock.sleep(until: .wall(.seconds(9_000_000_000)))
        }
        await #expect(throws: CancellationError.self) { try await late.value }
        // The clock does not go on while it takes any of them for one that has not run on.
        await clock.advance(by: .seconds(1))
        #expect(clock.sleeperCount == 0)
    }

    @Test("setting the wall wakes wall sleepers, is reported, and leaves the boot clock alone")
    func setWall() async throws {
        let clock = clock
        var notices = clock.notices().makeAsyncIterator()
        let before = clock.now
        let sleeping = Task { try await clock.sleep(until: .wall(before.wall + .seconds(3_600))) }
        let other = Task { try await clock.sleep(until: .sinceBoot(before.sinceBoot + .seconds(3_600))) }
        await clock.waitForSleepers(2)
        await clock.setWall(before.wall + .seconds(7_200))
        try await sleeping.value
        #expect(clock.sleeperCount == 1)
        #expect(clock.now.sinceBoot == before.sinceBoot)
        #expect(await notices.next() == .wallClockSet)
        await clock.setZone(.utc)
        #expect(await notices.next() == .zoneChanged)
        other.cancel()
    }

    @Test("P-20: a suspended machine wakes its sleepers late, with the time asleep counted")
    func suspends() async throws {
        let clock = clock
        let before = clock.now
        let sleeping = Task {
            try await clock.sleep(until: .sinceBoot(before.sinceBoot + .seconds(60)))
            return clock.now
        }
        await clock.waitForSleepers(1)
        await clock.suspend(for: .seconds(900))
        #expect(try await sleeping.value.elapsed(since: before) == .seconds(900))
    }

    @Test("S-6: those due during a suspend wake in the order of their deadlines, equals as they came")
    func orderAfterSuspend() async throws {
        let (executor, log) = (ManualExecutor(), Journal<Int>())
        let clock = ManualClock(executor: executor)
        let start = clock.now
        for (index, delay) in [30, 10, 20, 10].enumerated() {
            Task(executorPreference: executor) {
                let delay = Duration.seconds(delay)
                let isWall = index % 2 == 0
                try await clock.sleep(
                    until: isWall ? .wall(start.wall + delay) : .sinceBoot(start.sinceBoot + delay)
                )
                log.note(index)
            }
        }
        await clock.waitForSleepers(4)
        await clock.suspend(for: .seconds(60))
        #expect(log.entries == [1, 3, 2, 0])
    }

    @Test("P-20: a reboot makes times since boot incomparable and ends the old sleepers")
    func reboots() async throws {
        let clock = clock
        let before = clock.now
        let sleeping = Task { try await clock.sleep(until: .wall(before.wall + .seconds(10))) }
        await clock.waitForSleepers(1)
        await clock.reboot(downtime: .seconds(60))
        await #expect(throws: CancellationError.self) { try await sleeping.value }
        #expect(clock.sleeperCount == 0)
        #expect(clock.now.elapsed(since: before) == nil)
        #expect(clock.now.boot != before.boot)
        #expect(clock.now.wall == before.wall + .seconds(60))
    }

    @Test("A-5: a day of 23 hours, one whose midnight is in a gap, one skipped, and an own day start")
    func days() async {
        // 2026-03-29T01:00:00Z, as central Europe changes to summer time.
        let change = Duration.seconds(1_774_746_000)
        await clock.setZone(
            ManualZone("Test/CET", offset: .seconds(3_600), changes: [.init(at: change, to: .seconds(7_200))])
        )
        let midnight = change - .seconds(7_200)
        #expect(clock.civilDate(at: midnight, dayStart: .zero) == CivilDate(year: 2026, month: 3, day: 29))
        #expect(
            clock.civilDate(at: midnight - .nanoseconds(1), dayStart: .zero)
                == CivilDate(year: 2026, month: 3, day: 28)
        )
        #expect(clock.nextDayStart(after: midnight, dayStart: .zero) == midnight + .seconds(23 * 3_600))
        // 02:30 does not exist that day: the day begins when the gap ends.
        #expect(clock.nextDayStart(after: midnight, dayStart: .seconds(9_000)) == change)
        #expect(
            clock.civilDate(at: change - .seconds(1), dayStart: .seconds(9_000))
                == CivilDate(year: 2026, month: 3, day: 28)
        )

        // As Samoa on 2011-12-30: the clock jumps from the end of the 29th to the 31st.
        let jump = Duration.seconds(1_325_239_200)
        await clock.setZone(
            ManualZone(
                "Test/Apia",
                offset: .seconds(-36_000),
                changes: [.init(at: jump, to: .seconds(50_400))]
            )
        )
        #expect(clock.nextDayStart(after: jump - .seconds(5), dayStart: .zero) == jump)
        #expect(clock.civilDate(at: jump, dayStart: .zero) == CivilDate(year: 2011, month: 12, day: 31))
        #expect(
            clock.civilDate(at: jump - .seconds(1), dayStart: .zero)
                == CivilDate(year: 2011, month: 12, day: 29)
        )
    }

    @Test("A-5: a clock set back over the day's start does not return to the day before")
    func overlap() async {
        // As Havana on 2026-11-01: at 01:00 back to 00:00, 05:00Z.
        let change = Duration.seconds(1_793_509_200)
        await clock.setZone(
            ManualZone(
                "Test/Havana",
                offset: .seconds(-14_400),
                changes: [.init(at: change, to: .seconds(-18_000))]
            )
        )
        let first = CivilDate(year: 2026, month: 11, day: 1)
        let halfPast = Duration.seconds(1_800)
        #expect(clock.civilDate(at: change - .seconds(1_800), dayStart: halfPast) == first)
        #expect(clock.civilDate(at: change + .seconds(60), dayStart: halfPast) == first)
        #expect(
            clock.nextDayStart(after: change + .seconds(60), dayStart: .zero) == change + .seconds(24 * 3_600)
        )
    }

    @Test("S-6: time since boot never goes back")
    func neverBack() async {
        await #expect(processExitsWith: .failure) { await ManualClock().advance(by: .seconds(-1)) }
        await #expect(processExitsWith: .failure) { await ManualClock().suspend(for: .seconds(-1)) }
        await clock.advance(by: .zero)
        await clock.suspend(for: .zero)
    }

    @Test("S-6: it is synchronised until it is told otherwise, and tells its zone")
    func synchronised() async {
        #expect(clock.isSynchronised)
        clock.setSynchronised(false)
        #expect(!clock.isSynchronised)
        clock.setSynchronised(true)
        #expect(clock.isSynchronised)
        #expect(clock.zone == "UTC")
        await clock.setZone(ManualZone("Test/East", offset: .seconds(3_600)))
        #expect(clock.zone == "Test/East")
    }

    @Test("S-6: a fresh clock begins where it is told, each boot is one of its own")
    func begins() async {
        let clock = ManualClock(wall: .seconds(9), sinceBoot: .seconds(5))
        #expect(clock.now.wall == .seconds(9) && clock.now.sinceBoot == .seconds(5))
        var boots = [clock.now.boot]
        for _ in 0..<3 {
            await clock.reboot()
            boots.append(clock.now.boot)
        }
        #expect(Set(boots).count == 4)
        #expect(clock.now.sinceBoot == .zero && clock.now.wall == .seconds(99))
    }

    @Test("S-6: a wait for sleepers ends with its task; the deadlines are told")
    func waitsForSleepers() async {
        let clock = clock
        let waiting = Task { await clock.waitForSleepers(1) }
        waiting.cancel()
        await waiting.value
        let sleeping = Task { try await clock.sleep(until: .wall(.seconds(9_000_000_000))) }
        await clock.waitForSleepers(1)
        #expect(clock.deadlines == [.wall(.seconds(9_000_000_000))])
        sleeping.cancel()
    }

    @Test("S-6: changes of a zone count in the order of their times, however they are given")
    func zoneChanges() async {
        let day = Duration.seconds(86_400)
        let zone = ManualZone(
            "Test/Mixed",
            offset: .zero,
            changes: [.init(at: day * 200, to: .seconds(7_200)), .init(at: day * 100, to: .seconds(3_600))]
        )
        #expect(zone.changes.map(\.wall) == [day * 100, day * 200])
        await clock.setZone(zone)
        for (number, offset) in [(50, 0), (150, 3_600), (250, 7_200)] {
            let next = clock.nextDayStart(after: day * number + day / 2, dayStart: .zero)
            #expect(next == day * (number + 1) - .seconds(offset))
        }
    }
}
