import CronScheduler
import Testing

/// A text that is no expression, and what is said of it.
struct Refused: Sendable, CustomTestStringConvertible {
    var text: String
    var code: String
    var position: Int
    var field: String
    var reason: String
    var hint: String

    var testDescription: String { text.debugDescription }

    static let all: [Refused] = syntaxErrorTable.split(separator: "\n").map { row in
        let parts = row.split(separator: " | ", omittingEmptySubsequences: false).map(String.init)
        return Refused(
            text: String(parts[0].dropFirst().dropLast()),
            code: parts[1],
            position: Int(parts[2]) ?? -1,
            field: parts[3],
            reason: parts[4],
            hint: parts[5]
        )
    }
}

@Suite(.timeLimit(.minutes(10))) struct SyntaxErrorTests {
    @Test("S-1: what is wrong, where, in which field, and what to write instead", arguments: Refused.all)
    func refused(_ refused: Refused) {
        #expect {
            try CronExpression(refused.text)
        } throws: { error in
            guard let error = error as? CronSyntaxError else { return false }
            #expect(error.code.description == refused.code)
            #expect(error.position == refused.position)
            #expect(error.field?.description ?? "none" == refused.field)
            #expect(error.reason == refused.reason)
            #expect(error.hint == refused.hint)
            return true
        }
    }

    @Test("S-1: every kind of mistake is in the table, and every field")
    func table() {
        #expect(Refused.all.count > 120)
        let fields = Set(Refused.all.map(\.field))
        #expect(fields == Set(CronField.allCases.map(\.description) + ["none"]))
        let codes: [CronSyntaxError.Code] = [
            .empty, .fieldCount, .unexpectedText, .outOfRange, .unknownName, .missingValue, .invalidStep,
            .invalidRange, .misplaced, .unknownNickname, .invalidInterval, .unknownZone,
        ]
        #expect(Set(codes.map(\.description)) == Set(Refused.all.map(\.code)))
    }

    @Test("S-1: the error on one line")
    func description() {
        let error = #expect(throws: CronSyntaxError.self) { try CronExpression("* 24 * * *") }
        #expect(error?.description == "hour 24 is out of range 0–23, at character 3; midnight is 0")
    }

    @Test(
        "S-1: characters that nobody sees are named",
        arguments: [
            ("0\u{A0}0 * * *", 1, "U+00A0"), ("0 0 * * *\u{A0}", 9, "U+00A0"), ("0 0 * * *\0", 9, "U+0000"),
            ("\u{200B}0 0 * * *", 0, "U+200B"), ("\u{FEFF}0 0 * * *", 0, "U+FEFF"),
            ("0 0 \u{0B}* * *", 4, "U+000B"),
            ("é\u{2009}0 * * *", 1, "U+2009"), ("0 0 * * *\u{1B}[A", 9, "U+001B"),
            ("CRON_TZ=UTC\u{3000}*", 11, "U+3000"),
        ]
    )
    func invisible(_ text: String, position: Int, name: String) {
        let error = #expect(throws: CronSyntaxError.self) { try CronExpression(text) }
        #expect(error?.code == .unexpectedText)
        #expect(error?.position == position)
        #expect(error?.reason == "the invisible character \(name) cannot stand in an expression")
    }

    @Test("S-1: line breaks around an expression are no part of it, inside it they are refused")
    func lineBreaks() throws {
        let expected = try CronExpression("5 4 * * *")
        for text in ["5 4 * * *\n", "5 4 * * *\r\n", "\n\n5 4 * * * \n", " \t5\t4  * * *\t"] {
            #expect(try CronExpression(text) == expected)
        }
        #expect(try CronExpression("@every 90m\n").interval == .seconds(5_400))
        for (text, position) in [("5 4 * * *\n6 4 * * *\n", 9), ("5 4\r\n* * *", 3), ("@daily\n@weekly", 6)] {
            let error = #expect(throws: CronSyntaxError.self) { try CronExpression(text) }
            #expect(error?.reason == "a line break cannot stand inside an expression")
            #expect(error?.position == position)
        }
        let error = #expect(throws: CronSyntaxError.self) { try CronExpression("\n60 4 * * *") }
        #expect(error?.position == 1)
    }

    @Test("S-1: positions count characters, not bytes")
    func positions() {
        for (text, position) in [("0 0 é 24 *", 4), ("CRON_TZ=Zürich 0 0 * * *", 8), ("👍🏽 0 * * *", 0)] {
            let error = #expect(throws: CronSyntaxError.self) { try CronExpression(text) }
            #expect(error?.position == position)
        }
        let error = #expect(throws: CronSyntaxError.self) { try CronExpression("0 0 * * 5é") }
        #expect(error?.position == 9)
    }

    @Test("S-1: text without end is refused at once, with a short reason")
    func longText() {
        for piece in ["9", "1,", "*/1,", "x", " ", "* ", "\n", "CRON_TZ=", "é", "@every 1d"] {
            let error = #expect(throws: CronSyntaxError.self) {
                try CronExpression(String(repeating: piece, count: 1 << 20) + " * * * *")
            }
            #expect(error?.code == .tooLong)
            // Short enough to be read.
            let shorter = String(repeating: piece, count: 400) + " * * * *"
            if let error = #expect(throws: CronSyntaxError.self, performing: { try CronExpression(shorter) })
            {
                #expect(error.reason.count < 100)
            }
        }
    }

    @Test("S-1: no text does harm")
    func randomText() {
        var random = Seeded(51)
        let letters = Array("*/,-?#LWHlw@ \t\n0123456789MONJAN=_TZ:é\u{301}\u{200D}\0\u{FF}".utf8)
        var accepted = 0
        for round in 0..<10_000 {
            let count = Int.random(in: 0..<40, using: &random)
            let bytes = (0..<count).map { _ in
                round % 2 == 0
                    ? UInt8.random(in: 0...255, using: &random) : letters.randomElement(using: &random) ?? 0
            }
            let text = String(decoding: bytes, as: UTF8.self)
            do throws(CronSyntaxError) {
                let expression = try CronExpression(text)
                accepted += expression.nextSecond(after: 0, in: .utc) == nil ? 0 : 1
            } catch {
                #expect((0...text.count).contains(error.position), "\(text.debugDescription)")
            }
        }
        // Fields of few characters, to which chance gives meaning.
        let few = ["*", "5", "1-5", "*/2", "L", "?", "5#2", "15W", "MON", "3,4", "60", "/", "-"]
        for _ in 0..<10_000 {
            let fields = (0..<Int.random(in: 4...8, using: &random)).map { _ in
                few.randomElement(using: &random) ?? ""
            }
            if let expression = try? CronExpression(fields.joined(separator: " ")) {
                accepted += expression.nextSecond(after: 0, in: .utc) == nil ? 0 : 1
            }
        }
        #expect(accepted > 30)
    }
}
