internal import AdapterKit

/// A time zone's offsets from UTC, in a table that is made once and read often.
///
/// On Linux the data comes from the system's zone files, on other systems from Foundation. A zone file's
/// table covers the years up to 2037, and the rule at the file's end covers the years after. Foundation has
/// no such rules, so its table goes up to the year 2500. For a later instant, the table is read at an instant
/// that is 400 years or a multiple of 400 years earlier. The Gregorian calendar repeats after 400 years, and
/// the rules of daylight saving time repeat with it.
public final class ZoneRules: Sendable {
    /// The IANA name, such as `Europe/Zurich`.
    public let name: String

    /// A stretch of time with one offset. Its times are in seconds since 1970.
    struct Stretch: Hashable, Sendable {
        /// The first second of the stretch; `Int.min` if it is the first stretch.
        var start: Int
        /// The first second after the stretch; `Int.max` if it is the last stretch.
        var end: Int
        /// The number of seconds to add to UTC for the local time.
        var offset: Int
        /// The latest local time that the clocks showed in all earlier stretches. Every local time of this
        /// stretch up to this value is shown for a second time.
        var reached: Int
    }

    /// The number of seconds in 400 years.
    private static let cycle = Gregorian.daysPerEra * 86_400
    /// The second at which 2500-01-01 begins. If the zone has no rule, instants from this second on are
    /// looked up in the 400 years before this second.
    static let folding = 16_725_225_600
    /// The second at which 1800-01-01 begins, which lies before the first change of every real zone.
    static let dawn = ZoneTable.dawn
    /// The second at which 2038-01-01 begins. If a zone file's changes end earlier, its rule fills the table
    /// up to this second.
    private static let ruled = 2_145_916_800
    /// The largest distance of a local time from UTC, in seconds: 26 hours.
    static let reach = 26 * 3_600
    /// The binary logarithm of the width of an index step in seconds. A step of 2^23 seconds is 97 days.
    private static let indexShift = 23

    /// The border between two stretches. It takes half the memory of a stretch.
    private struct Border {
        var start: Int
        var offset: Int32
        /// The difference between the latest local time that the clocks showed before the border, and the
        /// last second of UTC before the border.
        var reachedOffset: Int32
    }

    private let borders: [Border]
    /// The index of the table: for each period of 97 days from `dawn` on, the number of the stretch at the
    /// first second of the period.
    private let index: [UInt16]
    /// The rule for the years after the table, if the zone comes from a file.
    private let rule: ZoneRule?
    /// The second at which the table ends. The rule applies from this second on. Without a rule, later
    /// instants are looked up in earlier years.
    private let tableEnd: Int
    /// Returns whether the system's data is still the same as when the zone was made.
    private let isCurrentNow: @Sendable () -> Bool

    /// The zone UTC.
    public static let utc = ZoneRules(name: "UTC", offset: 0, changes: [])

    /// Makes a zone of these offsets.
    ///
    /// - Parameters:
    ///   - name: the zone's name.
    ///   - offset: the offset from UTC in seconds before the first change.
    ///   - changes: the second since 1970 of each change, and the offset from then on, in the order of time.
    public convenience init(name: String, offset: Int, changes: [(second: Int, offset: Int)]) {
        let changes = changes.lazy.map { ZoneTable.Change(second: $0.second, offset: $0.offset) }
        self.init(name: name, offset: offset, changes: changes, rule: nil) { true }
    }

    /// Makes the zone of a file.
    ///
    /// - Parameter isCurrent: returns whether the file is still the same.
    convenience init(name: String, table: ZoneTable, isCurrent: @escaping @Sendable () -> Bool) {
        self.init(
            name: name,
            offset: table.firstOffset,
            changes: table.changes(before: Self.ruled),
            rule: table.rule,
            isCurrent: isCurrent
        )
    }

