import AdapterKit
import GoalLock
import PortcullisCore
import Testing

@Suite("Days and clocks (A-6)", .timeLimit(.minutes(5)))
struct DayTests {
    @Test("A-6: whatever comes first after the boundary finds a new day, also after downtime and a restart")
    func downtime() {
        for event: GoalRules.Event in [
            .look, .goal(40), .selection(RulesBench.selection), .enable(title: "Steps"),
        ] {
            for reboots in [false, true] {
                var bench = RulesBench.enabled()
                bench.progress(60)
                if reboots { bench.reboot(downtime: .days(3)) } else { bench.wait(.days(3)) }
                bench.take(event)
                #expect(bench.isUp && bench.record.progress == 0 && bench.today == .january(4), "\(event)")
            }
        }
    }

    @Test("A-6: progress that was measured before the boundary and comes after it is not of today")
    func lateProgress() {
        var bench = RulesBench.enabled()
        bench.wait(.hours(12))
        bench.take(.progress(100, of: .january(1)))
        #expect(bench.isUp && bench.record.progress == 0)
        bench.take(.progress(100, of: .january(2)))
        #expect(bench.isDown)
    }

    @Test("A-6: flying back meets the granted date again, which stays unlocked and notifies nobody")
    func flyingBack() {
        var bench = RulesBench.enabled()
        bench.zone = ZoneSpan.fixed(hours: 9)
        bench.wait(.hours(2))
        bench.progress(100)
        #expect(bench.notified == [.january(1)])
        bench.wait(.hours(2))
        bench.progress(100)
        #expect(bench.today == .january(2) && bench.notified == [.january(1), .january(2)])
        bench.zone = ZoneSpan.fixed(hours: -8)
        bench.progress(0)
        #expect(bench.today == .january(1) && bench.isDown)
        bench.progress(100)
        #expect(bench.notified == [.january(1), .january(2)])
    }

    @Test("A-6: granted again on a date that was met again, disabled and enabled, notifies nobody")
    func flyingBackAndAnew() {
        var bench = RulesBench.enabled()
        bench.progress(100)
        bench.zone = ZoneSpan.fixed(hours: 13)
        bench.progress(100)
        bench.zone = ZoneSpan.fixed(hours: 0)
        bench.take(.disable)
        bench.take(.enable(title: "Steps"))
        #expect(bench.isUp)
        bench.progress(100)
        #expect(bench.isDown && bench.notified == [.january(1), .january(2)])
    }

    @Test("A-6: a date that was skipped and returned to can be earned, from nothing")
    func skipped() {
        var bench = RulesBench.enabled()
        bench.progress(70)
        bench.zone = ZoneSpan.fixed(hours: 13)
        bench.progress(80)
        bench.zone = ZoneSpan.fixed(hours: 0)
        bench.take(.look)
        #expect(bench.isUp && bench.record.progress == 0 && bench.today == .january(1))
        bench.progress(100)
        #expect(bench.isDown && bench.notified == [.january(1)])
    }

    @Test("A-6: an unsynchronised clock moved forward and back gains nothing")
    func movedForwardAndBack() {
        var bench = RulesBench.enabled()
        bench.isSynchronised = false
        bench.progress(100)
        bench.moveWall(.days(1))
        bench.take(.look)
        #expect(bench.today == .january(1) && bench.isDown)
        bench.wait(.hours(12))
        bench.take(.look)
        #expect(bench.today == .january(2) && bench.isUp, "the boot clock says that it is tomorrow")
        bench.moveWall(.days(-2))
        bench.take(.look)
        #expect(bench.today == .january(2) && bench.isUp, "yesterday was granted and does not come back")
    }

    @Test("A-6: a clock moved against the boot clock is believed up to 10 minutes, not one second more")
    func tolerance() {
        var bench = RulesBench.enabled()
        bench.isSynchronised = false
        bench.wait(.hours(12) - .minutes(10))
        bench.moveWall(.minutes(10) + .seconds(1))
        bench.take(.look)
        #expect(bench.today == .january(1))
        bench.moveWall(.seconds(-1))
        bench.take(.look)
        #expect(bench.today == .january(2))
    }

    @Test("A-6: ten minutes again and again are not believed")
    func creeping() {
        var bench = RulesBench.enabled()
        bench.isSynchronised = false
        for _ in 0..<30 {
            for _ in 0..<10 {
                bench.moveWall(.minutes(9))
                bench.take(.look)
            }
            bench.wait(.days(1))
            bench.take(.look)
        }
        #expect(bench.today == .january(31))
    }

    @Test("A-6: a clock that was moved is believed once it is synchronised, or after a restart")
    func believed() {
        for reboots in [false, true] {
            var bench = RulesBench.enabled()
            bench.isSynchronised = false
            bench.take(.look)
            bench.moveWall(.days(1))
            bench.take(.look)
            #expect(bench.today == .january(1))
            if reboots { bench.reboot(downtime: .zero) } else { bench.isSynchronised = true }
            bench.take(.look)
            #expect(bench.today == .january(2))
            bench.isSynchronised = false
            bench.wait(.days(1))
            bench.take(.look)
            #expect(bench.today == .january(3), "it is what later times are measured against")
        }
    }

