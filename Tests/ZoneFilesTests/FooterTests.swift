import AdapterKit
import Foundation
import PortcullisCore
import Testing

/// What footers say (RFC 9636, 3.3), in files of nothing else.
struct FooterTests {
    private func table(_ footer: String, version: UInt8 = UInt8(ascii: "3")) throws -> ZoneTable {
        try ZoneTable(file: HandmadeFile(version: version, footer: footer).bytes)
    }

    @Test(
        "S-2: the changes of a year are those of the rule",
        arguments: [
            ("CET-1CEST,M3.5.0,M10.5.0/3", 2026, "03-29T01:00:00 7200 10-25T01:00:00 3600"),
            ("EST5EDT,M3.2.0,M11.1.0", 2026, "03-08T07:00:00 -14400 11-01T06:00:00 -18000"),
            ("EST5EDT4,M3.2.0/2,M11.1.0/2:00:00", 2026, "03-08T07:00:00 -14400 11-01T06:00:00 -18000"),
            ("<-02>2<-01>,M3.5.0/-1,M10.5.0/0", 2026, "03-29T01:00:00 -3600 10-25T01:00:00 -7200"),
            ("EET-2EEST,M3.4.4/50,M10.4.4/50", 2026, "03-28T00:00:00 10800 10-23T23:00:00 7200"),
            ("IST-1GMT0,M10.5.0,M3.5.0/1", 2026, "03-29T01:00:00 3600 10-25T01:00:00 0"),
            ("AAA0BBB,J60/0,J300/0", 2027, "03-01T00:00:00 3600 10-26T23:00:00 0"),
            ("AAA0BBB,J60/0,J300/0", 2028, "03-01T00:00:00 3600 10-26T23:00:00 0"),
            ("AAA0BBB,59/0,300/0", 2027, "03-01T00:00:00 3600 10-27T23:00:00 0"),
            ("AAA0BBB,59/0,300/0", 2028, "02-29T00:00:00 3600 10-26T23:00:00 0"),
            (
                "<+1030>-10:30<+11>-11,M10.1.0,M4.1.0", 2026,
                "04-04T15:00:00 37800 10-03T15:30:00 39600"
            ),
            ("AAA-13:30:15BBB-14:45,M11.1.0,M2.1.0/4", 2026, "01-31T13:15:00 48615 10-31T12:29:45 53100"),
            ("AAA+5BBB,M3.5.6/167,M9.1.1/-167:59:59", 2026, "04-04T04:00:00 -14400 08-31T04:00:01 -18000"),
        ]
    )
    func changes(_ footer: String, year: Int, expected: String) throws {
        let table = try table(footer)
        let format = Date.ISO8601FormatStyle().year().month().day().time(includingFractionalSeconds: false)
        let bounds = try [year, year + 1].map {
            Int(try Date("\($0)-01-01T00:00:00Z", strategy: .iso8601).timeIntervalSince1970)
        }
        let told = table.spans(in: bounds[0]...bounds[1] - 1).dropFirst().map { span in
            let date = Date(timeIntervalSince1970: Double(span.start)).formatted(format)
            return "\(date.dropFirst(5)) \(span.offset)"
        }
        #expect(told.joined(separator: " ") == expected)
        // The stretches of all years follow each other without holes.
        var second = -80_000_000_000
        while second < 300_000_000_000 {
            let span = table.span(at: second)
            let end = try #require(span.end)
            #expect(table.span(at: end).start == end && table.span(at: end - 1) == span)
            second = end + 86_400 * 1_500
        }
    }

    @Test(
        "S-2: clocks that never change, also with daylight saving time all the year",
        arguments: [
            ("UTC0", 0), ("<+0545>-5:45", 20_700), ("EST5", -18_000), ("AAA24", -86_400),
            ("<-0330>+3:30", -12_600),
            ("EST5EDT,0/0,J365/25", -14_400), ("XXX3EDT4,0/0,J365/23", -14_400), ("AAA0BBB0,J1,J100", 0),
            ("AAA0BBB,J10/0,J10/1", 0), ("EST5EDT,J1/-167,J365/167", -14_400),
        ]
    )
    func constant(_ footer: String, offset: Int) throws {
        let table = try table(footer)
        for second in [Int.min, -1 << 40, 0, 1_767_225_599, 1_767_243_600, 1 << 50, .max] {
            #expect(table.offset(at: second) == offset)
        }
        #expect(table.spans(in: 0...1 << 34) == [ZoneSpan(start: 0, end: nil, offset: offset)])
    }

    @Test(
        "S-2: what is no rule is damage",
        arguments: [
            "EST", "ES5", "EST5EDT", "EST25", "EST5:60", "EST5:00:60", "EST5:1:1:1", "EST-", "<ES5", "<>5",
            "<E>5", "<EST>",
            "<E_T>5", "E-T5", "5", ",", "EST5EDT,M3.2.0", "EST5EDT,M3.2.0,M11.1.0,",
            "EST5EDT,M3.2.0,M11.1.0 ",
            "EST5EDT,M13.1.0,M11.1.0", "EST5EDT,M0.1.0,M11.1.0", "EST5EDT,M3.0.0,M11.1.0",
            "EST5EDT,M3.6.0,M11.1.0", "EST5EDT,M3.2.7,M11.1.0", "EST5EDT,M3.2,M11.1.0",
            "EST5EDT,M3.2.0/168,M11.1.0", "EST5EDT,M3.2.0/-168,M11.1.0", "EST5EDT,M3.2.0/,M11.1.0",
            "EST5EDT,M3.2.0/2:60,M11.1.0", "EST5EDT,J0,J100", "EST5EDT,J366,J100", "EST5EDT,366,1",
            "EST5EDT,-1,100", "EST5EDT,J1000,J100", "EST5EDT,M3.2.0,M3.2.0/2:30", "EST5EDT,J60/0,59/3",
            "EST5\0", "ÄST5", "EST99999999999999999999",
        ]
    )
    func damage(_ footer: String) {
        let error = #expect(throws: ZoneFileError.self) { _ = try table(footer) }
        #expect(error?.code == .damaged)
    }

    @Test("S-2: times of more than a day are for version 3 and later")
    func versions() throws {
        for footer in ["EST5EDT,M3.2.0/-1,M11.1.0", "EST5EDT,M3.2.0/25,M11.1.0", "EST5EDT,M3.2.0/+1,M11.1.0"]
        {
            for version in "34" { _ = try table(footer, version: try #require(version.asciiValue)) }
            #expect(throws: ZoneFileError.self) { _ = try table(footer, version: UInt8(ascii: "2")) }
        }
        #expect(try table("EST5EDT,M3.2.0/24,M11.1.0", version: UInt8(ascii: "2")).rule != nil)
        // What is later is read as the latest that is known.
        #expect(try table("EST5EDT,M3.2.0/-1,M11.1.0", version: UInt8(ascii: "5")).rule != nil)
    }
}
