internal import AdapterKit
internal import Foundation
internal import PortcullisCore

/// A time zone's offsets from UTC, as a table that is made once and asked often.
///
/// The data is Foundation's; the table goes up to the year 2500. The Gregorian calendar and with it the rules of
/// daylight saving time repeat after 400 years, so that later instants are looked up whole cycles earlier.
public final class ZoneRules: Sendable {
    /// The IANA name, such as `Europe/Zurich`.
    public let name: String

    /// A stretch of time with one offset, in seconds since 1970.
    struct Stretch: Hashable, Sendable {
        /// Its first second; `Int.min` for the first of all.
        var start: Int
        /// The first second after it; `Int.max` for the last of all.
        var end: Int
        /// Seconds to add to UTC for the local time.
        var offset: Int
        /// The latest local time that an earlier stretch has shown; what is not later is shown a second time.
        var reached: Int
    }

    /// 400 years in seconds.
    private static let cycle = Gregorian.daysPerEra * 86_400
    /// 2500-01-01, from where on instants are looked up in the 400 years before.
    static let folding = 16_725_225_600
    /// 1800-01-01, before all zones.
    private static let dawn = -5_364_662_400
    /// No local time is further from UTC than this.
    static let reach = 26 * 3_600
    /// The width of a step of the index as a power of two: 97 days.
    private static let indexShift = 23

    private let stretches: [Stretch]
    /// For each 97 days from `dawn` on the stretch that holds their first second.
    private let index: [UInt16]

    /// UTC.
    public static let utc = ZoneRules(name: "UTC", offset: 0, changes: [])

    /// The version of the time zone data that zones are made from, such as `2025b`: the toolchain's, not the
    /// system's.
    public static var dataVersion: String { TimeZone.timeZoneDataVersion }

    /// The zone with an IANA name.
    ///
    /// Making it takes up to a few milliseconds; keep it. Names such as `GMT+2` are none: what Foundation takes for
    /// two hours east is two hours west in POSIX; `Etc/GMT-2` is the zone two hours east.
    ///
    /// - Returns: `nil` when the data has no such zone.
    public convenience init?(_ name: String) {
        guard let zone = Self.timeZone(name) else { return nil }
        var time = Date(timeIntervalSince1970: Double(Self.dawn))
        let first = zone.secondsFromGMT(for: time)
        var changes: [(Int, Int)] = []
        // Two years more than needed, so that the last stretch before the folding has its true end.
        let end = Date(timeIntervalSince1970: Double(Self.folding + 2 * 366 * 86_400))
        while let next = zone.nextDaylightSavingTimeTransition(after: time), next > time, next < end {
            changes.append((Int(next.timeIntervalSince1970.rounded(.up)), zone.secondsFromGMT(for: next)))
            time = next
        }
        self.init(name: name, offset: first, changes: changes)
    }

    /// Whether the data has a zone of this name.
    static func exists(_ name: String) -> Bool { timeZone(name) != nil }

    private static func timeZone(_ name: String) -> TimeZone? {
        OffsetName(name) == nil ? TimeZone(identifier: name) : nil
    }

    /// A zone of these offsets, for tests.
    ///
    /// - Parameters:
    ///   - name: its name.
    ///   - offset: seconds from UTC before the first change.
    ///   - changes: seconds since 1970, and the offset from then on; in order of time.
    public init(name: String, offset: Int, changes: [(second: Int, offset: Int)]) {
        self.name = name
        var stretches = [Stretch(start: .min, end: .max, offset: offset, reached: .min)]
        for change in changes {
            let last = stretches[stretches.count - 1]
            // Many zones report changes of name or rule that change no offset.
            guard change.offset != last.offset, change.second > last.start else { continue }
            stretches[stretches.count - 1].end = change.second
            stretches.append(
                Stretch(
                    start: change.second,
                    end: .max,
                    offset: change.offset,
                    reached: max(last.reached, change.second - 1 + last.offset)
                )
            )
        }
        var index: [UInt16] = []
        if stretches.count > 1 {
            var place = 0
            let last = min(stretches[stretches.count - 1].start, Self.folding)
            for second in stride(from: Self.dawn, through: last, by: 1 << Self.indexShift) {
                while second >= stretches[place].end { place += 1 }
                index.append(UInt16(clamping: place))
            }
        }
        self.stretches = stretches
        self.index = index
    }

    /// The stretch that holds a second.
    @inline(__always)
    func stretch(at second: Int) -> Stretch {
        if index.isEmpty { return stretches[0] }
        if second >= Self.folding { return folded(second) }
        return stretches[place(of: second)]
    }

    @inline(__always)
    private func place(of second: Int) -> Int {
        if second < Self.dawn { return 0 }
        let step = min((second - Self.dawn) >> Self.indexShift, index.count - 1)
        var place = Int(index[step])
        while second >= stretches[place].end { place += 1 }
        return place
    }

    private func folded(_ second: Int) -> Stretch {
        let shift = ((second - Self.folding) / Self.cycle + 1) * Self.cycle
        var stretch = stretches[place(of: second - shift)]
        // A zone whose changes ended has nothing to repeat.
        guard stretches[stretches.count - 1].start >= Self.folding else {
            return stretches[stretches.count - 1]
        }
        stretch.start += shift
        stretch.end += shift
        stretch.reached += shift
        return stretch
    }

    /// The first second at which the local time is this or later.
    func firstSecond(reaching local: Int) -> Int {
        var stretch = stretch(at: local - Self.reach)
        // The sum is not formed for the last stretch, whose end is no real second.
        while stretch.end != .max, stretch.end + stretch.offset <= local {
            stretch = self.stretch(at: stretch.end)
        }
        return max(stretch.start, local - stretch.offset)
    }

    /// The last stretch whose local time begins at this or earlier, of those that begin before a second.
    func lastStretch(beginningBy local: Int, before second: Int) -> Stretch {
        var stretch = stretch(at: min(local + Self.reach, second - 1))
        while stretch.start != .min, stretch.start + stretch.offset > local {
            stretch = self.stretch(at: stretch.start - 1)
        }
        return stretch
    }
}
