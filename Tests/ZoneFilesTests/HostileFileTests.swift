#if os(Linux)
import AdapterKit
import Foundation
import PortcullisCore
import Testing

@testable import CronScheduler
@testable import ZoneFiles

/// Files that are broken, or made to break a reader.
@Suite(.timeLimit(.minutes(10))) struct HostileFileTests {
    private static let good = HandmadeFile(
        changes: [(-1_000_000_000, 1), (0, 0), (1_000_000_000, 2)],
        offsets: [0, 3_600, 10_800],
        footer: "EET-2EEST,M3.5.0/3,M10.5.0/4"
    )

    @Test("S-2: versions 1 to 4 are read; what is before the first change has the first type")
    func versions() throws {
        var file = Self.good
        for version in [0, UInt8(ascii: "2"), UInt8(ascii: "3"), UInt8(ascii: "4")] {
            file.version = version
            let table = try ZoneTable(file: file.bytes)
            #expect(table.offset(at: -1_000_000_001) == 0)
            #expect(table.offset(at: -1_000_000_000) == 3_600)
            #expect(table.offset(at: -1) == 3_600)
            #expect(table.offset(at: 999_999_999) == 0)
            // In September 2001, when the rule has summer time.
            #expect(table.offset(at: 1_000_000_000) == 10_800)
            #expect(table.offset(at: 1_010_000_000) == (version == 0 ? 10_800 : 7_200))
            #expect((table.rule == nil) == (version == 0))
        }
    }

    @Test("S-2: what breaks a rule of the format is damage, and told")
    func damage() {
        var rows: [(String, HandmadeFile)] = []
        func row(_ name: String, _ change: (inout HandmadeFile) -> Void) {
            var file = Self.good
            file.footer = ""
            change(&file)
            rows.append((name, file))
        }
        row("no types") { $0.offsets = [] }
        row("no letters") { $0.letters = [] }
        row("letters without an end") { $0.letters = Array("AAA".utf8) }
        row("a name behind the letters") { $0.nameIndex = 4 }
        row("a kind that is none") { $0.kinds = [2] }
        row("257 types") { $0.offsets = Array(repeating: 0, count: 257) }
        row("an unknown type") { $0.changes[1].type = 3 }
        row("times out of order") { $0.changes[1].second = -1_000_000_001 }
        row("a time twice") { $0.changes[1].second = -1_000_000_000 }
        row("the earliest time") { $0.changes[0].second = .min }
        row("the latest time") { $0.changes[2].second = .max }
        row("an offset of 26 hours") { $0.offsets[1] = 93_600 }
        row("an offset of -25 hours") { $0.offsets[1] = -90_000 }
        row("the least offset") { $0.offsets[1] = Int(Int32.min) }
        row("a version between") { $0.version = UInt8(ascii: "1") }
        row("a count of indicators that is neither") { $0.indicators = 2 }
        row("too many changes") { file in
            file.changes = (0..<4_001).map { ($0, 0) }
        }
        for (name, file) in rows {
            let error = #expect(throws: ZoneFileError.self, "\(name)") { _ = try ZoneTable(file: file.bytes) }
            #expect(error?.code == .damaged, "\(name)")
        }
        var leaps = Self.good
        leaps.leaps = 27
        let error = #expect(throws: ZoneFileError.self) { _ = try ZoneTable(file: leaps.bytes) }
        #expect(error?.code == .leapSeconds)
        let large = #expect(throws: ZoneFileError.self) {
            _ = try ZoneTable(file: Self.good.bytes + [UInt8](repeating: 0, count: 65_536))
        }
        #expect(large?.code == .notAZone)
    }

    @Test("S-2: a footer that contradicts the last change counts from there on, as for zdump")
    func contradiction() throws {
        var file = Self.good
        for (footer, offset) in [("EST5", -18_000), ("EST5EDT,M3.2.0,M11.1.0", -14_400)] {
            file.footer = footer
            let table = try ZoneTable(file: file.bytes)
            #expect(table.offset(at: 999_999_999) == 0)
            #expect(table.offset(at: 1_000_000_000) == offset)
        }
    }

    @Test("S-2: a file that was cut anywhere is damage")
    func cut() {
        let bytes = Self.good.bytes
        for count in bytes.indices {
            let error = #expect(throws: ZoneFileError.self) {
                _ = try ZoneTable(file: Array(bytes[..<count]))
            }
            #expect(error?.code == .damaged)
        }
    }

    @Test(
        "S-2: whatever is changed in a file, it is read or refused, and each answer is in order",
        arguments: 0..<4
    )
    func mutations(_ seed: UInt64) throws {
        var random = SplitMix(state: seed)
        var originals = [Self.good.bytes, HandmadeFile(footer: "XXX3EDT4,0/0,J365/23").bytes]
        if CompiledZones.isPossible {
            let zones = try CompiledZones(isFat: seed % 2 == 0)
            originals += try zones.names.map { try zones.bytes($0) }
        }
        var read = 0
        for _ in 0..<3_000 {
            var bytes = originals.randomElement(using: &random) ?? []
            for _ in 0..<Int.random(in: 1...4, using: &random) {
                // Heads and footers are where it matters.
                let place =
                    switch Int.random(in: 0..<3, using: &random) {
                    case 0: Int.random(in: 0..<min(120, bytes.count), using: &random)
                    case 1: bytes.count - 1 - Int.random(in: 0..<min(60, bytes.count), using: &random)
                    default: Int.random(in: bytes.indices, using: &random)
                    }
                switch Int.random(in: 0..<6, using: &random) {
                case 0: bytes.remove(at: place)
                case 1: bytes.insert(UInt8.random(in: .min ... .max, using: &random), at: place)
                case 2: bytes[place] = [0, 1, 127, 128, 255].randomElement(using: &random) ?? 0
                case 3: bytes[place] ^= 1 << UInt8.random(in: 0..<8, using: &random)
                default:
                    bytes[place] = Array("0123456789,./JM<>-+ABC\n".utf8).randomElement(using: &random) ?? 0
                }
                if bytes.isEmpty { break }
            }
            guard let table = try? ZoneTable(file: bytes) else { continue }
            read += 1
            try check(table, &random)
        }
        #expect(read > 100, "most mutations were refused: \(read)")
    }

    @Test("S-2: a zone whose changes are all before 1800 is searched to an end", arguments: ["AAA-3", ""])
    func longAgo(_ footer: String) throws {
        let file = HandmadeFile(changes: [(-6_000_000_000, 1)], offsets: [0, 10_800], footer: footer)
        let table = try ZoneTable(file: file.bytes)
        var random = SplitMix(state: 7)
        try check(table, &random)
        let rules = ZoneRules(name: "Made/Up", table: table) { true }
        #expect(rules.offset(at: -6_000_000_001) == 0 && rules.offset(at: -6_000_000_000) == 10_800)
    }

    private func check(_ table: ZoneTable, _ random: inout SplitMix) throws {
        let rules = ZoneRules(name: "Made/Up", table: table) { true }
        for second in [Int.min, -1 << 58, -1 << 40, 1 << 40, 1 << 58, .max] {
            _ = (table.offset(at: second), rules.offset(at: second), rules.second(showing: second))
        }
        let every = try CronExpression("*/7 * * * *")
        let daily = try CronExpression("30 2 * * *")
        for _ in 0..<4 {
            let second = Int.random(in: -5_000_000_000...10_000_000_000, using: &random)
            let spans = table.spans(in: second...second + 40_000_000)
            #expect(zip(spans, spans.dropFirst()).allSatisfy { $0.end == $1.start && $0.offset != $1.offset })
            #expect(spans.last?.end == nil && spans.first?.start == second)
            #expect(rules.offset(at: second) == table.offset(at: second))
            for expression in [every, daily] {
                let next = try #require(expression.nextSecond(after: second, in: rules))
                #expect(next > second)
                #expect(expression.previousSecond(before: next + 1, in: rules) == next)
            }
        }
    }
}

struct SplitMix: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xbf58_476d_1ce4_e5b9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94d0_49bb_1331_11eb
        return mixed ^ (mixed >> 31)
    }
}
#endif
