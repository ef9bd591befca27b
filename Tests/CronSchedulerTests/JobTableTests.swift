import PortcullisCore
import Testing

@testable import CronScheduler

/// What a table of jobs, its runs and its listeners keeps: no more than there are.
@Suite(.timeLimit(.minutes(10))) struct JobTableTests {
    private let start = Moment(wall: .seconds(1_772_438_400), sinceBoot: .seconds(60), boot: BootID("boot"))

    private func job(
        _ name: String,
        _ expression: String = "0 9 * * *",
        overlap: OverlapPolicy = .skip,
        missed: MissedRunPolicy = .once
    ) throws -> CronJob {
        CronJob(
            ActivityName(name),
            at: try CronExpression(expression),
            overlap: overlap,
            missed: missed
        ) { _ in }
    }

    /// A moment so many seconds after the start, with the wall clock behind by a number of seconds.
    private func moment(_ seconds: Int, behind: Int = 0) -> Moment {
        let moment = start.advanced(by: .seconds(seconds))
        return Moment(wall: moment.wall - .seconds(behind), sinceBoot: moment.sinceBoot, boot: moment.boot)
    }

    @Test("S-6: the place of a job that is removed is used again, and jobs with equal choices share them")
    func places() throws {
        var table = JobTable(at: start, isJournalled: false)
        for number in 0..<100 {
            _ = table.add(try job("a-\(number)"), zone: 0, record: nil, at: start)
            _ = table.add(try job("b-\(number)"), zone: 0, record: nil, at: start)
            let actions = table.remove([ActivityName("a-\(number)"), ActivityName("b-\(number)")])
            #expect(actions.count == 2)
        }
        #expect(table.slots.count == 2)
        #expect(table.options.count == 1)
        #expect(table.remove(["a-0"]).isEmpty)
    }

    @Test("S-4: a record of this instant is a run, and a record of the future is none", arguments: [0, 1])
    func recordedRun(_ ahead: Int) throws {
        var table = JobTable(at: start, isJournalled: true)
        let record = RunRecord(schedule: 0, last: start.wall + .microseconds(ahead), boot: start.boot)
        _ = table.add(try job("job"), zone: 0, record: record, at: start)
        #expect(table.job(at: 0).last == (ahead == 0 ? start.wall : nil))
    }

    @Test("S-4, S-5: a run that waits when the clock is set back is not done", arguments: [false, true])
    func waitingWhenSetBack(isElapsed: Bool) throws {
        let every = try job("job", isElapsed ? "@every 5m" : "*/5 * * * *", overlap: .queue(limit: 3))
        var table = JobTable(at: start, isJournalled: true)
        _ = table.add(every, zone: 0, record: nil, at: start)
        // The run of 08:05 does not end, so that of 08:10 waits.
        _ = table.takeDue(at: moment(300), isHeld: false)
        _ = table.takeDue(at: moment(601), isHeld: false)
        table.recalculate(at: moment(601, behind: 4))
        let record = try #require(table.record(of: 0, boot: start.boot))
        let later = moment(661, behind: 4)
        var next = JobTable(at: later, isJournalled: true)
        _ = next.add(every, zone: 0, record: record, at: later)
        let runs = next.takeDue(at: later, isHeld: false).recorded.map(\.run.scheduled)
        #expect(runs == [start.wall + .seconds(600)])
    }

    @Test("S-4, S-5: runs that wait are not done when the clock passes the time from which it was set back")
    func waitingAfterLaterTime() throws {
        let minutely = try job("job", "* * * * *", overlap: .queue(limit: 9), missed: .all(limit: 100))
        var table = JobTable(at: start, isJournalled: true)
        _ = table.add(minutely, zone: 0, record: nil, at: start)
        let first = table.takeDue(at: moment(60), isHeld: false).recorded
        #expect(first.count == 1)
        for start in first { _ = table.ended(slot: start.slot, serial: start.serial) }
        // From 08:01 to 07:56. The run of 07:57 does not end.
        table.recalculate(at: moment(60, behind: 300))
        for minute in 2...8 { _ = table.takeDue(at: moment(minute * 60, behind: 300), isHeld: false) }
        #expect(table.job(at: 0).waiting == 6)
        let record = try #require(table.record(of: 0, boot: start.boot))
        let later = moment(490, behind: 300)
        var next = JobTable(at: later, isJournalled: true)
        _ = next.add(minutely, zone: 0, record: record, at: later)
        let runs = next.takeDue(at: later, isHeld: false).recorded.map(\.run.scheduled)
        #expect(runs == [start.wall - .seconds(120)])
        #expect(next.job(at: 0).waiting == 5)
    }

    @Test("S-4, S-5: the record lies before the earliest run that waits, also if it waits behind later ones")
    func earliestWaiting() throws {
        var table = JobTable(at: start, isJournalled: true)
        let minutely = try job("job", "* * * * *", overlap: .queue(limit: 9))
        _ = table.add(minutely, zone: 0, record: nil, at: start)
        var running = table.takeDue(at: moment(60), isHeld: false).recorded
        for minute in 2...3 { _ = table.takeDue(at: moment(minute * 60), isHeld: false) }
        // From 08:03 to 08:01. So runs of 08:02 and 08:03 wait behind runs of these times.
        table.recalculate(at: moment(190, behind: 120))
        for minute in 4...5 { _ = table.takeDue(at: moment(minute * 60, behind: 120), isHeld: false) }
        #expect(table.job(at: 0).waiting == 4)
        var times: [Duration] = []
        for _ in 0..<5 {
            times.append(try #require(table.record(of: 0, boot: start.boot)).last)
            for start in running { _ = table.ended(slot: start.slot, serial: start.serial) }
            running = table.takeDue(at: moment(310, behind: 120), isHeld: false).recorded
        }
        #expect(times == [119, 119, 119, 179, 180].map { start.wall + .seconds($0) })
    }

    @Test("S-3, S-5: a run that is overdue when the zone changes is made up for beside one of the new zone")
    func overdueInEarlierZone() throws {
        var table = JobTable(at: start, isJournalled: true)
        let daily = try job("job", "30 8 * * *", overlap: .concurrent, missed: .all(limit: 10))
        _ = table.add(daily, zone: 0, record: nil, at: start)
        // The journal accepts no records from 08:30 to 13:31 in UTC. In New York it is then 08:31.
        _ = table.takeDue(at: moment(1_800), isHeld: true)
        table.followZone(try #require(ZoneRules("America/New_York")), named: "America/New_York")
        table.recalculate(at: moment(3_600))
        table.unpark()
        let plan = table.takeDue(at: moment(5 * 3_600 + 1_860), isHeld: false)
        let times = [1_800, 5 * 3_600 + 1_800].map { start.wall + .seconds($0) }
        #expect(plan.recorded.map(\.run.scheduled) == times)
        #expect(plan.recorded.map(\.run.missed) == [0, 0])
    }

    @Test("S-1: a job whose next time cannot be counted has none")
    func farAway() throws {
        // It is due in the last second whose microseconds can be counted, and a part of a second later.
        let now = Moment(
            wall: .seconds(1_772_438_400) + .milliseconds(999),
            sinceBoot: .seconds(60),
            boot: BootID("boot")
        )
        var table = JobTable(at: now, isJournalled: false)
        let far = try job("far", "@every 106731476d20h54s")
        _ = table.add(far, zone: 0, record: nil, at: now)
        let slot = try #require(table.slots.first)
        #expect(slot.due == .max)
    }

    @Test("S-2: a clock that is set back far shows its times again, also after it was set back a little")
    func setBackTwice() throws {
        // 08:00; the job ran at 12:00.
        var table = JobTable(at: start, isJournalled: false)
        _ = table.add(try job("hourly", "0 8-20 * * *"), zone: 0, record: nil, at: start)
        func now(_ hours: Double, sinceStart: Double) -> Moment {
            Moment(
                wall: .seconds(1_772_438_400 + hours * 3_600),
                sinceBoot: .seconds(60 + sinceStart * 3_600),
                boot: BootID("boot")
            )
        }
        table.recalculate(at: now(4.1, sinceStart: 4.1))
        table.slots[0].last = 1_772_438_400 + 4 * 3_600
        // From 12:06 to 10:06, and from 10:12 to 06:12.
        table.recalculate(at: now(2.1, sinceStart: 4.1))
        #expect(table.slots[0].last == 1_772_438_400 + 4 * 3_600)
        table.recalculate(at: now(-1.8, sinceStart: 4.2))
        #expect(table.slots[0].scheduled == 1_772_438_400)
    }

    @Test("S-6: times that were given up do not pile up, whether jobs are replaced or removed")
    func givenUp() throws {
        var table = JobTable(at: start, isJournalled: false)
        for number in 0..<1_000 {
            _ = table.add(try job("job", "\(number % 60) 9 * * *"), zone: 0, record: nil, at: start)
        }
        #expect(!table.isOutdated)
        for number in 0..<1_000 {
            _ = table.add(try job("job-\(number)"), zone: 0, record: nil, at: start)
        }
        _ = table.remove(Set((0..<999).map { ActivityName("job-\($0)") }))
        #expect(!table.isOutdated)
    }

    @Test("S-3: a job that is removed between the end of its run and the next one leaves nothing to start")
    func readyAndRemoved() throws {
        var table = JobTable(at: start, isJournalled: true)
        _ = table.add(try job("job", "* * * * *", overlap: .queue(limit: 3)), zone: 0, record: nil, at: start)
        var starts: [JobTable.Start] = []
        for minute in 1...2 {
            starts += table.takeDue(at: start.advanced(by: .seconds(60 * minute)), isHeld: false).recorded
        }
        #expect(starts.count == 1)
        let isReady = table.ended(slot: starts[0].slot, serial: starts[0].serial)
        #expect(isReady)
        _ = table.remove(["job"])
        let plan = table.takeDue(at: start.advanced(by: .seconds(130)), isHeld: false)
        #expect(plan.recorded.isEmpty && plan.free.isEmpty && plan.entries.isEmpty)
    }

    @Test("S-3: the number of a run that has ended goes to another one, whichever was noted first")
    func numbers() {
        var running = RunningTasks()
        let task = Task {}
        #expect(running.reserve(3) == [0, 1, 2])
        running.end(0)
        #expect(running.all.isEmpty)
        running.note(task, as: 0)
        #expect(running.all.isEmpty, "it had ended before it was noted")
        running.note(task, as: 1)
        #expect(running.all.count == 1)
        running.end(1)
        #expect(running.all.isEmpty)
        #expect(Set(running.reserve(2)) == [0, 1])
        #expect(running.reserve(1) == [3])
        running.end(0)
        running.note(task, as: 0)
        #expect(running.reserve(1) == [0], "used again like any other")
    }
}
