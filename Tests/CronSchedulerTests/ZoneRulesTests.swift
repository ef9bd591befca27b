import CronScheduler
import Foundation
import Testing

/// The table of offsets, seen from outside: an expression of nothing but the local time at an instant has to find that
/// instant again, or, where the clock shows it a second time, the first. That offsets are right is the tests' of zone
/// files; Foundation's, of other versions and of zones merged before 1970, are compared where both have the same.
@Suite(.timeLimit(.minutes(10))) struct ZoneRulesTests {
    @Test("S-2: local times of all zones from 1900 to 2450 are found again", arguments: 0..<4)
    func allZones(_ quarter: Int) throws {
        var random = Seeded(UInt64(21 + quarter))
        let names = ZoneRules.allNames
        for place in stride(from: quarter, to: names.count, by: 4) {
            let zone = try PlainZone(names[place])
            for _ in 0..<8 {
                try zone.check(Int.random(in: -2_208_988_800..<15_147_000_000, using: &random))
                let change = try zone.change(
                    after: Int.random(in: -2_208_988_800..<6_000_000_000, using: &random)
                )
                try zone.check(change - 1)
                try zone.check(change)
            }
        }
    }

    @Test(
        "S-2: offsets are right where the table ends and far beyond",
        arguments: [
            "America/New_York", "Europe/London", "Australia/Lord_Howe", "Africa/Cairo", "Antarctica/Troll",
            "Asia/Kathmandu", "America/Santiago", "Africa/Casablanca", "Asia/Gaza", "UTC",
        ]
    )
    func farFuture(_ name: String) throws {
        var random = Seeded(25)
        let zone = try PlainZone(name)
        // The table ends with the year 2499.
        let end = 16_725_225_600
        for near in [end - 1, end, end + 1] { try zone.check(near) }
        let spans = [2_499...2_500, 2_900...2_901, 5_000...5_004, 9_990...9_998]
        for years in spans {
            let first = Self.start(of: years.lowerBound)
            for _ in 0..<10 {
                let instant = Int.random(in: first..<Self.start(of: years.upperBound + 1), using: &random)
                try zone.check(instant)
                let change = try zone.change(after: instant)
                if change < Self.start(of: years.upperBound + 1) {
                    try zone.check(change - 1)
                    try zone.check(change)
                }
            }
        }
    }

    @Test(
        "S-2: summer and winter time go on beyond the table's end",
        arguments: [2_450, 2_501, 2_750, 3_333, 9_998]
    )
    func farOffsets(_ year: Int) throws {
        let zone = try #require(ZoneRules("Europe/Berlin"))
        #expect(zone.offset(at: Self.start(of: year) + 10 * 86_400) == 3_600)
        #expect(zone.offset(at: Self.start(of: year) + 190 * 86_400) == 7_200)
    }

    @Test("S-2: local mean times with seconds are kept")
    func localMeanTime() throws {
        // Amsterdam's clocks were 19 minutes and 32 seconds ahead of Greenwich, Monrovia's 44:30 behind until 1972.
        for (name, year) in [("Africa/Monrovia", 1971), ("America/New_York", 1880), ("Asia/Kolkata", 1850)] {
            let zone = try PlainZone(name)
            let offset = zone.offset(Self.start(of: year))
            #expect(offset % 60 != 0)
            try zone.check(Self.start(of: year) + 5_000)
        }
    }

    @Test(
        "S-2: instants that no calendar holds have an offset, too",
        arguments: ["UTC", "Europe/Riga", "Asia/Tokyo"]
    )
    func endsOfTime(_ name: String) throws {
        let zone = try #require(ZoneRules(name))
        for second in [Int.min, .min + 1, -(1 << 60), 1 << 60, .max - 1, .max] {
            #expect(abs(zone.offset(at: second)) < 86_400)
            #expect((zone.second(showing: second) > 0) == (second > 0))
        }
    }

    @Test("S-2: a zone that does not exist is none")
    func unknown() {
        #expect(ZoneRules("Europe/Atlantis") == nil)
        #expect(ZoneRules("") == nil)
        #expect(!ZoneRules.dataVersion.isEmpty)
    }

    @Test(
        "S-2: offsets with opposite meanings in POSIX and Foundation are no zones; both zones are named",
        arguments: ["GMT+2", "UTC+2", "GMT-2", "UTC+0", "GMT+0230", "GMT+02:30", "UTC2", "GMT+14"]
    )
    func offsetNames(_ name: String) {
        #expect(ZoneRules(name) == nil)
        let error = #expect(throws: CronSyntaxError.self) { try CronExpression("CRON_TZ=\(name) 0 0 * * *") }
        #expect(error?.code == .unknownZone)
        #expect(error?.position == 8)
        #expect(error?.hint == ZoneRules.hint(for: name))
    }

    @Test("S-2: the zones of an offset have the sign that their hint says")
    func offsetHints() throws {
        #expect(
            ZoneRules.hint(for: "GMT+2")
                == "GMT+2 has two meanings: write Etc/GMT-2 for 2 hours east of Greenwich, "
                + "Etc/GMT+2 for 2 hours west of it"
        )
        #expect(ZoneRules.hint(for: "utc-1").contains("Etc/GMT-1 for 1 hour east of Greenwich"))
        #expect(ZoneRules.hint(for: "etc/gmt+2").contains("Etc/GMT+2 for 2 hours west"))
        #expect(ZoneRules.hint(for: "GMT+0230") == "write an IANA name such as Europe/Riga")
        #expect(try #require(ZoneRules("Etc/GMT-2")).offset(at: 0) == 7_200)
        #expect(try #require(ZoneRules("Etc/GMT+2")).offset(at: 0) == -7_200)
        for name in ["GMT", "UTC", "GMT0", "GMT+0", "GMT-0", "Etc/UTC", "Etc/GMT", "Zulu"] {
            #expect(try #require(ZoneRules(name)).offset(at: 0) == 0)
        }
        for (name, near) in [("utc", "UTC"), ("Etc/utc", "Etc/UTC"), ("zulu", "Zulu"), ("gmt", "GMT")] {
            #expect(ZoneRules.hint(for: name) == "write \(near)")
        }
    }

    /// The day numbers of the first days of the years 2000 to 2399.
    private static let newYears = PlainDate.cycle.indices
        .filter { PlainDate.cycle[$0].month == 1 && PlainDate.cycle[$0].day == 1 }
        .map { PlainDate.cycleStart + $0 }

    private static func start(of year: Int) -> Int {
        let cycles = Int((Double(year - 2_000) / 400).rounded(.down))
        return (newYears[year - 2_000 - cycles * 400] + cycles * 146_097) * 86_400
    }
}

