/// A time zone's offsets from UTC: its changes one by one, and the rule that goes on behind the last of them.
///
/// It is made of a zone file by ``init(file:)``. Asking it needs no file, no locale and no calendar.
public struct ZoneTable: Hashable, Sendable {
    /// From a second since 1970 on clocks are this far ahead of UTC.
    package struct Change: Hashable, Sendable {
        package var second: Int
        package var offset: Int

        package init(second: Int, offset: Int) { (self.second, self.offset) = (second, offset) }
    }

    /// Seconds to add to UTC before the first change.
    package let firstOffset: Int
    /// In order of time; each has another offset than the one before it.
    package let changes: [Change]
    /// What goes on; `nil` where the last offset does.
    package let rule: ZoneRule?
    /// From this second on the rule counts; `Int.min` where it counts always.
    package let ruleStart: Int

    /// UTC, which is known without any file.
    public static let utc = ZoneTable(firstOffset: 0, changes: [])

    /// A table of these changes; those that change no offset are left out.
    ///
    /// - Parameters:
    ///   - firstOffset: seconds to add to UTC before the first change.
    ///   - changes: in order of time.
    ///   - rule: what goes on from `ruleStart` on, which is no earlier than the last change and where the rule's offset
    ///     is the last one.
    package init(firstOffset: Int, changes: [Change], rule: ZoneRule? = nil, ruleStart: Int = .max) {
        self.firstOffset = firstOffset
        self.rule = rule
        self.ruleStart = ruleStart
        var last = firstOffset
        self.changes = changes.filter { change in
            defer { last = change.offset }
            return change.offset != last
        }
    }

    /// Seconds to add to UTC for the local time at a second since 1970.
    public func offset(at second: Int) -> Int { span(at: second).offset }

    /// The stretches of equal offset that touch a range of seconds since 1970, in order and without holes.
    ///
    /// The first begins with the range, and the last has no end.
    public func spans(in range: ClosedRange<Int>) -> [ZoneSpan] {
        var spans: [ZoneSpan] = []
        var start = range.lowerBound
        while true {
            let found = span(at: start)
            guard let end = found.end, end > start, end <= range.upperBound else {
                return spans + [ZoneSpan(start: start, end: nil, offset: found.offset)]
            }
            spans.append(ZoneSpan(start: start, end: end, offset: found.offset))
            start = end
        }
    }

    /// The whole stretch that holds a second; the first of all starts at `Int.min`.
    ///
    /// - Parameter second: seconds since 1970; what is beyond some 2,000 million years is taken for the last of these.
    package func span(at second: Int) -> ZoneSpan {
        let second = Swift.min(Swift.max(second, -(1 << 56)), 1 << 56)
        let next = changes.partitioned { $0.second > second }
        let last = next == 0 ? nil : changes[next - 1]
        var span = ZoneSpan(
            start: last?.second ?? .min,
            end: next < changes.count ? changes[next].second : nil,
            offset: last?.offset ?? firstOffset
        )
        guard let rule, next == changes.count else { return span }
        // Before the rule counts, what is known of it is when it changes for the first time.
        let ruled = rule.span(at: max(second, ruleStart))
        span.end = ruled.end
        if ruled.start > ruleStart, ruled.start <= second {
            span.start = ruled.start
            span.offset = ruled.offset
        }
        return span
    }

    /// The changes in order, those of the rule too as far as they are before a second, and at least two of these.
    package func changes(before end: Int) -> [Change] {
        guard let rule else { return changes }
        var all = changes
        // A rule that counts always has no first change: what is before 1800 was mean time everywhere.
        var span = rule.span(at: max(ruleStart, Self.dawn))
        for count in 0... {
            guard let next = span.end, next < end || count < 2 else { break }
            span = rule.span(at: next)
            all.append(Change(second: next, offset: span.offset))
        }
        return all
    }

    /// 1800-01-01, before all zones.
    package static let dawn = -5_364_662_400
}

extension Array {
    /// The first place from which on all elements are like that, where those before are not.
    fileprivate func partitioned(_ isBehind: (Element) -> Bool) -> Int {
        var (low, high) = (0, count)
        while low < high {
            let middle = (low + high) / 2
            if isBehind(self[middle]) { high = middle } else { low = middle + 1 }
        }
        return low
    }
}
