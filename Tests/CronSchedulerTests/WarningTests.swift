import CronScheduler
import Testing

@Suite struct WarningTests {
    /// 2026-11-21T00:00:00Z.
    private static let now = 1_795_219_200

    private func warnings(_ text: String, in zone: String? = nil) throws -> [CronWarning] {
        let zone = try zone.map { try #require(ZoneRules($0)) }
        return try CronExpression.warnings(of: text, in: zone, from: Self.now)
    }

    /// A text and what is said of it.
    struct Row: Sendable, CustomTestStringConvertible {
        var text: String
        var code: CronWarning.Code
        var field: CronField
        var message: String
        var hint: String?

        init(
            _ text: String,
            _ code: CronWarning.Code,
            _ field: CronField,
            _ message: String,
            _ hint: String?
        ) {
            self.text = text
            self.code = code
            self.field = field
            self.message = message
            self.hint = hint
        }

        var testDescription: String { text }

        static let all = [
            Row(
                "0 0 30 2 *",
                .neverFires,
                .day,
                "it never fires: February never has such a day",
                "for the last day write 0 0 L FEB *"
            ),
            Row(
                "0 0 31 4,6 *",
                .neverFires,
                .day,
                "it never fires: none of its months has such a day",
                "for the last day write 0 0 L APR,JUN *"
            ),
            Row(
                "0 0 0 29 2 ? 2027",
                .neverFires,
                .year,
                "it never fires: none of its years has such a date",
                "29 February comes in leap years only"
            ),
            Row(
                "0 0 0 1 1 * 2020",
                .isOver,
                .year,
                "it does not fire any more: the last of its years is over",
                "leave the year out for every year"
            ),
            Row(
                "0 0 31 * *",
                .skippedMonths,
                .day,
                "February, April, June, September and November have no 31st and are passed over",
                "for the last day write 0 0 L * *"
            ),
            Row(
                "0 0 30 1-3 *",
                .skippedMonths,
                .day,
                "February has no 30th and is passed over",
                "for the last day write 0 0 L JAN-MAR *"
            ),
            Row(
                "0 0 29 * *",
                .skippedMonths,
                .day,
                "February has a 29th in leap years only, and is passed over in others",
                "for the last day write 0 0 L * *"
            ),
            Row(
                "0 0 31W * *",
                .skippedMonths,
                .day,
                "February, April, June, September and November have no 31st and are passed over",
                "for the last day write 0 0 L * *"
            ),
            Row(
                "0 0 L-30 * *",
                .skippedMonths,
                .day,
                "February, April, June, September and November have no 30th day before the last and are passed over",
                "every month has L-27 and what is later"
            ),
            Row(
                "0 0 L-28W * *",
                .skippedMonths,
                .day,
                "February has a 28th day before the last in leap years only, and is passed over in others",
                "every month has L-27 and what is later"
            ),
            Row(
                "0 0 * * 5#5",
                .skippedMonths,
                .weekday,
                "months without a fifth Friday are passed over",
                "for the last of the month write 0 0 * * FRIL"
            ),
            Row(
                "0 0 0 * * 5#5,1#5 2027",
                .skippedMonths,
                .weekday,
                "months without a fifth Monday or fifth Friday are passed over",
                "for the last of the month write 0 0 0 * * MONL,FRIL 2027"
            ),
            Row(
                "0 0 30 2 1",
                .skippedMonths,
                .day,
                "February never has such a day: it fires on Monday only",
                "for the last day as well write 0 0 L FEB MON"
            ),
            Row(
                "0 0 31 4,6 1#1",
                .skippedMonths,
                .day,
                "none of its months has such a day: it fires on the first Monday only",
                "for the last day as well write 0 0 L APR,JUN MON#1"
            ),
            Row(
                "0 0 29 2 *",
                .rareDate,
                .day,
                "years pass between its dates: it fires on 2028-02-29 and next on 2032-02-29",
                "for the last day of the month write 0 0 L FEB *"
            ),
            Row(
                "0 0 * 2 5#5",
                .rareDate,
                .day,
                "years pass between its dates: it fires on 2036-02-29 and next on 2064-02-29",
                nil
            ),
            Row(
                "0 0 13 * 5",
                .eitherDay,
                .weekday,
                "either is enough: it fires on the 13th, and on Friday too",
                "write * for the one that is not to count"
            ),
            Row(
                "0 0 8-14 * MON",
                .eitherDay,
                .weekday,
                "either is enough: it fires on the 8th to 14th, and on Monday too",
                "for the second Monday write 0 0 * * MON#2"
            ),
            Row(
                "0 0 1-31 * 1",
                .eitherDay,
                .weekday,
                "it fires every day: the day field has all days, and either is enough",
                "if the weekday is to decide write 0 0 * * MON"
            ),
            Row(
                "0 0 1 * 1-7",
                .eitherDay,
                .day,
                "it fires every day: the weekday field has all days, and either is enough",
                "if the day is to decide write 0 0 1 * *"
            ),
            Row(
                "* 5 * * *",
                .everyMinute,
                .minute,
                "it fires 60 times an hour, at every minute",
                "for once an hour write 0 5 * * *"
            ),
            Row(
                "* */2 * * *",
                .everyMinute,
                .minute,
                "it fires 60 times an hour, at every minute",
                "for once an hour write 0 */2 * * *"
            ),
            Row(
                "* 30 4 * * *",
                .everySecond,
                .second,
                "it fires 60 times a minute, at every second",
                "for once a minute write 30 4 * * *"
            ),
            Row(
                "* * 4 * * *",
                .everySecond,
                .second,
                "it fires 3600 times an hour, at every second",
                "for once an hour write 0 4 * * *"
            ),
            Row(
                "*/7 * * * *",
                .unevenStep,
                .minute,
                "a step of 7 starts again at minute 0: after 56 the pause is 4 minutes",
                "for equal pauses write @every 7m"
            ),
            Row(
                "*/59 * * * * *",
                .unevenStep,
                .second,
                "a step of 59 starts again at second 0: after 59 the pause is 1 second",
                "for equal pauses write @every 59s"
            ),
            Row(
                "0 */5 * * *",
                .unevenStep,
                .hour,
                "a step of 5 starts again at hour 0: after 20 the pause is 4 hours",
                "for equal pauses write @every 5h"
            ),
            Row(
                "0 0 */2 * *",
                .unevenStep,
                .day,
                "a step of 2 starts again on the 1st of each month: after the 31st comes the 1st",
                "for equal pauses write @every 2d"
            ),
            Row(
                "0 0 1 */5 *",
                .unevenStep,
                .month,
                "a step of 5 starts again each January: after November the pause is 2 months",
                "for equal pauses take a step that divides 12"
            ),
            Row(
                "0 0 * * */2",
                .unevenStep,
                .weekday,
                "a step of 2 starts again each Sunday: after Saturday the pause is 1 day",
                "for equal pauses write @every 2d"
            ),
            Row(
                "*/90 * * * *",
                .oversizedStep,
                .minute,
                "a step of 90 goes beyond the minute field: it fires at minute 0 only",
                "for a pause that long write @every 90m"
            ),
            Row(
                "CRON_TZ=UTC */60 * * * *",
                .oversizedStep,
                .minute,
                "a step of 60 goes beyond the minute field: it fires at minute 0 only",
                "write 0"
            ),
            Row(
                "0 9,10-11/5 * * *",
                .oversizedStep,
                .hour,
                "a step of 5 goes beyond the range: 10-11/5 is hour 10 only",
                "write 10"
            ),
            Row(
                "0 0 1 */12 *",
                .oversizedStep,
                .month,
                "a step of 12 goes beyond the month field: it fires in January only",
                "write 1"
            ),
        ]
    }

    @Test("S-1: each likely mistake is told, with what to write instead", arguments: Row.all)
    func told(_ row: Row) throws {
        #expect(
            try warnings(row.text) == [
                CronWarning(code: row.code, field: row.field, message: row.message, hint: row.hint)
            ]
        )
    }

