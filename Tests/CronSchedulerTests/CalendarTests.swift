import CronScheduler
import Foundation
import Testing

/// Dates: rare ones, ones that never come, and all rules of the day fields against the plain model.
@Suite(.timeLimit(.minutes(10))) struct CalendarTests {
    /// Fires after a time in UTC, as dates.
    private func dates(_ text: String, after start: String, count: Int) throws -> [String] {
        let expression = try CronExpression(text)
        var second = try Instant.second("\(start)T00:00:00Z") - 1
        var found: [String] = []
        while found.count < count, let next = expression.nextSecond(after: second, in: .utc) {
            found.append(String(Instant.text(next, "UTC").prefix(10)))
            second = next
        }
        return found
    }

    @Test("S-1: 29 February is found across 2100, which has none")
    func leapDays() throws {
        let found = try dates("0 0 29 2 *", after: "2089-01-01", count: 4)
        #expect(found == ["2092-02-29", "2096-02-29", "2104-02-29", "2108-02-29"])
    }

    @Test("S-1: a 29 February that is a Sunday is found across 2100")
    func leapSundays() throws {
        // Both must match, since a field starts with *: */7 names Sunday only.
        let found = try dates("0 0 29 2 */7", after: "2049-01-01", count: 4)
        #expect(found == ["2060-02-29", "2088-02-29", "2128-02-29", "2156-02-29"])
        // Either is enough, since none does.
        #expect(try dates("0 0 29 2 7", after: "2049-02-01", count: 2) == ["2049-02-07", "2049-02-14"])
    }

    @Test("S-1: the fifth Friday of a month")
    func fifthFridays() throws {
        let found = try dates("0 0 * * 5#5", after: "2026-01-01", count: 4)
        #expect(found == ["2026-01-30", "2026-05-29", "2026-07-31", "2026-10-30"])
        // In February, of 29 days only, and then it is the 29th.
        #expect(try dates("0 0 * 2 5#5", after: "2026-01-01", count: 2) == ["2036-02-29", "2064-02-29"])
    }

    @Test(
        "S-1: what can never fire says so at once",
        arguments: [
            "0 0 30 2 *", "0 0 31 2,4,6,9,11 *", "0 0 */13 * 5#5", "0 0 0 30 2 *", "0 0 0 30 2 ? *",
            "0 0 0 30 2 * 2000-9999", "0 0 0 29 2 * 2025-2027", "0 0 0 29 2 * 2100", "0 0 L-30 2 *",
            "0 0 31W 4 *",
            "0 0 L-29 2 *",
        ]
    )
    func never(_ text: String) throws {
        let expression = try CronExpression(text)
        #expect(expression.neverFires)
        for second in [0, 1_800_000_000, -3_000_000_000, 1 << 40] {
            #expect(expression.nextSecond(after: second, in: .utc) == nil)
            #expect(expression.previousSecond(before: second, in: .utc) == nil)
        }
    }

    @Test("S-1: years that are over, and years to come")
    func years() throws {
        let past = try CronExpression("0 0 12 1 1 ? 2001-2003")
        let now = try Instant.second("2026-06-01T00:00:00Z")
        #expect(!past.neverFires)
        #expect(past.nextSecond(after: now, in: .utc) == nil)
        #expect(past.previousSecond(before: now, in: .utc) == (try Instant.second("2003-01-01T12:00:00Z")))
        let future = try CronExpression("0 0 12 1 1 ? 9999")
        #expect(future.previousSecond(before: now, in: .utc) == nil)
        #expect(
            future.nextSecond(after: now, in: .utc).map { Instant.text($0, "UTC") } == "9999-01-01T12:00:00Z"
        )
        #expect(try dates("0 0 12 29 2 ? 2026-2040/2", after: "2026-01-01", count: 9).count == 4)
    }

    @Test("S-1: day rules are those of the plain model", arguments: 0..<4)
    func dayRules(_ part: Int) throws {
        var generator = ExpressionGenerator(seed: UInt64(41 + part))
        for _ in 0..<30 {
            let text = generator.dates()
            let plain = PlainExpression(text)
            let first = Int.random(in: -30_000..<120_000, using: &generator.random)
            let days = (first..<(first + 1_100)).filter { plain.matches(PlainDate(number: $0)) }
            let expression = try CronExpression(text)
            var second = first * 86_400
            for day in days {
                second = try #require(expression.nextSecond(after: second, in: .utc))
                #expect(second == day * 86_400 + 43_200, "\(text)")
                #expect(expression.previousSecond(before: second + 1, in: .utc) == second, "\(text)")
            }
            let end = (first + 1_100) * 86_400
            #expect(expression.nextSecond(after: second, in: .utc) ?? .max >= end, "\(text)")
            #expect(expression.previousSecond(before: end, in: .utc) ?? 0 <= second, "\(text)")
        }
    }

    @Test("S-1: never is said just when 400 years have no date")
    func neverInModel() throws {
        var generator = ExpressionGenerator(seed: 45)
        var counts = [0, 0]
        let rare = ["30", "31", "L-29", "L-30", "31W", "30W", "29", "*/29", "*/30", "*/28"]
        for _ in 0..<14 {
            let day = generator.pick(rare)
            let month = generator.pick(["2", "2,4", "4-6/2", "11", "2-3"])
            let text = "0 12 \(day) \(month) \(generator.pick(["*", "?", "*/7", "5#5", "MON#5", "*/6"]))"
            let plain = PlainExpression(text)
            let expected = !PlainDate.cycle.contains { plain.matches($0) }
            #expect(try CronExpression(text).neverFires == expected, "\(text)")
            counts[expected ? 1 : 0] += 1
        }
        #expect(counts.allSatisfy { $0 > 2 })
    }
}
