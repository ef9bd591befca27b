import CronScheduler
import Testing

/// Sentences and texts right where one form gives way to another.
@Suite(.timeLimit(.minutes(10))) struct TextLimitTests {
    @Test(
        "S-1: up to six times are told one by one, more as a pattern",
        arguments: [
            ("5,17,40 3,9 * * *", "At 03:05, 03:17, 03:40, 09:05, 09:17 and 09:40 every day."),
            ("5,17,40 3,9,11 * * *", "At minutes 5, 17 and 40 past 03:00, 09:00 and 11:00 every day."),
            ("5,6,7,9,20,33,40 3 * * *", "At minutes 5 to 7, 9, 20, 33 and 40 past 03:00 every day."),
            ("*/20 9 * * *", "At 09:00, 09:20 and 09:40 every day."),
            ("*/15 9 * * *", "Every 15 minutes from 09:00 to 09:45 every day."),
            ("*/20 9,17 * * *", "At 09:00, 09:20, 09:40, 17:00, 17:20 and 17:40 every day."),
            (
                "*/15 9,17 * * *",
                "Every 15 minutes from 09:00 to 09:45 and from 17:00 to 17:45 every day."
            ),
        ]
    )
    func times(_ text: String, _ sentence: String) throws {
        #expect(try CronExpression(text).explanation == sentence)
    }

    @Test(
        "S-1: up to three stretches of hours are told one by one, more as the hours that begin them",
        arguments: [
            (
                "*/10 1,3,6 * * *",
                "Every 10 minutes from 01:00 to 01:50, from 03:00 to 03:50 and from 06:00 to 06:50 every day."
            ),
            (
                "*/10 1,3,6,8 * * *",
                "Every 10 minutes in the hours that begin at 01:00, 03:00, 06:00 and 08:00 every day."
            ),
        ]
    )
    func stretches(_ text: String, _ sentence: String) throws {
        #expect(try CronExpression(text).explanation == sentence)
    }

    @Test(
        "S-1: an interval is told in one unit up to 120 of it",
        arguments: [
            ("@every 119m", "119m", "119 minutes"), ("@every 121m", "2h1m", "2 hours and 1 minute"),
            ("@every 120h", "5d", "5 days"), ("@every 47h", "47h", "47 hours"),
            ("@every 121s", "2m1s", "2 minutes and 1 second"), ("@every 119s", "119s", "119 seconds"),
        ]
    )
    func intervals(_ text: String, _ canonical: String, _ words: String) throws {
        let expression = try CronExpression(text)
        #expect(expression.description == "@every \(canonical)")
        #expect(expression.explanation == "Every \(words), counted from its start.")
    }

    @Test("S-1: the longest text that is read has 4,096 bytes")
    func longest() throws {
        let text = "* * * * *" + String(repeating: " ", count: 4_096 - 9)
        #expect(try CronExpression(text) == CronExpression("* * * * *"))
        let error = #expect(throws: CronSyntaxError.self) { try CronExpression(text + " ") }
        #expect(error?.code == .tooLong && error?.position == 4_096)
    }

    @Test("S-1: of a word a message shows 32 characters, of a longer one 31")
    func shown() {
        for (count, shown) in [
            (32, String(repeating: "x", count: 32)), (33, String(repeating: "x", count: 31) + "…"),
        ] {
            let text = "TZ=" + String(repeating: "x", count: count) + " * * * * *"
            let error = #expect(throws: CronSyntaxError.self) { try CronExpression(text) }
            #expect(error?.reason == "there is no time zone “\(shown)”")
        }
    }

    @Test("S-1: years whose next step would be the last year there is do not go on to it")
    func lastYears() throws {
        let expression = try CronExpression("0 0 0 1 1 * 9993-9997/2")
        #expect(expression.description == "0 0 0 1 JAN * 9993-9997/2")
        #expect(try expression == CronExpression("0 0 0 1 1 * 9993,9995,9997"))
        let last = try Instant.second("9997-01-01T00:00:00Z")
        #expect(expression.nextSecond(after: last - 1, in: .utc) == last)
        #expect(expression.nextSecond(after: last, in: .utc) == nil)
    }

    @Test(
        "S-1: seven days and a weekday are one weekday of the month only as a whole week of it",
        arguments: [
            ("0 0 1-7 * MON", "for the first Monday write 0 0 * * MON#1"),
            ("0 0 22-28 * MON", "for the fourth Monday write 0 0 * * MON#4"),
            ("0 0 2-8 * MON", nil), ("0 0 1-8 * MON", nil), ("0 0 1-6 * MON", nil), ("0 0 1-7,L * MON", nil),
            ("0 0 1-7 * MON,TUE", nil), ("0 0 1-13/2 * MON", nil),
        ] as [(String, String?)]
    )
    func weeks(_ text: String, _ hint: String?) throws {
        let warnings = try CronExpression.warnings(of: text, from: 1_795_219_200)
        let found = try #require(warnings.first { $0.code == .eitherDay })
        #expect(found.hint == hint ?? "write * for the one that is not to count")
    }

    @Test("S-1: rare dates are told from the day on that is asked about")
    func rareDates() throws {
        for (second, dates) in [
            ("2028-02-29T23:59:59Z", "on 2028-02-29 and next on 2032-02-29"),
            ("2028-03-01T00:00:00Z", "on 2032-02-29 and next on 2036-02-29"),
        ] {
            let warnings = try CronExpression.warnings(of: "0 0 29 2 *", from: Instant.second(second))
            #expect(warnings.map(\.message) == ["years pass between its dates: it fires \(dates)"])
        }
    }

    @Test("S-1: a step of minutes is uneven where one hour follows the other, in the middle of a day too")
    func unevenWithinTheDay() throws {
        func codes(_ text: String) throws -> [CronWarning.Code] {
            try CronExpression.warnings(of: text, from: 0).map(\.code)
        }
        #expect(try codes("*/7 9,10 1 * *") == [.unevenStep])
        #expect(try codes("*/7 9,11 1 * *").isEmpty)
        #expect(try codes("*/7 59,0 9,10 1 * *") == [.unevenStep])
    }

    @Test("S-2: of offsets without a sign that all read alike, those that are zones are named, others not")
    func offsets() {
        #expect(ZoneRules.hint(for: "GMT+12").contains("Etc/GMT+12 for 12 hours west"))
        for name in ["GMT+13", "GMT+14", "UTC+0"] {
            #expect(ZoneRules.hint(for: name) == "write an IANA name such as Europe/Riga")
        }
    }

    @Test("S-1: a step of a seventh field, the years, is never wrong; nor is one where there is no field")
    func otherSteps() throws {
        for text in ["0 0 0 1 1 * */90", "0 0 0 1 1 * 2027/9000", "@daily", "@every 7m"] {
            #expect(try CronExpression.warnings(of: text, from: 0).isEmpty)
        }
    }
}
