/// A time zone's offsets from UTC: a list of changes, and the rule for the time after the last change.
///
/// ``init(file:)`` makes the table from a zone file. Later calls need no file, no locale and no calendar.
public struct ZoneTable: Hashable, Sendable {
    /// A change of the offset. From `second` (in seconds since 1970) on, local time is `offset` seconds ahead
    /// of UTC.
    package struct Change: Hashable, Sendable {
        package var second: Int
        package var offset: Int

        package init(second: Int, offset: Int) { (self.second, self.offset) = (second, offset) }
    }

    /// The seconds to add to UTC before the first change.
    package let firstOffset: Int
    /// The changes in order of time. The offset of each change differs from the previous one.
    package let changes: [Change]
    /// The rule that applies after the last change; `nil` when the last offset applies for ever.
    package let rule: ZoneRule?
    /// The second from which the rule applies; `Int.min` when it always applies.
    package let ruleStart: Int

    /// UTC, which needs no file.
    public static let utc = ZoneTable(firstOffset: 0, changes: [])

    /// Makes a table of these changes. A change that does not alter the offset is left out.
    ///
    /// - Parameters:
    ///   - firstOffset: the seconds to add to UTC before the first change.
    ///   - changes: the changes in order of time.
    ///   - rule: the rule that applies from `ruleStart` on. `ruleStart` is not before the last change. The
    ///     rule's offset at `ruleStart` equals the last change's offset.
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

    /// The seconds by which local time is ahead of UTC at a moment. `second` is the moment in seconds since
    /// 1970.
    public func offset(at second: Int) -> Int { span(at: second).offset }

    /// The spans of equal offset that overlap a range of seconds since 1970, in order and without gaps.
    ///
    /// The first span begins at the start of the range, and the last span has no end.
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

    /// The whole span that contains a second. The first span of a zone starts at `Int.min`.
    ///
    /// - Parameter second: seconds since 1970. A time more than about 2,000 million years before or after
    ///   1970 is replaced by that limit.
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
        // Here `second` is not before the table's last change. Before the rule's first change, the span keeps
        // the table's last offset, and only its end comes from the rule. From that change on, the whole span
        // comes from the rule.
        let ruled = rule.span(at: max(second, ruleStart))
        span.end = ruled.end
        if ruled.start > ruleStart, ruled.start <= second {
            span.start = ruled.start
            span.offset = ruled.offset
        }
        return span
    }

    /// All changes of the table, followed by those changes of the rule that are before `end`. At least two
    /// changes of the rule are included, even if they come after `end`.
    ///
    /// - Parameter end: seconds since 1970.
    package func changes(before end: Int) -> [Change] {
        guard let rule else { return changes }
        var all = changes
        // A rule that always applies has no first change. So the list starts at `dawn`, which is before the
        // first change of every real zone.
        var span = rule.span(at: max(ruleStart, Self.dawn))
        for count in 0... {
            guard let next = span.end, next < end || count < 2 else { break }
            span = rule.span(at: next)
            all.append(Change(second: next, offset: span.offset))
        }
        return all
    }

    /// 1800-01-01 in seconds since 1970. The first change of every real zone is later.
    package static let dawn = -5_364_662_400
}

extension Array {
    /// Returns the index of the first element that fulfils the condition; `count` if there is none. All
    /// elements after the first one that fulfils the condition must fulfil it, too.
    fileprivate func partitioned(_ isBehind: (Element) -> Bool) -> Int {
        var (low, high) = (0, count)
        while low < high {
            let middle = (low + high) / 2
            if isBehind(self[middle]) { high = middle } else { low = middle + 1 }
        }
        return low
    }
}
