extension FieldSets {
    /// The number of times at which the expression fires, after the second `first` and up to and including
    /// the second `last`.
    ///
    /// On a day on which the zone's offset does not change, the times are counted by multiplication. So even
    /// years of downtime are counted fast.
    func count(after first: Int, through last: Int, in zone: ZoneRules) -> Int {
        let perDay = hours.nonzeroBitCount * minutes.nonzeroBitCount * seconds.nonzeroBitCount
        var count = 0
        var second = first
        while let next = next(after: second, in: zone), next <= last {
            let stretch = zone.stretch(at: next)
            // The end of the day that contains `next`. This value is right only if `next` is the expression's
            // first time on its day. `isWhole` is `true` only in that case.
            let end = next - firstTime + 86_400
            let midnight = next + stretch.offset - firstTime
            let day = midnight / 86_400
            // A gap may begin on a matching day and end on the next day. The skipped times then fire when the
            // gap ends. If the gap ends at `firstTime` of the next day, `next` looks like the first time of
            // that day. The day may not match. So `date(from:)` checks the day.
            let isWhole = midnight.isMultiple(of: 86_400) && date(from: day) == day
            if isWhole, end <= stretch.end, end - 1 <= last {
                count += perDay
                second = end - 1
            } else {
                count += 1
                second = next
            }
        }
        return count
    }
}
