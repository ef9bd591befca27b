import PortcullisCore
import Testing

@testable import step_goal

@Suite("CSV")
struct TableTests {
    private func read(_ text: String, pieces: Int = .max) throws -> [StepSample] {
        try samples(StepTable(), in: Array(text.utf8), pieces: pieces)
    }

    @Test("columns in any order, quotes, marks and line ends, with a border at every byte")
    func forms() throws {
        let text =
            "\u{FEFF}Steps,\"source\",note,DATE\r\n120,\"Zoë, \"\"new\"\"\r\nphone\",x,2026-03-01 08:00:00 +0100\n"
            + "\n7,,\"\",2026-03-02\r8,b,c,2026-03-03T09:30:00Z"
        let expected = [
            StepSample(
                date: CivilDate(year: 2026, month: 3, day: 1),
                hour: .init(number: 8, offset: 60),
                steps: 120,
                source: "Zoë, \"new\"\r\nphone"
            ),
            StepSample(date: CivilDate(year: 2026, month: 3, day: 2), hour: nil, steps: 7, source: ""),
            StepSample(
                date: CivilDate(year: 2026, month: 3, day: 3),
                hour: .init(number: 9, offset: 0),
                steps: 8,
                source: "b"
            ),
        ]
        for size in [1, 2, 3, 5, 8, Int.max] { #expect(try read(text, pieces: size) == expected) }
        for border in 0..<text.utf8.count {
            let bytes = Array(text.utf8)
            var table = StepTable()
            var found: [StepSample] = []
            try table.take(bytes.span.extracting(..<border)) { found.append($0) }
            try table.take(bytes.span.extracting(border...)) { found.append($0) }
            try table.finish { found.append($0) }
            #expect(found == expected, "border at byte \(border)")
        }
    }

    @Test("a byte order mark before quotes, as some programs write it, with a border at every byte")
    func quotesAfterMark() throws {
        let text = "\u{FEFF}\"date\",\"steps\"\r\n\"2026-03-01\",\"5\"\r\n"
        let expected = [
            StepSample(date: CivilDate(year: 2026, month: 3, day: 1), hour: nil, steps: 5, source: "")
        ]
        for size in 1...text.utf8.count { #expect(try read(text, pieces: size) == expected) }
    }

    @Test(
        "what is not well-formed is an error at its byte",
        arguments: [
            ("", 0, "there is no line of column names"),
            ("a,b\n", 0, "the first line names no columns date and steps"),
            ("date,steps\n2026-03-01\n", 11, "1 fields where there are 2 columns"),
            ("date,steps\n2026-03-01,1,2\n", 11, "3 fields where there are 2 columns"),
            ("date,steps\n1 March,1\n", 11, "no date such as 2026-03-01 or 2026-03-01 08:00:00 +0100"),
            ("date,steps\n2026-02-29,1\n", 11, "no date such as 2026-03-01 or 2026-03-01 08:00:00 +0100"),
            ("date,steps\n2026-03-01,few\n", 11, "steps are a number from 0 to 1000000"),
            ("date,steps\n2026-03-01,-1\n", 11, "steps are a number from 0 to 1000000"),
            ("date,steps\n2026-03-01,7\n2026-03-01,1e308\n", 24, "steps are a number from 0 to 1000000"),
            ("date,steps\n2026-03-01,1000001\n", 11, "steps are a number from 0 to 1000000"),
            ("date,steps\n2026-03-01,nan\n", 11, "steps are a number from 0 to 1000000"),
            ("date,steps\n2026-03-01,\"1", 24, "the file ends inside of quotes"),
            ("date,steps\n2026-03-01,1\"\n", 23, "quotes inside of a field"),
            ("date,steps\n\"2026-03-01\"x,1\n", 23, "something after quotes"),
        ]
    )
    func faults(text: String, offset: Int, reason: String) {
        for size in [1, Int.max] {
            let error = #expect(throws: StepFileError.self) { try read(text, pieces: size) }
            #expect(error == StepFileError(offset: offset, reason: reason), "in pieces of \(size)")
        }
    }
}
