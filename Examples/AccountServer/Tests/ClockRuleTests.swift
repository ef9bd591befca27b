import PortcullisCore
import PortcullisTesting
import Testing

@testable import account_server
import AccountService

@Suite("Whether a server's clock is near enough to the others' (F-3)", .timeLimit(.minutes(1)))
struct ClockRuleTests {
    private let rule = ClockRule(limit: .seconds(2))

    private func objection(_ others: [Double], behind: Double = 0) -> ClockRule.Objection? {
        rule.objection(others: others.map { .seconds($0) }, behind: .seconds(behind))
    }

    @Test("F-3: two seconds are let pass, an hour is not, and of three the one that is off is unready alone")
    func three() {
        #expect(objection([2, 1.9]) == nil)
        #expect(objection([-2, 0]) == nil)
        #expect(objection([3600, 3600]) == .apart(.seconds(-3600)))
        #expect(objection([-3600, -3601]) == .apart(.seconds(3600)))
        // The other two servers of these three.
        #expect(objection([-3600, 0.5]) == nil)
        #expect(objection([3600, 0.5]) == nil)
        // Of four the median lies between the middle two.
        #expect(objection([0, 0, 3600]) == nil)
        #expect(objection([10, 10, 10]) == .apart(.seconds(-10)))
    }

    @Test("F-3: of two that disagree both are unready, because which one is wrong cannot be told")
    func two() {
        #expect(objection([2]) == nil)
        #expect(objection([2.1]) == .disagreeing(.seconds(2.1)))
        #expect(objection([-2.1]) == .disagreeing(.seconds(2.1)))
    }

    @Test("F-3: a single one refuses a time that is older than the newest in the store, and only that")
    func one() {
        #expect(objection([]) == nil)
        #expect(objection([], behind: 2) == nil)
        #expect(objection([], behind: 3) == .behindStore(.seconds(3)))
        #expect(objection([], behind: -3600) == nil)
        // With other servers, the newest time in the store does not count.
        #expect(objection([0.1, 0], behind: 3600) == nil)
    }

