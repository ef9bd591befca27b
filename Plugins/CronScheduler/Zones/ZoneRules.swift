internal import AdapterKit

/// A time zone's offsets from UTC, as a table that is made once and asked often.
///
/// On Linux the data is the system's zone files, elsewhere Foundation's. Of a zone file the table has the years up to
/// 2037, and the file's own rule says what follows. Foundation tells no rules, so that its table goes up to the year
/// 2500: the Gregorian calendar and with it the rules of daylight saving time repeat after 400 years, and later
/// instants are looked up whole cycles earlier.
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
    static let dawn = ZoneTable.dawn
    /// 2038-01-01, up to where a table is longer than its file's changes.
    private static let ruled = 2_145_916_800
    /// No local time is further from UTC than this.
    static let reach = 26 * 3_600
    /// The width of a step of the index as a power of two: 97 days.
    private static let indexShift = 23

    /// Where one stretch ends and the next begins: half of what a stretch takes.
    private struct Border {
        var start: Int
        var offset: Int32
        /// How far the latest local time shown before is ahead of UTC at the last second before.
        var reachedOffset: Int32
    }

    private let borders: [Border]
    /// For each 97 days from `dawn` on the stretch that holds their first second.
    private let index: [UInt16]
    /// What goes on, for zones of files.
    private let rule: ZoneRule?
    /// From this second on the rule tells, or the years before.
    private let tableEnd: Int
    /// Whether the data that it was made from is still the system's.
    private let isCurrentNow: @Sendable () -> Bool

    /// UTC.
    public static let utc = ZoneRules(name: "UTC", offset: 0, changes: [])

    /// A zone of these offsets, for tests.
    ///
    /// - Parameters:
    ///   - name: its name.
    ///   - offset: seconds from UTC before the first change.
    ///   - changes: seconds since 1970, and the offset from then on; in order of time.
    public convenience init(name: String, offset: Int, changes: [(second: Int, offset: Int)]) {
        let changes = changes.lazy.map { ZoneTable.Change(second: $0.second, offset: $0.offset) }
        self.init(name: name, offset: offset, changes: changes, rule: nil) { true }
    }

    /// The zone of a file.
    ///
    /// - Parameter isCurrent: whether the file is still the same.
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
            // Many zones report changes of name or rule that change no offset.
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
        // The last stretch of a table that a rule goes on behind has its end in the rule alone.
        tableEnd = borders.count == 1 ? .max : rule == nil ? Self.folding : last
    }

    /// Whether the system's data still says of this zone what it said when it was made, by a look at the file.
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

    /// The stretch that holds a second.
    @inline(__always)
    func stretch(at second: Int) -> Stretch {
        if index.isEmpty { return stretch(0) }
        if second >= tableEnd { return rule.map { Self.stretch(of: $0, at: second) } ?? folded(second) }
        return stretch(place(of: second))
    }

    @inline(__always)
    private func place(of second: Int) -> Int {
        if second < Self.dawn { return index[0] == 0 ? 0 : slowPlace(of: second) }
        let step = min((second - Self.dawn) >> Self.indexShift, index.count - 1)
        var place = Int(index[step])
        while place + 1 < borders.count, second >= borders[place + 1].start { place += 1 }
        return place
    }

    /// For a zone with changes before 1800, which only a made-up file has.
    private func slowPlace(of second: Int) -> Int {
        (borders.firstIndex { $0.start > second } ?? borders.count) - 1
    }

    private static func stretch(of rule: ZoneRule, at second: Int) -> Stretch {
        // Sums with what is near the largest number do not hold.
        let span = rule.span(at: min(second, 1 << 57))
        return Stretch(
            start: span.start,
            end: span.end ?? .max,
            offset: span.offset,
            reached: span.start - 1 + rule.other(than: span.offset)
        )
    }

    private func folded(_ second: Int) -> Stretch {
        // A zone whose changes ended has nothing to repeat.
        guard borders[borders.count - 1].start >= Self.folding else { return stretch(place(of: second)) }
        let shift = ((second - Self.folding) / Self.cycle + 1) * Self.cycle
        var stretch = stretch(place(of: second - shift))
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
