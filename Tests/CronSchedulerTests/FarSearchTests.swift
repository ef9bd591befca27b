import Testing

@testable import CronScheduler

/// Searches that pass over many changes of clocks, and sums that end near the end of a day.
@Suite(.timeLimit(.minutes(10))) struct FarSearchTests {
    /// An expression of all hours, a zone, and the times that it has: all on a few days of one year.
    struct Row: Sendable, CustomTestStringConvertible {
        var expression: String
        var zone: String
        var times: [String]

        var testDescription: String { "\(expression) in \(zone)" }
    }

    private static let rows = [
        // The 30th was skipped: what was due on it never came, and the last time is the last second of the 29th.
        Row(
            expression: "59 59 * 29-30 12 * 2011",
            zone: "Pacific/Apia",
            times: (0..<24).map { "2011-12-29T\($0 < 10 ? "0" : "")\($0):59:59-10:00" }
        ),
        Row(
            expression: "0 0 * 29-30 12 * 2011",
            zone: "Pacific/Apia",
            times: (0..<24).map { "2011-12-29T\($0 < 10 ? "0" : "")\($0):00:00-10:00" }
        ),
        Row(
            expression: "0 0 * 30-31 12 * 2011",
            zone: "Pacific/Apia",
            times: (0..<24).map { "2011-12-31T\($0 < 10 ? "0" : "")\($0):00:00+14:00" }
        ),
        Row(
            expression: "0 0 * 1 7 * 2011",
            zone: "America/New_York",
            times: (0..<24).map { "2011-07-01T\($0 < 10 ? "0" : "")\($0):00:00-04:00" }
        ),
        Row(
            expression: "30 30 * 1 1 * 2011",
            zone: "Europe/Riga",
            times: (0..<24).map { "2011-01-01T\($0 < 10 ? "0" : "")\($0):30:30+02:00" }
        ),
        // A night without two o'clock, and one with two of one o'clock.
        Row(
            expression: "59 59 * 13 3 * 2011",
            zone: "America/New_York",
            times: ["2011-03-13T00:59:59-05:00", "2011-03-13T01:59:59-05:00"]
                + (3..<24).map { "2011-03-13T\($0 < 10 ? "0" : "")\($0):59:59-04:00" }
        ),
        Row(
            expression: "0 0 * 6 11 * 2011",
            zone: "America/New_York",
            times: ["2011-11-06T00:00:00-04:00", "2011-11-06T01:00:00-04:00", "2011-11-06T01:00:00-05:00"]
                + (2..<24).map { "2011-11-06T\($0 < 10 ? "0" : "")\($0):00:00-05:00" }
        ),
    ]

    @Test(
        "S-2: times years away are found from before and from after, whatever clocks did meanwhile",
        arguments: rows
    )
    func farAway(_ row: Row) throws {
        let expression = try CronExpression(row.expression)
        let zone = try #require(ZoneRules(row.zone))
        for (before, after) in [
            ("1985-06-01T00:00:00Z", "2040-06-01T00:00:00Z"),
            ("2010-02-01T00:00:00Z", "2012-10-01T00:00:00Z"),
        ] {
            var second = try Instant.second(before)
            for expected in row.times {
                second = try #require(expression.nextSecond(after: second, in: zone))
                #expect(Instant.text(second, row.zone) == expected)
            }
            #expect(expression.nextSecond(after: second, in: zone) == nil)
            second = try Instant.second(after)
            for expected in row.times.reversed() {
                second = try #require(expression.previousSecond(before: second, in: zone))
                #expect(Instant.text(second, row.zone) == expected)
            }
            #expect(expression.previousSecond(before: second, in: zone) == nil)
        }
    }

    @Test("S-3: fires are counted to the second at the end of a day", arguments: -3...1)
    func endOfDay(_ shift: Int) throws {
        let day = 86_400
        for text in ["* * * * * *", "59 59 23 * * *", "58,59 59 0,23 * * *", "0 0 0 * * *"] {
            guard case .fields(let sets) = try CronExpression(text).rule else { continue }
            for (first, last) in [(-1, 2 * day + shift), (day + shift, 3 * day - 1), (day - 1, day + shift)] {
                var expected = 0
                var second = first
                while let next = sets.next(after: second, in: .utc), next <= last {
                    expected += 1
                    second = next
                }
                #expect(sets.count(after: first, through: last, in: .utc) == expected, "\(text) to \(last)")
            }
        }
    }

    @Test(
        "S-6: dates that need no calendar are known as such, others are not",
        arguments: [
            ("* * * * *", FieldSets.Traits.everyDate), ("0 0 * * ?", .everyDate),
            ("0 0 1-31 * 1", .everyDate), ("0 0 1 * 0-6", .everyDate),
            ("0 0 * * 1", .weekdayOnly), ("0 0 ? * 1-5", .weekdayOnly),
            ("0 0 13 * *", []), ("0 0 */2 * 1", []), ("0 0 13 * 5", []), ("0 0 * 2 *", []), ("0 0 L * *", []),
            ("0 0 * * 5L", []), ("0 0 0 * * * 2030", []),
        ] as [(String, FieldSets.Traits)]
    )
    func shortCuts(_ text: String, _ expected: FieldSets.Traits) throws {
        guard case .fields(let sets) = try CronExpression(text).rule else { return }
        #expect(sets.traits.intersection([.everyDate, .weekdayOnly]) == expected)
    }

    @Test("S-1: of years in several ranges the next and the last one are found, in the gaps too")
    func years() throws {
        let expression = try CronExpression("0 0 0 1 1 * 2001-2009/4,2012,2020-2022,2040/50")
        let years = [2001, 2005, 2009, 2012, 2020, 2021, 2022, 2040, 2090, 2140]
        let starts = try years.map { try Instant.second("\($0)-01-01T00:00:00Z") }
        var second = 0
        for start in starts {
            second = try #require(expression.nextSecond(after: second, in: .utc))
            #expect(second == start)
        }
        for start in starts.reversed() {
            second = try #require(expression.previousSecond(before: start + 1, in: .utc))
            #expect(second == start)
        }
        #expect(expression.previousSecond(before: starts[0], in: .utc) == nil)
    }

    @Test("S-2: times of @every end where those of fields end, and no second or time breaks the search")
    func endsOfEvery() throws {
        let horizon = 1 << 54
        let zone = try #require(ZoneRules("Pacific/Kiritimati"))
        for text in ["@every 1s", "@every 1000000000d", "0 0 1 1 *"] {
            let expression = try CronExpression(text)
            for second in [Int.min, -horizon - 1, -horizon, 0, horizon - 1, horizon, .max] {
                for found in [
                    expression.nextSecond(after: second, in: zone),
                    expression.previousSecond(before: second, in: zone),
                ] {
                    // A search of fields may end in the 400 years after its limit.
                    let limit = horizon + (expression.interval == nil ? 400 * 366 * 86_400 : 0)
                    #expect(found.map { $0.magnitude <= limit } ?? true, "\(text) at \(second)")
                }
                let wall = Duration.seconds(second)
                #expect(
                    expression.next(after: wall, in: zone)
                        == expression.nextSecond(after: second, in: zone).map { .seconds($0) }
                )
                #expect(
                    expression.previous(before: wall, in: zone)
                        == expression.previousSecond(before: second, in: zone).map { .seconds($0) }
                )
            }
        }
        let every = try CronExpression("@every 10s")
        #expect(every.nextSecond(after: horizon - 10, in: zone) == horizon)
        #expect(every.nextSecond(after: horizon - 9, in: zone) == nil)
        #expect(every.previousSecond(before: 10 - horizon, in: zone) == -horizon)
        #expect(every.previousSecond(before: 9 - horizon, in: zone) == nil)
        #expect(every.next(after: .seconds(horizon) * 8_000, in: zone) == nil)
    }
}
