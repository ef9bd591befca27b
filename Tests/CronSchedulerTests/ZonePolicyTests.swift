import CronScheduler
import Testing

/// An expression, an instant and the times that follow, all by the clocks of one zone.
struct ZoneExample: Sendable, CustomTestStringConvertible {
    var policy: String
    var expression: String
    var zone: String
    var after: String
    var next: [String]

    var testDescription: String { "\(expression) in \(zone) after \(after)" }

    static let all: [ZoneExample] = {
        var policy = ""
        var examples: [ZoneExample] = []
        for line in zonePolicyTable.split(separator: "\n") {
            if line.hasPrefix("# ") {
                policy = String(line.dropFirst(2))
            } else {
                let parts = line.split(separator: " | ").map(String.init)
                let next = parts[3].split(separator: " ").map(String.init)
                examples.append(
                    ZoneExample(
                        policy: policy,
                        expression: parts[0],
                        zone: parts[1],
                        after: parts[2],
                        next: next
                    )
                )
            }
        }
        return examples
    }()

    /// The examples of one policy.
    static func of(_ policy: String) -> [ZoneExample] { all.filter { $0.policy == policy } }

    /// Checks the times, and that the way back meets them again.
    func check() throws {
        let cron = try CronExpression(expression)
        let rules = try #require(ZoneRules(zone))
        var second = try Instant.second(after)
        for expected in next {
            let found = try #require(cron.nextSecond(after: second, in: rules))
            #expect(Instant.text(found, zone) == expected)
            #expect(cron.previousSecond(before: found + 1, in: rules) == found)
            second = found
        }
        for expected in next.dropLast().reversed() {
            second = try #require(cron.previousSecond(before: second, in: rules))
            #expect(Instant.text(second, zone) == expected)
        }
    }
}

/// The policies of S-2, a test each.
@Suite(.timeLimit(.minutes(10))) struct ZonePolicyTests {
    @Test(
        "S-2: a time inside a gap fires at the gap's end",
        arguments: ZoneExample.of("a time inside a gap fires at the gap's end")
    )
    func gap(_ example: ZoneExample) throws { try example.check() }

    @Test(
        "S-2: several times inside one gap fire once, together with what is due at its end",
        arguments: ZoneExample.of(
            "several times inside one gap fire once, together with what is due at its end"
        )
    )
    func crowdedGap(_ example: ZoneExample) throws { try example.check() }

    @Test(
        "S-2: a time inside an overlap fires once, the first time",
        arguments: ZoneExample.of("a time inside an overlap fires once, the first time")
    )
    func overlap(_ example: ZoneExample) throws { try example.check() }

    @Test(
        "S-2: asked inside an overlap, in its first and in its second pass",
        arguments: ZoneExample.of("asked inside an overlap, in its first and in its second pass")
    )
    func insideOverlap(_ example: ZoneExample) throws { try example.check() }

    @Test(
        "S-2: all 24 hours follow elapsed time: both hours of an overlap, none in a gap",
        arguments: ZoneExample.of("all 24 hours follow elapsed time: both hours of an overlap, none in a gap")
    )
    func elapsed(_ example: ZoneExample) throws { try example.check() }

    @Test(
        "S-2: a gap at midnight moves the day's first fire to its end",
        arguments: ZoneExample.of("a gap at midnight moves the day's first fire to its end")
    )
    func midnight(_ example: ZoneExample) throws { try example.check() }

    @Test(
        "S-2: an overlap at midnight gives the day before no second end, and the day no second start",
        arguments: ZoneExample.of(
            "an overlap at midnight gives the day before no second end, and the day no second start"
        )
    )
    func midnightOverlap(_ example: ZoneExample) throws { try example.check() }

    @Test(
        "S-2: a skipped day fires once, when the next one begins",
        arguments: ZoneExample.of("a skipped day fires once, when the next one begins")
    )
    func skippedDay(_ example: ZoneExample) throws { try example.check() }

    @Test(
        "S-2: changes that are no daylight saving time",
        arguments: ZoneExample.of("changes that are no daylight saving time")
    )
    func otherChanges(_ example: ZoneExample) throws { try example.check() }

    @Test("S-2: every policy has its examples")
    func table() {
        #expect(Set(ZoneExample.all.map(\.policy)).count == 9)
        #expect(ZoneExample.all.count == 43)
    }

    @Test(
        "S-2: the set of hours decides, not the text",
        arguments: [
            "30 * * * *", "30 */1 * * *", "30 0-23 * * *", "30 0/1 * * *", "30 12-11 * * *",
            "30 0-11,12-23 * * *",
        ]
    )
    func hoursAsSet(_ text: String) throws {
        let expression = try CronExpression(text)
        let zone = try #require(ZoneRules("America/New_York"))
        // Half past one twice, and no half past two.
        let overlap = try Instant.second("2026-11-01T01:30:00-04:00")
        #expect(expression.nextSecond(after: overlap, in: zone) == overlap + 3_600)
        let gap = try Instant.second("2026-03-08T01:30:00-05:00")
        #expect(expression.nextSecond(after: gap, in: zone) == gap + 3_600)
    }

    @Test(
        "S-2: the rows of the sample that others dispute",
        arguments: Sample.all.filter { $0.disputed == true }
    )
    func disputed(_ sample: Sample) throws {
        // The first pass of an overlap, the end of a gap.
        let expected: [String: String] = [
            "2017-05-13T23:59:59-03:00": "2017-05-14T23:30:00-04:00",
            "2019-03-28T23:58:59+02:00": "2019-03-29T01:00:00+03:00",
            "2021-10-31T01:30:00+03:00": "2021-10-31T03:00:00+03:00",
            "2021-03-28T01:30:00+02:00": "2021-03-28T04:00:00+03:00",
        ]
        let zone = try #require(ZoneRules(sample.tz))
        let found = try CronExpression(sample.expr).nextSecond(after: Instant.second(sample.after), in: zone)
        #expect(found.map { Instant.text($0, sample.tz) } == expected[sample.after])
    }

    @Test("S-2: no day of a year is silent, and none fires twice", arguments: BruteForceTests.zones)
    func everyDay(_ name: String) throws {
        let zone = try #require(ZoneRules(name))
        for text in ["30 0 * * *", "30 1 * * *", "30 2 * * *", "30 23 * * *"] {
            let expression = try CronExpression(text)
            for start in ["2010-01-01T12:00:00Z", "2018-01-01T12:00:00Z", "2026-01-01T12:00:00Z"] {
                var second = try #require(expression.nextSecond(after: Instant.second(start), in: zone))
                for _ in 0..<365 {
                    let next = try #require(expression.nextSecond(after: second, in: zone))
                    // No clock changes by more than two hours in these years.
                    #expect((21 * 3_600...27 * 3_600).contains(next - second), "\(text) at \(next)")
                    second = next
                }
            }
        }
    }
}