    @Test("A-6: a clock put right by a little does not go back over the boundary")
    func noFlipping() {
        for isSynchronised in [true, false] {
            var bench = RulesBench.enabled()
            bench.isSynchronised = isSynchronised
            bench.progress(100)
            bench.wait(.hours(12) + .seconds(1))
            bench.take(.look)
            #expect(bench.today == .january(2))
            bench.moveWall(.seconds(-5))
            bench.take(.look)
            #expect(bench.today == .january(2) && bench.isUp)
        }
    }

    @Test("A-6: a look that finds the same day keeps the mark as it is, so that nothing is written")
    func sameDay() {
        var bench = RulesBench.enabled()
        bench.take(.look)
        let before = bench.record.day
        for isSynchronised in [true, false, true] {
            bench.isSynchronised = isSynchronised
            bench.wait(.hours(3))
            bench.take(.look)
            #expect(bench.record.day == before)
        }
        let reading = DayReading(after: before, at: bench.clocks, dayStart: .midnight)
        #expect(reading.wall == bench.now.wall && reading.left == .hours(3))
    }

    @Test("A-6: clocks and marks with times that no clock shows have a date all the same")
    func impossibleTimes() {
        let times: [Duration] = [.noon, .zero] + [Int64.min, .max].map { .seconds($0) }
        for (wall, sinceBoot) in times.flatMap({ wall in times.map { (wall, $0) } }) {
            var bench = RulesBench.enabled()
            bench.now = Moment(wall: wall, sinceBoot: sinceBoot, boot: bench.now.boot)
            for (old, oldSinceBoot) in times.flatMap({ old in times.map { (old, $0) } }) {
                let anchor = Moment(wall: old, sinceBoot: oldSinceBoot, boot: bench.now.boot)
                let mark = DayMark(date: .january(1), wall: old, anchor: anchor, dayStart: .midnight)
                for isSynchronised in [true, false] {
                    bench.isSynchronised = isSynchronised
                    let reading = DayReading(after: mark, at: bench.clocks, dayStart: .midnight)
                    #expect(reading.left > .zero && CivilDay.times.contains(reading.mark.wall))
                }
            }
        }
    }

    @Test("A-6: a synchronised clock that drifts by a minute keeps the mark, by more it is the new measure")
    func driftBoundary() {
        for sign in [1, -1] {
            var bench = RulesBench.enabled()
            bench.take(.look)
            let before = bench.record.day
            bench.wait(.hours(1))
            bench.moveWall(.seconds(60 * sign))
            bench.take(.look)
            #expect(bench.record.day == before)
            bench.moveWall(.nanoseconds(1 * sign))
            bench.isSynchronised = false
            bench.take(.look)
            #expect(bench.record.day == before, "nobody vouches for it")
            bench.isSynchronised = true
            bench.take(.look)
            #expect(bench.record.day?.anchor == bench.now && bench.record.day?.date == before?.date)
        }
    }

    @Test("A-6: a synchronised clock put back over the boundary is believed from ten minutes and a second on")
    func putBack() {
        for (seconds, day) in [(600, 2), (601, 1)] {
            var bench = RulesBench.enabled()
            bench.wait(.hours(12) + .seconds(1))
            bench.take(.look)
            #expect(bench.today == .january(2))
            bench.moveWall(.seconds(-seconds))
            bench.take(.look)
            #expect(bench.today == .january(day))
        }
    }