    @Test("S-1: what a hint says to write is an expression without that mistake", arguments: Row.all)
    func hints(_ row: Row) throws {
        guard let hint = row.hint, let range = hint.firstRange(of: " write ") else { return }
        let text = String(hint[range.upperBound...])
        guard text.contains(" "), !text.hasPrefix("* for") else { return }
        #expect(try !warnings(text).contains { $0.code == row.code }, "\(text)")
    }

    @Test("S-1: several mistakes in one expression are all told")
    func several() throws {
        #expect(try warnings("\n*/90 * * * */3\r\n").map(\.code) == [.oversizedStep, .unevenStep])
        let both = try #require(warnings("0 0 1 * */3").last)
        #expect(both.code == .bothDays)
        #expect(
            both.message
                == "both must match, since the weekday field starts with *: "
                + "the 1st only if it is Wednesday, Saturday or Sunday"
        )
        #expect(both.hint == "if either is enough write 0 0 1 * WED,SAT,SUN")
        #expect(try warnings("*/7 0-20/40 31 * *").map(\.code) == [.oversizedStep, .skippedMonths])
    }

    @Test(
        "S-1: a step is uneven only where its field starts again right after its end",
        arguments: [
            "0 */7 1 * *", "0 */9 * * 1", "0 0 */2 1 *", "0 0 */2 2 *", "0 0 */2 2,3 *", "0 0 */2 * 1",
            "0 0 0 1 */5 * 2027", "0 0 0 1 */5 * 2027,2029", "0 0 31 */5 *", "0 0 1 * */3", "0 0 L-3 SEP */6",
            "*/7 59,0 9 * * *", "*/7 23,0 1 * *", "*/7 59,0 23,0 1 * *", "0 0 1-31/2 * 0-6",
        ]
    )
    func neverStartsAgain(_ text: String) throws {
        #expect(try !warnings(text).contains { $0.code == .unevenStep })
    }

    @Test(
        "S-1: a step is uneven where its field starts again, if only over midnight or the turn of a year",
        arguments: [
            "0 */7 1,2 * *", "0 */9 * * 1,2", "0 0 */2 12,1 *", "0 0 */2 1,2 *", "0 0 0 1 */5 * 2027,2028",
            "*/7 23,0 1,2 * *", "*/7 59,0 23,0 * * *", "0 */7 28,29 2 *", "0 0 * 2 */2",
        ]
    )
    func startsAgain(_ text: String) throws {
        #expect(try warnings(text).contains { $0.code == .unevenStep })
    }

    @Test("S-1: a step that is too large beside other values is told of its own item only")
    func oversizedInList() throws {
        for (text, messages) in [
            ("0 9,20/6 * * *", ["a step of 6 goes beyond the range: 20/6 is hour 20 only"]),
            (
                "5-10/6,6-6/9 * * * *",
                [
                    "a step of 6 goes beyond the range: 5-10/6 is minute 5 only",
                    "a step of 9 goes beyond the range: 6-6/9 is minute 6 only",
                ]
            ),
            ("*/90,7 * * * *", ["a step of 90 goes beyond the minute field: */90 is minute 0 only"]),
            ("0 0 13 * 3-4/5", ["a step of 5 goes beyond the range: 3-4/5 is Wednesday only"]),
        ] {
            let found = try warnings(text).filter { $0.code == .oversizedStep }
            #expect(found.map(\.message) == messages)
            #expect(found.allSatisfy { $0.hint?.contains("@every") == false })
        }
    }

    @Test("S-2: a time in a gap or an overlap, with the date on which it happens")
    func clockChanges() throws {
        var found = try warnings("30 3 * * *", in: "Europe/Riga")
        #expect(found.map(\.code) == [.clockGap, .clockOverlap])
        #expect(
            found.first?.message
                == "on 2027-03-28 clocks in Europe/Riga go from 03:00 to 04:00: 03:30 does not exist, "
                + "and it fires at 04:00"
        )
        #expect(
            found.last?.message
                == "on 2027-10-31 clocks in Europe/Riga go back from 04:00 to 03:00: 03:30 comes twice, "
                + "and it fires the first time only"
        )
        found = try warnings("*/20 2 * * SUN", in: "America/New_York")
        #expect(
            found.map(\.message) == [
                "on 2027-03-14 clocks in America/New_York go from 02:00 to 03:00: times from 02:00 on do not "
                    + "exist, and it fires once for all of them, at 03:00"
            ]
        )
        found = try warnings("40 1 * * *", in: "Australia/Lord_Howe")
        #expect(found.map(\.code) == [.clockOverlap])
        #expect(try warnings("30 2 * * MON", in: "America/New_York").isEmpty, "clocks change on Sundays")
        #expect(try warnings("30 2 1 1 *", in: "America/New_York").isEmpty)
        #expect(try warnings("30 * * * *", in: "America/New_York").isEmpty, "every hour: elapsed time")
        #expect(try warnings("30 3 * * *", in: "America/New_York").isEmpty)
        #expect(try warnings("30 2 * * *", in: "America/Sao_Paulo").isEmpty, "has given up summer time")
        #expect(try warnings("30 2 * * *", in: "UTC").isEmpty)
    }

    @Test("S-1: a fire that follows the change is what the warning says it is")
    func gapIsTrue() throws {
        let zone = try #require(ZoneRules("Europe/Riga"))
        let expression = try CronExpression("30 3 28 3 *")
        let fire = try #require(expression.nextSecond(after: Self.now, in: zone))
        #expect(fire == 1_806_195_600, "2027-03-28T04:00:00+03:00")
        #expect(zone.offset(at: fire) == 3 * 3_600)
    }

    @Test(
        "S-1: no word about ordinary expressions",
        arguments: [
            "* * * * *", "*/5 * * * *", "*/15 * * * *", "0 * * * *", "5 * * * *", "0 0 * * *", "30 4 * * *",
            "0 9 * * 1-5", "0 9-17 * * MON-FRI", "*/10 9-17 * * MON-FRI", "* 9-17 * * *", "0 0 1 * *",
            "0 0 1,15 * *", "0 0 L * *", "0 0 LW * *", "0 0 15W * *", "0 12 * * SUN", "0 22 * * 6,0",
            "0 0 1 1 *", "0 0 1 */3 *", "0 0 1 1,7 *", "15,45 * * * *", "0 */2 * * *", "0 */6 * * *",
            "0 0,12 * * *", "0 0 * * 5#2", "0 0 * * 5L", "0 0 * * 5#5,1", "0 0 * * 5#5,5#2", "0 0 * * 5#5,5L",
            "0 0 L-27 * *", "0 0 31,L-2 * *",
            "0 0 L-30 1 *", "0 8 28 * *", "0 0 28-31 * *", "0 22-6 * * *",
            "*/10 * * * * *", "0 30 8 * * MON-FRI", "0 0 12 ? * WED", "0 0 12 1 1 ? 2030", "0 0 25 12 ?",
            "10-50/10 * * * *", "0 9-17/2 * * *", "0,45 * * * *", "*/7 4 * * *", "0 0 * 11-2 *",
            "*/7,58 * * * *", "0-59 0-23 1-31 1-12 0-6",
            "@yearly", "@monthly", "@weekly", "@daily", "@hourly", "@every 90m", "@reboot",
            "CRON_TZ=Europe/Riga 0 8 * * *",
        ]
    )
    func ordinary(_ text: String) throws {
        #expect(try warnings(text).isEmpty)
    }

    @Test("S-1: a text that is no expression is an error, not a warning")
    func invalid() {
        #expect(throws: CronSyntaxError.self) { try warnings("*/90 * * *") }
    }

    @Test("S-1: a zone that does not exist brings the one that may have been meant")
    func zones() {
        for (name, near) in [
            ("europe/riga", "Europe/Riga"), ("Riga", "Europe/Riga"), ("US/New York", "America/New_York"),
            ("america/new-york", "America/New_York"), ("Asia/Tokio", nil), ("", nil), ("/", nil),
        ] as [(String, String?)] {
            #expect(ZoneRules.name(near: name) == near)
        }
        #expect(throws: Never.self) { try CronExpression("CRON_TZ=Europe/Riga * * * * *") }
        do {
            _ = try CronExpression("CRON_TZ=Europe/riga-x * * * * *")
        } catch {
            #expect(error.hint == "write an IANA name such as Europe/Riga")
        }
        do {
            _ = try CronExpression("TZ=Riga * * * * *")
        } catch {
            #expect(error.hint == "write Europe/Riga")
        }
    }
}
