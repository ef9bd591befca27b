#if os(Linux)
import AdapterKit
import Foundation
import PortcullisCore
import Testing

@testable import CronScheduler

/// The reader beside `zdump`, on files that the test compiles.
@Suite(.enabled(if: CompiledZones.isPossible, "zic and zdump are not installed"), .timeLimit(.minutes(10)))
struct ZdumpTests {
    @Test("S-2: every change from 1900 to 2100 is zdump's, and no other", arguments: [false, true])
    func sample(isFat: Bool) throws {
        let zones = try CompiledZones(isFat: isFat)
        #expect(zones.names.count == 16)
        for name in zones.names { try Self.compare(name, of: zones) }
    }

    @Test("S-2: files of either width are the same zone, from the year 0 to 9999")
    func widths() throws {
        let (slim, fat) = (try CompiledZones(), try CompiledZones(isFat: true))
        for name in slim.names {
            let (one, other) = (
                try ZoneTable(file: slim.bytes(name)), try ZoneTable(file: fat.bytes(name))
            )
            let rules = [one, other].map { ZoneRules(name: name, table: $0) { true } }
            for second in stride(from: -62_167_219_200, to: 253_402_300_800, by: 86_400 * 97 + 11) {
                // Of Gaza's Ramadans after 2072 zic 2.36 writes none into narrow files.
                if name != "Asia/Gaza" || second < 3_240_000_000 {
                    #expect(one.offset(at: second) == other.offset(at: second))
                }
                #expect(rules[0].offset(at: second) == one.offset(at: second))
                #expect(rules[1].offset(at: second) == other.offset(at: second))
            }
        }
    }

    /// The same for all zones of a database; the differences to Foundation's data are told, not judged.
    @Test(
        "S-2: every change of the system's whole database is zdump's",
        .enabled(if: ProcessInfo.processInfo.environment["PORTCULLIS_ZONES"] != nil)
    )
    func all() throws {
        let text = ProcessInfo.processInfo.environment["PORTCULLIS_ZONES"] ?? ""
        let zones = try CompiledZones(text)
        let fat = try CompiledZones(text, isFat: true)
        var differences: [String] = []
        for name in zones.names {
            try Self.compare(name, of: zones)
            try Self.compare(name, of: fat)
            let own = try ZoneTable(file: zones.bytes(name))
            guard let zone = TimeZone(identifier: name) else {
                differences.append("\(name): unknown to Foundation")
                continue
            }
            let seconds = stride(from: -2_208_988_800, to: 4_102_444_800, by: 21_600).filter { second in
                own.offset(at: second)
                    != zone.secondsFromGMT(for: Date(timeIntervalSince1970: Double(second)))
            }
            guard let first = seconds.first, let last = seconds.last else { continue }
            let days = [first, last].map {
                Date(timeIntervalSince1970: Double($0)).formatted(.iso8601.year().month().day())
            }
            differences.append("\(name): \(days[0]) to \(days[1]), \(seconds.count / 4) days in all")
        }
        print("zones: \(zones.names.count), with other offsets in Foundation: \(differences.count)")
        for difference in differences { print(difference) }
    }

    private static func compare(_ name: String, of zones: CompiledZones) throws {
        let table = try ZoneTable(file: zones.bytes(name))
        let rules = ZoneRules(name: name, table: table) { true }
        let expected = try zones.dump(name)
        for (second, offset) in expected {
            #expect(table.offset(at: second) == offset, "\(name) at \(second)")
            #expect(rules.offset(at: second) == offset, "\(name) at \(second)")
        }
        // zdump tells each change by the second before it and its own.
        let told = Set(expected.map(\.second))
        let (start, end) = (-2_208_988_800, 4_102_444_800 - 1)
        let spans = table.spans(in: start...end)
        for span in spans.dropFirst() {
            #expect(told.contains(span.start), "\(name) changes at \(span.start)")
            #expect(rules.stretch(at: span.start).start == span.start)
            #expect(rules.stretch(at: span.start - 1).end == span.start)
        }
        // Offsets between two changes are those at the first of them.
        for (before, after) in zip(expected, expected.dropFirst()) where before.offset != after.offset {
            #expect(after.second == before.second + 1 || table.span(at: after.second).start > before.second)
        }
    }
}
#endif