    @Test("A-6: slow drift of a synchronised clock is followed, and is not mistaken for a move later")
    func drift() {
        var bench = RulesBench.enabled()
        for _ in 0..<200 {
            bench.wait(.days(1))
            bench.moveWall(.seconds(20))
            bench.take(.look)
        }
        let known = bench.today
        bench.isSynchronised = false
        bench.moveWall(.minutes(8))
        bench.wait(.days(1))
        bench.take(.look)
        #expect(bench.today == CivilDate(daysSinceEpoch: (known?.daysSinceEpoch ?? 0) + 1))
        #expect(
            bench.record.day.map { bench.now.wall - $0.wall < .hours(1) } == true,
            "and by the wall clock"
        )
    }

    @Test("A-6: a day that is left ends when the calendar says so, on days of 23 and 25 hours too")
    func longDays() {
        for (change, hours) in [(3_600, 23), (-3_600, 25)] {
            var bench = RulesBench()
            let midnight = 1_767_225_600
            bench.zone = [
                ZoneSpan(start: .min, end: midnight + 7_200, offset: 0),
                ZoneSpan(start: midnight + 7_200, end: nil, offset: change),
            ]
            bench.now.wall = .seconds(midnight)
            let today = bench.record.turnDay(at: bench.clocks)
            #expect(today.date == .january(1) && today.left == .hours(hours))
        }
    }

    @Test(
        "A-6: moved forth and back by what is believed, an unsynchronised clock does not return to yesterday"
    )
    func forthAndBack() {
        var bench = RulesBench.enabled()
        bench.isSynchronised = false
        bench.progress(100)
        bench.wait(.hours(12))
        bench.moveWall(.minutes(9))
        bench.take(.look)
        #expect(bench.today == .january(2) && bench.isUp)
        bench.moveWall(.minutes(-18))
        bench.take(.look)
        #expect(bench.today == .january(2) && bench.isUp)
        bench.wait(.minutes(30))
        bench.take(.look)
        #expect(bench.today == .january(2))
        bench.wait(.days(1))
        bench.take(.look)
        #expect(bench.today == .january(3))
    }

    @Test("A-6: a day that began is not undone by having days start later")
    func laterDayStart() throws {
        let six = try #require(TimeOfDay(hour: 6, minute: 0))
        var bench = RulesBench.enabled()
        bench.progress(100)
        bench.wait(.hours(12) + .minutes(10))
        bench.take(.look)
        #expect(bench.today == .january(2) && bench.isUp)
        bench.take(.dayStart(six))
        #expect(bench.today == .january(2) && bench.isUp)
        bench.wait(.hours(3))
        bench.progress(40)
        #expect(bench.today == .january(2) && bench.isUp)
        // The next day starts at the new time, and this one is as long as that takes.
        #expect(bench.record.turnDay(at: bench.clocks).left == .hours(26) + .minutes(50))
        bench.wait(.hours(26) + .minutes(49))
        bench.take(.look)
        #expect(bench.today == .january(2) && bench.record.progress == 40)
        bench.wait(.minutes(1))
        bench.take(.look)
        #expect(bench.today == .january(3) && bench.record.progress == 0)
    }

    @Test("A-6: a day that began before days were made to start later is still told from the one before")
    func beganBefore() throws {
        var bench = RulesBench.enabled()
        bench.wait(.hours(12) + .minutes(10))
        bench.take(.look)
        bench.take(.dayStart(try #require(TimeOfDay(hour: 6, minute: 0))))
        #expect(bench.record.dayBegan(within: .minutes(11), at: bench.clocks))
        #expect(!bench.record.dayBegan(within: .minutes(9), at: bench.clocks))
    }

    @Test("A-6: a day that began before days were made to start later goes on as such after the later start")
    func afterLaterStart() throws {
        var bench = RulesBench.enabled()
        bench.progress(100)
        bench.wait(.hours(12) + .minutes(10))
        bench.take(.look)
        bench.take(.dayStart(try #require(TimeOfDay(hour: 6, minute: 0))))
        bench.wait(.hours(5) + .minutes(51))
        bench.progress(40)
        let night = bench.now.wall - .hours(4)
        #expect(bench.record.date(of: night, at: bench.clocks) == .january(2))
        #expect(!bench.record.dayBegan(within: .minutes(5), at: bench.clocks))
        for isSynchronised in [true, false] {
            var bench = bench
            bench.isSynchronised = isSynchronised
            bench.moveWall(.minutes(-2))
            bench.take(.look)
            #expect(bench.today == .january(2) && bench.isUp && bench.record.progress == 40)
        }
        bench.wait(.days(1))
        bench.take(.look)
        #expect(bench.today == .january(3) && bench.record.progress == 0)
    }

    @Test("A-6: having days start to and fro at night does not bring back the day that was reached")
    func dayStartToAndFro() throws {
        let six = try #require(TimeOfDay(hour: 6, minute: 0))
        var bench = RulesBench.enabled()
        bench.wait(.hours(11) + .minutes(50))
        bench.progress(100)
        bench.take(.dayStart(six))
        #expect(bench.today == .january(1) && bench.isDown, "at 23:50 it is the same day either way")
        bench.wait(.hours(4))
        bench.take(.look)
        #expect(bench.today == .january(1) && bench.isDown)
        for _ in 0..<3 {
            bench.take(.dayStart(.midnight))
            #expect(bench.today == .january(2) && bench.isUp)
            bench.take(.dayStart(six))
            #expect(bench.today == .january(2) && bench.isUp)
        }
    }

    @Test("A-6: flying back over midnight is flying back, also after days were made to start later")
    func flyingBackAfterDayStart() throws {
        var bench = RulesBench.enabled()
        bench.progress(100)
        bench.wait(.hours(13))
        bench.take(.look)
        bench.take(.dayStart(try #require(TimeOfDay(hour: 6, minute: 0))))
        #expect(bench.today == .january(2))
        bench.zone = ZoneSpan.fixed(hours: -3)
        bench.take(.look)
        #expect(bench.today == .january(1) && bench.isDown)
    }
}