    private init(
        name: String,
        offset: Int,
        changes: some Sequence<ZoneTable.Change>,
        rule: ZoneRule?,
        isCurrent: @escaping @Sendable () -> Bool
    ) {
        self.name = name
        self.rule = rule
        self.isCurrentNow = isCurrent
        var borders = [Border(start: .min, offset: Int32(clamping: offset), reachedOffset: 0)]
        borders.reserveCapacity(changes.underestimatedCount + 1)
        var reached = Int.min
        for change in changes {
            let last = borders[borders.count - 1]
            // Many zones have changes of name or rule that do not change the offset. These changes are left
            // out.
            guard change.offset != Int(last.offset), change.second > last.start else { continue }
            reached = max(reached, change.second - 1 + Int(last.offset))
            borders.append(
                Border(
                    start: change.second,
                    offset: Int32(clamping: change.offset),
                    reachedOffset: Int32(clamping: reached - change.second + 1)
                )
            )
        }
        let last = borders[borders.count - 1].start
        var index: [UInt16] = []
        if borders.count > 1 {
            var place = 0
            let end = min(last, Self.folding)
            index.reserveCapacity(max(0, end - Self.dawn) >> Self.indexShift + 1)
            for second in stride(from: Self.dawn, through: end, by: 1 << Self.indexShift) {
                while place + 1 < borders.count, second >= borders[place + 1].start { place += 1 }
                index.append(UInt16(clamping: place))
            }
        }
        self.borders = borders
        self.index = index
        // If a rule follows the table, only the rule determines the end of the table's last stretch. So the
        // rule is used from the start of that stretch on, and the table only for earlier instants.
        tableEnd = borders.count == 1 ? .max : rule == nil ? Self.folding : last
    }

    /// Whether the system's data of this zone is still the same as when the zone was made. For a zone from a
    /// file, each read of this property checks the file.
    var isCurrent: Bool { isCurrentNow() }

    private func stretch(_ place: Int) -> Stretch {
        let border = borders[place]
        return Stretch(
            start: border.start,
            end: place + 1 < borders.count ? borders[place + 1].start : .max,
            offset: Int(border.offset),
            reached: place == 0 ? .min : border.start - 1 + Int(border.reachedOffset)
        )
    }

    /// The stretch that contains a second.
    @inline(__always)
    func stretch(at second: Int) -> Stretch {
        if borders.count == 1 { return stretch(0) }
        if second >= tableEnd { return rule.map { Self.stretch(of: $0, at: second) } ?? folded(second) }
        return stretch(place(of: second))
    }

    @inline(__always)
    private func place(of second: Int) -> Int {
        // The index is empty if all changes are before 1800.
        if index.isEmpty { return slowPlace(of: second) }
        if second < Self.dawn { return index[0] == 0 ? 0 : slowPlace(of: second) }
        let step = min((second - Self.dawn) >> Self.indexShift, index.count - 1)
        var place = Int(index[step])
        while place + 1 < borders.count, second >= borders[place + 1].start { place += 1 }
        return place
    }

    /// Finds the stretch in a zone with changes before 1800. Only an invented file has such changes.
    private func slowPlace(of second: Int) -> Int {
        (borders.firstIndex { $0.start > second } ?? borders.count) - 1
    }

    private static func stretch(of rule: ZoneRule, at second: Int) -> Stretch {
        // `second` is capped, because sums with values near `Int.max` would overflow.
        let span = rule.span(at: min(second, 1 << 57))
        return Stretch(
            start: span.start,
            end: span.end ?? .max,
            offset: span.offset,
            reached: span.start - 1 + rule.other(than: span.offset)
        )
    }

    private func folded(_ second: Int) -> Stretch {
        // A zone without a change from the year 2500 on has no cycle: its last stretch continues without end.
        guard borders[borders.count - 1].start >= Self.folding else { return stretch(place(of: second)) }
        let shift = ((second - Self.folding) / Self.cycle + 1) * Self.cycle
        var stretch = stretch(place(of: second - shift))
        stretch.start += shift
        stretch.end += shift
        stretch.reached += shift
        return stretch
    }

    /// The first second whose local time is `local` or later.
    func firstSecond(reaching local: Int) -> Int {
        var stretch = stretch(at: local - Self.reach)
        // The `end` of the last stretch is `Int.max`. Its sum with an offset would overflow.
        while stretch.end != .max, stretch.end + stretch.offset <= local {
            stretch = self.stretch(at: stretch.end)
        }
        return max(stretch.start, local - stretch.offset)
    }

    /// The last stretch that begins before `second`, and whose first local time is `local` or earlier.
    func lastStretch(beginningBy local: Int, before second: Int) -> Stretch {
        var stretch = stretch(at: min(local + Self.reach, second - 1))
        while stretch.start != .min, stretch.start + stretch.offset > local {
            stretch = self.stretch(at: stretch.start - 1)
        }
        return stretch
    }
}
