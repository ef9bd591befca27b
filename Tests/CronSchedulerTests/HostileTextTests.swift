import Testing

@testable import CronScheduler

/// Texts that are made to be answered by kilobytes.
enum HostileText {
    static let longest = 4_096

    /// Filled up with repeated items to the longest text that is read.
    private static func list(_ before: String, _ item: String, _ after: String) -> String {
        let count = (longest - before.utf8.count - after.utf8.count + 1) / (item.utf8.count + 1)
        return before + Array(repeating: item, count: count).joined(separator: ",") + after
    }

    /// Filled up with items that all differ.
    private static func items(_ before: String, _ after: String, _ item: (Int) -> String) -> String {
        var text = before
        for number in 0... {
            let next = (number == 0 ? "" : ",") + item(number)
            guard text.utf8.count + next.utf8.count + after.utf8.count <= longest else { break }
            text += next
        }
        return text + after
    }

    private static func odd(_ values: ClosedRange<Int>, _ item: (Int) -> String) -> String {
        values.filter { $0 % 2 == 1 || $0 % 6 == 0 }.map(item).joined(separator: ",")
    }

    /// As many days, weekdays, months and times as can be named one by one.
    private static let allWords =
        odd(0...59) { "\($0)" } + " " + odd(0...59) { "\($0)" } + " " + odd(0...23) { "\($0)" } + " "
        + odd(1...31) { "\($0)" } + "," + (1...31).map { "\($0)W" }.joined(separator: ",") + ","
        + (0...30).map { "L-\($0),L-\($0)W" }.joined(separator: ",") + " " + odd(1...12) { "\($0)" }
        + " 1,3,5,"
        + (0...6).flatMap { day in (1...5).map { "\(day)#\($0)" } + ["\(day)L"] }.joined(separator: ",")

    /// Expressions that can be read.
    static let expressions = [
        list("", "*/90", " * * * *"), list("0 0 ", "31/40", " * *"), items("", " * * * *") { "*/\(60 + $0)" },
        items("0 0 * * ", "") { "\($0 % 7)/\(7 + $0)" },
        (0..<5).map { unit in (unit..<130).map { "\(unit / 2)/\(60 + $0)" }.joined(separator: ",") }
            .joined(separator: " "),
        list("", "0-59", " * * * *"), "*/7 */50 */5 */13 */7 */5 */3",
        allWords,
        allWords + " "
            + items("", "") { "\(1971 + $0 * 3)-\(1972 + $0 * 3)" }.split(separator: ",")
            .prefix(RareRules.mostYears).joined(separator: ","),
        "CRON_TZ=America/Argentina/ComodRivadavia " + allWords, "0 0 L-30W 2 1#5", "0 0 30 2 *",
        "0 0 0 29 2 1#5 9999",
        "@every 999999999d", String(repeating: "\n", count: 3_000) + "* * * * *",
    ]

    /// Texts that are none.
    static let garbage = [
        items("0 0 1 1 * * ", "") { "\(1970 + $0 * 2 % 8_000)" },
        items("0 0 1 1 * * ", "") { "\($0 % 9 + 1)/\(300 + $0)" },
        "0 0 0 1 1 * */2,*/3", list("0 0 1 1 * * ", "1970", ""),
        "* * * * a" + String(repeating: "\u{301}", count: 2_000),
        String(repeating: "e\u{301}\u{302}\u{303}", count: 500), String(repeating: "x", count: longest),
        String(repeating: "x", count: 100_000), String(repeating: "* ", count: 2_000),
        list("", "a", " * * * *"),
        "@" + String(repeating: "a", count: 2_000) + " b",
        "@" + String(repeating: "\u{1F511}", count: 900) + " b",
        "CRON_TZ=" + String(repeating: "a/", count: 2_000) + " * * * * *",
        "CRON_TZ=GMT+" + String(repeating: "0", count: 3_000) + "2 * * * * *",
        "CRON_TZ=" + String(repeating: "../", count: 1_000) + "etc/passwd * * * * *",
        String(repeating: "A", count: 2_000) + "=1 * * * * *",
        "CRON_TZ=UTC " + String(repeating: "A", count: 2_000) + "=1",
        String(repeating: "\u{200B}", count: 1_300), "@every " + String(repeating: "9", count: 4_000) + "d",
        String(repeating: "9", count: 4_000) + " * * * *",
        "*/" + String(repeating: "0", count: 4_000) + " * * * *",
        "\u{1F468}" + String(repeating: "\u{200D}\u{1F469}", count: 500) + " * * * *",
    ]
}

@Suite("Texts that are made to be answered by kilobytes (S-1)", .timeLimit(.minutes(5)))
struct HostileTextTests {
    @Test(
        "S-1: what is said of an expression stays readable, and its canonical text can be read",
        arguments: HostileText.expressions
    )
    func expressions(_ text: String) throws {
        let expression = try CronExpression(text)
        #expect(expression.description.utf8.count <= 1_800)
        #expect(try CronExpression(expression.description) == expression)
        let warnings = try CronExpression.warnings(
            of: text,
            in: ZoneRules("Europe/Riga"),
            from: 1_767_268_800
        )
        #expect(warnings.count <= 25)
        for field in CronField.allCases {
            let steps = warnings.filter {
                $0.field == field && [.oversizedStep, .unevenStep].contains($0.code)
            }
            #expect(steps.count <= 3 && Set(steps).count == steps.count)
        }
    }

    @Test("S-1: what is wrong is said in a line, however long the text is", arguments: HostileText.garbage)
    func garbage(_ text: String) {
        let error = #expect(throws: CronSyntaxError.self) { try CronExpression(text) }
        #expect((error?.description.utf8.count ?? .max) <= 400)
    }

    @Test(
        "S-1: three steps of a field that are too large are told, a fourth and one that is repeated are not"
    )
    func steps() throws {
        func codes(_ text: String) throws -> Int {
            try CronExpression.warnings(of: text, from: 0).count { $0.code == .oversizedStep }
        }
        #expect(try codes("5/70,6/70,7/70 0 * * *") == 3)
        #expect(try codes("5/70,6/70,7/70,8/70 0 * * *") == 3)
        #expect(try codes("5/70,5/70,6/70 0/40 * * *") == 3)
    }

    @Test(
        "S-1: years come to forty ranges and single years at the most, as they are written and as they are kept"
    )
    func years() throws {
        let years = (0..<41).map { "\(1971 + 3 * $0 + $0 % 2)" }
        #expect(throws: Never.self) {
            try CronExpression("0 0 0 1 1 * " + years.prefix(40).joined(separator: ","))
        }
        for bad in [years.joined(separator: ","), "*/2,*/3"] {
            let error = #expect(throws: CronSyntaxError.self) { try CronExpression("0 0 0 1 1 * " + bad) }
            #expect(error?.code == .tooLong && error?.field == .year)
        }
    }
}
