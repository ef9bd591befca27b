import CronScheduler
import Foundation
import Testing

/// What holds of next and previous whatever the expression and the zone.
@Suite(.timeLimit(.minutes(10))) struct SearchTests {
    private static let zones = [
        "America/New_York", "Pacific/Apia", "Antarctica/Troll", "Australia/Lord_Howe",
    ]

    @Test("S-2: previous is the inverse of next", arguments: zones)
    func inverse(_ name: String) throws {
        let zone = try #require(ZoneRules(name))
        var generator = ExpressionGenerator(seed: 31)
        for round in 0..<300 {
            let text = round % 3 == 0 ? generator.dates() : generator.expression()
            let expression = try CronExpression(text)
            let context: Comment = "\(text), round \(round)"
            let second = Int.random(in: -3_000_000_000..<20_000_000_000, using: &generator.random)
            guard let next = expression.nextSecond(after: second, in: zone) else { continue }
            #expect(next > second, context)
            #expect(expression.previousSecond(before: next + 1, in: zone) == next, context)
            #expect(expression.nextSecond(after: next - 1, in: zone) == next, context)
            let previous = expression.previousSecond(before: next, in: zone)
            #expect(previous ?? .min <= second, context)
            if let previous { #expect(expression.nextSecond(after: previous, in: zone) == next, context) }
        }
    }

    @Test("S-2: the way back meets the same times", arguments: zones)
    func walk(_ name: String) throws {
        let zone = try #require(ZoneRules(name))
        var generator = ExpressionGenerator(seed: 32)
        for _ in 0..<40 {
            let text = generator.expression()
            let expression = try CronExpression(text)
            // The middle of 2011, from which a hundred dates reach the changes.
            var forward = [Int.random(in: 1_300_000_000..<1_330_000_000, using: &generator.random)]
            while forward.count < 100,
                let next = expression.nextSecond(after: forward[forward.count - 1], in: zone)
            {
                forward.append(next)
            }
            #expect(forward == forward.sorted() && Set(forward).count == forward.count)
            var back = [forward[forward.count - 1]]
            while back.count < forward.count - 1,
                let previous = expression.previousSecond(before: back[back.count - 1], in: zone)
            {
                back.append(previous)
            }
            if forward.count > 1 { #expect(Array(back.reversed()) == Array(forward.dropFirst()), "\(text)") }
        }
    }

    @Test("S-2: fractions of a second", arguments: [0, -86_400, 1_000_000_000])
    func fractions(_ base: Int) throws {
        let expression = try CronExpression("*/10 * * * * *")
        let fire = Duration.seconds(base)
        let half = Duration.milliseconds(500)
        let step = Duration.seconds(10)
        #expect(expression.next(after: fire, in: .utc) == fire + step)
        #expect(expression.next(after: fire + half, in: .utc) == fire + step)
        #expect(expression.next(after: fire - half, in: .utc) == fire)
        #expect(
            expression.next(after: fire - Duration(secondsComponent: 0, attosecondsComponent: 1), in: .utc)
                == fire
        )
        #expect(expression.previous(before: fire, in: .utc) == fire - step)
        #expect(expression.previous(before: fire + half, in: .utc) == fire)
        #expect(expression.previous(before: fire - half, in: .utc) == fire - step)
        #expect(
            expression.previous(
                before: fire + Duration(secondsComponent: 0, attosecondsComponent: 1),
                in: .utc
            )
                == fire
        )
    }

    @Test("S-2: before 1970")
    func before1970() throws {
        let expression = try CronExpression("30 4 * * *")
        #expect(expression.nextSecond(after: -1, in: .utc) == 4 * 3_600 + 1_800)
        #expect(expression.previousSecond(before: 0, in: .utc) == -86_400 + 4 * 3_600 + 1_800)
        let leapDay = try CronExpression("0 0 29 2 *")
        #expect(leapDay.previousSecond(before: 0, in: .utc) == -58_060_800)
        // 1900 had none.
        #expect(leapDay.previousSecond(before: -2_000_000_000, in: .utc) == -2_077_747_200)
        #expect(leapDay.previousSecond(before: -2_077_747_200, in: .utc) == -2_330_121_600)
    }

    @Test(
        "S-2: the largest and smallest numbers do no harm",
        arguments: [
            "* * * * *", "30 2 * * *", "0 0 29 2 *", "0 0 * * 5#5", "0 0 0 1 1 * 2030", "@every 1s",
            "@reboot",
        ]
    )
    func extremes(_ text: String) throws {
        let expression = try CronExpression(text)
        for zone in [ZoneRules.utc, try #require(ZoneRules("America/New_York"))] {
            for shift in [0, 1, 10, 20, 40] {
                for second in [Int.min >> shift, Int.max >> shift] {
                    if let next = expression.nextSecond(after: second, in: zone) { #expect(next > second) }
                    if let previous = expression.previousSecond(before: second, in: zone) {
                        #expect(previous < second)
                    }
                    let wall = Duration.seconds(second >> 1)
                    if let next = expression.next(after: wall, in: zone) { #expect(next > wall) }
                    if let previous = expression.previous(before: wall, in: zone) { #expect(previous < wall) }
                }
            }
        }
    }

    @Test("S-2: a clock that is set forward and back within the hour")
    func twoChanges() throws {
        let expression = try CronExpression("30 * * * *")
        let hour = 3_600
        // Ten past ten comes at ten, and at a quarter past ten a quarter past nine.
        let back = ZoneRules(name: "A", offset: 0, changes: [(10 * hour, 600), (10 * hour + 900, -hour)])
        #expect(expression.nextSecond(after: 9 * hour + 2_400, in: back) == 10 * hour + 1_800)
        #expect(expression.nextSecond(after: 10 * hour + 1_800, in: back) == 11 * hour + 1_800)
        // At a quarter to eleven it is set to 9:35, and ten minutes on at ten.
        let forth = ZoneRules(name: "B", offset: hour, changes: [(9 * hour + 2_700, -600), (10 * hour, 0)])
        #expect(expression.previousSecond(before: 10 * hour + 1_200, in: forth) == 9 * hour + 1_800)
        #expect(expression.previousSecond(before: 9 * hour + 1_800, in: forth) == 8 * hour + 1_800)
    }

    @Test("S-1: @every counts from what it is asked about, @reboot has no times")
    func withoutFields() throws {
        let zone = try #require(ZoneRules("America/New_York"))
        let every = try CronExpression("@every 1h30m")
        #expect(every.interval == .seconds(5_400))
        #expect(every.nextSecond(after: 1_000, in: zone) == 6_400)
        #expect(every.previousSecond(before: 1_000, in: zone) == -4_400)
        #expect(every.next(after: .milliseconds(1_500), in: zone) == .milliseconds(5_401_500))
        #expect(every.nextSecond(after: .max, in: zone) == nil)
        #expect(every.previousSecond(before: .min, in: zone) == nil)
        #expect(!every.neverFires && !every.isReboot)
        let reboot = try CronExpression("@reboot")
        #expect(reboot.isReboot && reboot.interval == nil && !reboot.neverFires)
        #expect(reboot.nextSecond(after: 0, in: zone) == nil)
        #expect(reboot.previousSecond(before: 0, in: zone) == nil)
    }
}
