import AccountService
import Testing

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

    @Test("F-3: a telling may have been on its way since the last look, and counts as near as it can be")
    func readings() {
        var readings = ClockReadings()
        readings.note(
            [telling("a", 100.5, 1), telling("b", 90, 1), telling("c", 110, 1)],
            at: .seconds(101),
            since: .seconds(100),
            limit: rule.limit
        )
        #expect(Set(readings.others) == [.zero, .seconds(-10), .seconds(9)])
        // The clock of c is too far ahead for its time to count.
        #expect(readings.newest == 100_500)
        // The same telling is not judged again. A server that is gone is not counted any more.
        readings.note(
            [telling("a", 100.5, 1), telling("c", 111, 2), telling("d", 103, 1)],
            at: .seconds(102),
            since: .seconds(101),
            limit: rule.limit
        )
        #expect(Set(readings.others) == [.zero, .seconds(9), .seconds(1)])
        readings.note([], at: .seconds(103), since: .seconds(102), limit: rule.limit)
        #expect(readings.others.isEmpty)
        #expect(readings.newest == 103_000)
    }

    @Test("F-3: after the end of a server whose clock was ahead, the other one answers")
    func aheadIsGone() {
        var readings = ClockReadings()
        readings.note([telling("a", 3_701, 1)], at: .seconds(101), since: .seconds(100), limit: rule.limit)
        func objection(at wall: Int64) -> ClockRule.Objection? {
            let behind = Duration.milliseconds(readings.newest - wall * 1_000)
            return rule.objection(others: readings.others, behind: behind)
        }
        #expect(objection(at: 101) == .disagreeing(.seconds(3_600)))
        readings.note([], at: .seconds(102), since: .seconds(101), limit: rule.limit)
        #expect(objection(at: 102) == nil)
    }
}
