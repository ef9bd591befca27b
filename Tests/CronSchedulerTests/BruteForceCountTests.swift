@testable import CronScheduler
import Foundation
import Testing

/// The number of fires between two instants against the fires themselves.
@Suite(.timeLimit(.minutes(10))) struct BruteForceCountTests {
    @Test("S-3: as many runs are counted as missed as there were times", arguments: BruteForceTests.zones)
    func count(_ name: String) throws {
        let zone = try #require(ZoneRules(name))
        let foundation = try #require(TimeZone(identifier: name))
        var generator = ExpressionGenerator(seed: 61)
        for _ in 0..<60 {
            let asked = Int.random(in: 0..<2_000_000_000, using: &generator.random)
            let change = foundation.nextDaylightSavingTimeTransition(
                after: Date(timeIntervalSince1970: Double(asked))
            )
            let center = change.map { Int($0.timeIntervalSince1970) } ?? asked
            let first = center - Int.random(in: 0..<200_000, using: &generator.random)
            let last = center + Int.random(in: 0..<200_000, using: &generator.random)
            try check(generator.expression(), zone, after: first, through: last)
        }
    }

    @Test("S-3: a time of one day that a gap moves to the next does not bring that day's times along")
    func movedToAnotherDate() throws {
        let pyongyang = try #require(ZoneRules("Asia/Pyongyang"))
        let start = try Instant.second("2018-05-04T12:00:00+08:30")
        try check("*/15 0,23 4 5 *", pyongyang, after: start, through: start + 2 * 86_400)
        let apia = try #require(ZoneRules("Pacific/Apia"))
        let eve = try Instant.second("2011-12-29T12:00:00-10:00")
        try check("0 0,12 30 12 *", apia, after: eve, through: eve + 3 * 86_400)
    }

    private func check(_ text: String, _ zone: ZoneRules, after first: Int, through last: Int) throws {
        guard case .fields(let sets) = try CronExpression(text).rule else { return }
        var expected = 0
        var second = first
        while let next = sets.next(after: second, in: zone), next <= last {
            expected += 1
            second = next
        }
        #expect(sets.count(after: first, through: last, in: zone) == expected, "\(text) in \(zone.name)")
    }
}
