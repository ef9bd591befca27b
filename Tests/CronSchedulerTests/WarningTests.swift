import CronScheduler
import Testing

@Suite(.timeLimit(.minutes(10))) struct WarningTests {
    /// 2026-11-21T00:00:00Z.
    private static let now = 1_795_219_200

    private func warnings(_ text: String, in zone: String? = nil) throws -> [CronWarning] {
        let zone = try zone.map { try #require(ZoneRules($0)) }
        return try CronExpression.warnings(of: text, in: zone, from: Self.now)
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
