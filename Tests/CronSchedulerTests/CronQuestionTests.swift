import CronScheduler
import PortcullisCore
import Testing

/// Questions about expressions, as a program or a person asks them.
@Suite("Questions about an expression", .timeLimit(.minutes(5)))
struct CronQuestionTests {
    private static let defaults = CronQuestion(expression: "", zone: ZoneSetting(name: "UTC"))

    private func inquiry(_ question: CronQuestion) throws(CronQuestionError) -> CronInquiry {
        var zones = ZoneCache()
        return try CronInquiry(question, &zones)
    }

    private func times(_ question: CronQuestion, back: Bool = false) throws -> [String] {
        let inquiry = try inquiry(question)
        var times: [String] = []
        let tell = { (second: Int) in times.append(TimeStamp.text(second, in: inquiry.zone)) }
        let count = back ? inquiry.previous(now: .zero, tell) : inquiry.next(now: .zero, tell)
        #expect(count == times.count)
        return times
    }

    @Test("S-2: the times that follow, and those before, from a time with an offset or by the zone's clocks")
    func answers() throws {
        var question = CronQuestion(
            expression: "0 9 * * *",
            zone: ZoneSetting(name: "Europe/Riga"),
            time: "2026-11-21T09:00:00+02:00",
            count: 2
        )
        let days = ["2026-11-22T09:00:00+02:00", "2026-11-23T09:00:00+02:00"]
        #expect(try times(question) == days)
        question.time = "2026-11-21T09:00"
        #expect(try times(question) == days)
        #expect(try times(question, back: true).first == "2026-11-20T09:00:00+02:00")
        // A fraction later, the time itself went before.
        question.time = "2026-11-21T09:00:00.5"
        #expect(try times(question, back: true).first == "2026-11-21T09:00:00+02:00")
        question.time = nil
        #expect(try times(question).first == "1970-01-01T09:00:00+03:00")
        question.expression = "CRON_TZ=UTC 0 0 30 2 *"
        #expect(try times(question).isEmpty)
        #expect(try inquiry(question).zone.name == "UTC")
    }

    private static let mistakes: [(CronQuestion, field: String?, position: Int?)] = [
        (CronQuestion(expression: "0 9 * *", zone: ZoneSetting(name: "UTC")), nil, 7),
        (CronQuestion(expression: "0 9 * * *", zone: ZoneSetting(name: "Europe/Rigga")), "tz", nil),
        (
            CronQuestion(
                expression: "0 9 * * *",
                zone: ZoneSetting(name: "?", isEnvironment: true)
            ), "tz", nil
        ),
        (CronQuestion(expression: "0 9 * * *", zone: ZoneSetting(name: "UTC"), count: 0), "count", nil),
        (
            CronQuestion(
                expression: "0 9 * * *",
                zone: ZoneSetting(name: "UTC"),
                count: CronQuestion.most + 1
            ), "count", nil
        ),
        (
            CronQuestion(
                expression: "0 9 * * *",
                zone: ZoneSetting(name: "UTC"),
                time: "tomorrow",
                timeName: "before"
            ), "before", nil
        ),
    ]

    @Test("S-1: a mistake names its member, or its place in the expression", arguments: mistakes)
    func wrong(_ row: (question: CronQuestion, field: String?, position: Int?)) {
        let error = #expect(throws: CronQuestionError.self) { try inquiry(row.question) }
        #expect(error?.position == row.position)
        if row.position == nil { #expect(error?.field == row.field) }
        #expect(error?.reason.isEmpty == false)
    }

    @Test("S-1: a reason that quotes something long is cut")
    func long() {
        var question = Self.defaults
        question.expression = "0 9 * * *"
        question.zone.name = String(repeating: "x", count: 5_000)
        let error = #expect(throws: CronQuestionError.self) { try inquiry(question) }
        #expect((error?.reason.utf8.count ?? .max) < 600)
    }

    private static let lines: [(String, CronQuestion?, field: String?)] = [
        (#"{"expr":"@daily"}"#, CronQuestion(expression: "@daily", zone: ZoneSetting(name: "UTC")), nil),
        (
            #"{"expr":"@daily","tz":"Europe/Riga","after":"2026-11-21","count":3.0}"#,
            CronQuestion(
                expression: "@daily",
                zone: ZoneSetting(name: "Europe/Riga"),
                time: "2026-11-21",
                count: 3
            ), nil
        ),
        (#"{"tz":"UTC"}"#, nil, "expr"), (#"{"expr":7}"#, nil, "expr"),
        (#"{"expr":"*","count":1.5}"#, nil, "count"),
        ("[]", nil, nil), ("", nil, nil), ("nonsense", nil, nil),
    ]

    @Test("S-1: a line of JSON is a question, or says which member is none", arguments: lines)
    func objects(_ row: (text: String, question: CronQuestion?, field: String?)) {
        var found: CronQuestion?
        do throws(CronQuestionError) {
            found = try CronQuestionReader(defaults: Self.defaults).question(in: Array(row.text.utf8))
        } catch {
            #expect(error.field == row.field)
        }
        #expect(found == row.question)
    }

    @Test(
        "S-2: times as ISO 8601 has them are read, and all else is not",
        arguments: [
            ("2026-11-21", 1_795_219_200), ("2026-11-21T00:00:01Z", 1_795_219_201),
            ("2026-11-21 02:00+02", 1_795_219_200), ("2026-11-21t01:30:00+0130", 1_795_219_200),
            ("1970-01-01T01:36:14+01:36:14", 0), ("+10000-01-01", 253_402_300_800), ("2026-02-29", nil),
            ("2026-11-21T24:00", nil), ("2026-11-21T00:00:00+02:00 ", nil),
            ("2026-11-21T00:00:00Zz", nil), ("26-11-21", nil), ("", nil),
        ] as [(String, Int?)]
    )
    func stamps(_ text: String, second: Int?) throws {
        let utc = try #require(ZoneRules("UTC"))
        #expect(TimeStamp(text)?.second(in: utc) == second)
        guard let second else { return }
        #expect(
            TimeStamp(TimeStamp.text(second, in: utc))?.second(in: utc) == second,
            "it reads what it writes"
        )
    }

    @Test("S-2: a year before 0 is written with its sign")
    func yearBeforeZero() throws {
        let utc = try #require(ZoneRules("UTC"))
        #expect(TimeStamp.text(-62_198_755_200, in: utc) == "-0001-01-01T00:00:00+00:00")
    }
}
