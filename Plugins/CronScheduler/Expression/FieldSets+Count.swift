extension FieldSets {
    /// How many times it fires after one second and up to another.
    ///
    /// Days that lie within one stretch of the zone are counted by multiplying, so that years of downtime are
    /// counted at once.
    func count(after first: Int, through last: Int, in zone: ZoneRules) -> Int {
        let perDay = hours.nonzeroBitCount * minutes.nonzeroBitCount * seconds.nonzeroBitCount
        var count = 0
        var second = first
        while let next = next(after: second, in: zone), next <= last {
            let stretch = zone.stretch(at: next)
            // The end of a day that begins with this fire.
            let end = next - firstTime + 86_400
            let midnight = next + stretch.offset - firstTime
            let day = midnight / 86_400
            // A day that does not match can begin with a fire, too: one that a gap moved there from the day before.
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