    @Test("F-3: what two servers that answer can differ by is twice the limit")
    func margin() { #expect(rule.margin == .seconds(4)) }

    private func telling(_ id: String, _ wall: Double, _ number: Int64) -> ClockReadings.Telling {
        .init(id: id, wall: .seconds(wall), number: number)
    }

    /// A moment whose boot time is the wall time, or earlier than it by what the wall clock was set ahead.
    private func moment(_ boot: Double, setAhead: Duration = .zero) -> Moment {
        Moment(wall: .seconds(boot) + setAhead, sinceBoot: .seconds(boot), boot: BootID("test"))
    }

    @Test("F-3: a telling may have been on its way since the last look, and counts as near as it can be")
    func readings() {
        var readings = ClockReadings(begun: moment(100), lifetime: .zero)
        readings.note(
            [telling("a", 100.5, 1), telling("b", 90, 1), telling("c", 110, 1)],
            at: moment(101),
            asked: moment(101),
            limit: rule.limit
        )
        #expect(Set(readings.others) == [.zero, .seconds(-10), .seconds(9)])
        // The clock of c is too far ahead for its time to count.
        #expect(readings.newest == 100_500)
        // The same telling is not judged again. A server that is gone is not counted any more.
        readings.note(
            [telling("a", 100.5, 1), telling("c", 111, 2), telling("d", 103, 1)],
            at: moment(102),
            asked: moment(102),
            limit: rule.limit
        )
        #expect(Set(readings.others) == [.zero, .seconds(9), .seconds(1)])
        readings.note([], at: moment(103), asked: moment(103), limit: rule.limit)
        #expect(readings.others.isEmpty)
        #expect(readings.newest == 103_000)
    }

    @Test("F-3: what a killed server told last does not count as wrong while it is found")
    func firstLook() {
        var readings = ClockReadings(begun: moment(100), lifetime: .seconds(5))
        let dead = telling("dead", 96.5, 1)
        let first = [dead, telling("ahead", 104, 1)]
        readings.note(first, at: moment(100.5), asked: moment(100.25), limit: rule.limit)
        #expect(Set(readings.others) == [.zero, .seconds(3.5)])
        let second = [dead, telling("ahead", 105, 2), telling("behind", 96.5, 1)]
        readings.note(second, at: moment(101.5), asked: moment(101.25), limit: rule.limit)
        #expect(Set(readings.others) == [.zero, .seconds(3.5), .seconds(-3.75)])
    }

    @Test("F-3: after the end of a server whose clock was ahead, the other one answers")
    func aheadIsGone() {
        var readings = ClockReadings(begun: moment(100), lifetime: .zero)
        readings.note([telling("a", 3_701, 1)], at: moment(101), asked: moment(101), limit: rule.limit)
        func objection(at wall: Int64) -> ClockRule.Objection? {
            let behind = Duration.milliseconds(readings.newest - wall * 1_000)
            return rule.objection(others: readings.others, behind: behind)
        }
        #expect(objection(at: 101) == .disagreeing(.seconds(3_600)))
        readings.note([], at: moment(102), asked: moment(102), limit: rule.limit)
        #expect(objection(at: 102) == nil)
    }

    @Test("F-3: a step of a server's own clock is noticed at the next look, whether others tell or not")
    func ownStep() {
        let year = Duration.seconds(31_536_000)
        var readings = ClockReadings(begun: moment(99), lifetime: .zero)
        let first = [telling("b", 99, 1), telling("c", 99, 1)]
        readings.note(first, at: moment(100), asked: moment(100), limit: rule.limit)
        #expect(readings.others == [.zero, .zero])
        // The clock was set a year ahead. Of the others one has told its time since.
        let ahead = moment(101, setAhead: year)
        let tellings = [telling("b", 100, 2), telling("c", 99, 1)]
        readings.note(tellings, at: ahead, asked: ahead, limit: rule.limit)
        #expect(readings.others == [.zero - year, .zero - year])
        #expect(rule.objection(others: readings.others, behind: .zero) == .apart(year))
        // The clock was set right, and then a minute back.
        readings.note(tellings, at: moment(102), asked: moment(102), limit: rule.limit)
        #expect(readings.others == [.zero, .zero])
        let behind = moment(103, setAhead: .seconds(-60))
        readings.note(tellings, at: behind, asked: behind, limit: rule.limit)
        #expect(readings.others == [.seconds(59), .seconds(59)])
    }

    @Test("F-3: a newest time that wrong clocks told is forgotten when three agree, and by fewer is not")
    func wrongNewestTold() {
        let hour = Duration.seconds(3_600)
        var readings = ClockReadings(begun: moment(99, setAhead: hour), lifetime: .zero)
        func look(_ tellings: [ClockReadings.Telling], at now: Moment) {
            readings.note(tellings, at: now, asked: now, limit: rule.limit)
            readings.forgetNewest(ifWrongBy: rule, at: now.wall)
        }
        // All three clocks are an hour ahead.
        look([telling("b", 3_700, 1), telling("c", 3_700, 1)], at: moment(100, setAhead: hour))
        #expect(readings.newest == 3_700_000)
        // Two clocks were set right, and the third server is gone.
        look([telling("b", 101, 2)], at: moment(101))
        #expect(readings.newest == 3_700_000)
        look([telling("b", 102, 3), telling("c", 102, 2)], at: moment(102))
        #expect(readings.newest == 0)
        look([telling("b", 103, 4), telling("c", 103, 3)], at: moment(103))
        #expect(readings.newest == 103_000)
        // The last server answers.
        look([], at: moment(104))
        let behind = readings.newestAhead(of: .seconds(104))
        #expect(rule.objection(others: readings.others, behind: behind) == nil)
    }

    @Test("F-3: a newest time that three servers agree is wrong is put right, and by fewer is not")
    func wrongNewest() async throws {
        let hour = Duration.seconds(3_600)
        #expect(rule.isWrong(newest: hour, others: [.zero, .seconds(2)]))
        // Another server that answers may be ahead by this much.
        #expect(!rule.isWrong(newest: .seconds(4), others: [.zero, .zero]))
        #expect(!rule.isWrong(newest: hour, others: [.zero]))
        #expect(!rule.isWrong(newest: hour, others: [.zero, .zero, .seconds(3)]))
        #expect(!rule.isWrong(newest: hour, others: [.zero, .zero, .seconds(-3)]))

        let newest = try NewestTime(InMemorySecretStore())
        try await newest.note(3_700_000)
        #expect(try await newest.read() == 3_700_000)
        try await newest.note(100_000)
        #expect(try await newest.read() == 3_700_000)
        try await newest.correct(to: 100_000)
        #expect(try await newest.read() == 100_000)
    }
}
