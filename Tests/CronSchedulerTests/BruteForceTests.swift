import CronScheduler
import Foundation
import Testing

/// Random expressions in zones that do all that zones do, checked against the plain model.
@Suite(.timeLimit(.minutes(10))) struct BruteForceTests {
    static let zones = [
        "America/New_York", "Europe/London", "Australia/Lord_Howe", "America/Sao_Paulo", "Africa/Cairo",
        "Pacific/Apia", "Asia/Kathmandu", "Antarctica/Troll", "UTC", "America/St_Johns", "Asia/Amman",
        "Africa/Casablanca", "Asia/Pyongyang", "America/Santiago", "Europe/Dublin", "America/Juneau",
    ]

    @Test("S-2: next and previous are those of the plain model", arguments: zip(zones, zones.indices))
    func model(_ name: String, seed: Int) throws {
        try check(name, seed: UInt64(seed), windows: 14)
    }

    @Test("S-2: next and previous are those of the plain model in any zone")
    func anyZone() throws {
        var random = Seeded(11)
        for _ in 0..<20 {
            let name = try #require(ZoneRules.allNames.randomElement(using: &random))
            try check(name, seed: random.next() >> 32, windows: 3)
        }
    }

    @Test("S-2: next and previous are those of the plain model in zones that nobody has")
    func madeUpZones() {
        var random = Seeded(12)
        for _ in 0..<50 {
            let seed = random.next() >> 32
            var changes: [(second: Int, offset: Int)] = []
            var second = Int.random(in: -4_000_000_000..<8_000_000_000, using: &random)
            let first = Int.random(in: -50_000...50_000, using: &random)
            var offset = first
            for _ in 0..<6 {
                // Some so near to each other that a wall time is shown three times, or skipped and shown.
                second += Int.random(
                    in: 1_300..<(Bool.random(using: &random) ? 9_000 : 300_000),
                    using: &random
                )
                let step = Int.random(in: -12_000...12_000, using: &random)
                offset = min(max(offset + step, -80_000), 80_000)
                changes.append((second, offset))
            }
            let rules = ZoneRules(name: "Made/Up", offset: first, changes: changes)
            let changed = changes
            check(rules, around: changes[3].second, seed: seed) { asked in
                changed.last { $0.second <= asked }?.offset ?? first
            }
        }
    }

    private func check(_ name: String, seed: UInt64, windows: Int) throws {
        var random = Seeded(seed)
        // Where its data has changes, there are some worth a look in the system's.
        let zone = TimeZone(identifier: name) ?? .gmt
        let rules = try #require(ZoneRules(name))
        for window in 0..<windows {
            var center = Int.random(in: -2_200_000_000..<4_100_000_000, using: &random)
            if window % 4 > 0 {
                let asked = Date(timeIntervalSince1970: Double(center / (window % 2 + 1)))
                if let change = zone.nextDaylightSavingTimeTransition(after: asked) {
                    center = Int(change.timeIntervalSince1970)
                }
            }
            check(rules, around: center, seed: random.next() >> 32) { rules.offset(at: $0) }
        }
    }

    /// Checks one expression at a score of instants around one.
    private func check(_ zone: ZoneRules, around center: Int, seed: UInt64, offset: (Int) -> Int) {
        var generator = ExpressionGenerator(seed: seed)
        let text = generator.expression()
        let window = PlainWindow(PlainExpression(text), around: center, offset: offset)
        guard let expression = try? CronExpression(text) else {
            Issue.record("\(text) is refused")
            return
        }
        let context: Comment = "\(text) in \(zone.name), seed \(seed)"
        let changes = window.changes.filter { window.valid.contains($0) }
        var instants = changes.flatMap { [$0 - 1, $0, $0 + 1, $0 - 1_800, $0 + 1_800] }
        for _ in 0..<6 { instants.append(Int.random(in: window.valid, using: &generator.random)) }
        for _ in 0..<3 {
            guard let fire = window.fires.randomElement(using: &generator.random) else { break }
            if window.valid.contains(fire) { instants += [fire - 1, fire, fire + 1] }
        }
        for instant in instants where window.valid.contains(instant) {
            let next = expression.nextSecond(after: instant, in: zone)
            if let expected = window.next(after: instant) {
                #expect(next == expected, "next after \(instant): \(context)")
            } else {
                #expect(next ?? .max >= window.valid.upperBound, "next after \(instant): \(context)")
            }
            let previous = expression.previousSecond(before: instant, in: zone)
            if let expected = window.previous(before: instant) {
                #expect(previous == expected, "previous before \(instant): \(context)")
            } else {
                #expect(previous ?? .min < window.valid.lowerBound, "previous before \(instant): \(context)")
            }
        }
    }
}