/// A zone as Foundation has it, and the table made of it.
private struct PlainZone {
    let zone: TimeZone
    let rules: ZoneRules

    init(_ name: String) throws {
        // Where it has changes, there are some worth a look in the system's data.
        zone = TimeZone(identifier: name) ?? .gmt
        rules = try #require(ZoneRules(name))
    }

    func offset(_ second: Int) -> Int { rules.offset(at: second) }

    func change(after second: Int) throws -> Int {
        let date = Date(timeIntervalSince1970: Double(second))
        return zone.nextDaylightSavingTimeTransition(after: date).map { Int($0.timeIntervalSince1970) }
            ?? second
    }

    /// The years of which both are to have the same, where they are of one version; names such as EET, which are links
    /// to places since 2024, apart.
    private static let common = 0..<2_145_916_800

    func check(_ second: Int) throws {
        if Self.common.contains(second), ZoneRules.dataVersion == TimeZone.timeZoneDataVersion,
            zone.identifier == rules.name, rules.name.contains("/")
        {
            let date = Date(timeIntervalSince1970: Double(second))
            #expect(offset(second) == zone.secondsFromGMT(for: date), "\(rules.name) at \(second)")
        }
        let local = second + offset(second)
        let time = ((local % 86_400) + 86_400) % 86_400
        let date = PlainDate(number: (local - time) / 86_400)
        let clock = "\(time % 60) \(time / 60 % 60) \(time / 3_600)"
        let expression = try CronExpression("\(clock) \(date.day) \(date.month) * \(date.year)")
        let found = try #require(
            expression.previousSecond(before: second + 1, in: rules),
            "\(rules.name) never shows \(date) \(clock)"
        )
        #expect(found + offset(found) == local, "\(rules.name) at \(second)")
        #expect(expression.nextSecond(after: found - 1, in: rules) == found)
        #expect(expression.nextSecond(after: second, in: rules) == nil)
    }
}
