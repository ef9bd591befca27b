// The search among instants. It applies the rules for gaps and overlaps to the local times that the fields
// match. CronPolicies.md explains these rules.
//
// For an expression with fixed wall times, let f(w) be the first second whose local time is w or later. For a
// w inside a gap, f(w) is the gap's end. For a w inside an overlap, f(w) is the first of the two seconds with
// this local time. As w grows, f(w) never falls. The expression fires once at each second that is f(w) for a
// matching w.
//
// Let g(t) be the latest local time that the clocks have shown up to the second t. Then f(w) > t exactly if
// w > g(t). So the next time after t is f(w) for the first matching w after g(t). The last time before t is
// f(w) for the last matching w up to g(t - 1).
//
// An expression that follows elapsed time fires at every second whose local time matches.
extension FieldSets {
    @inline(__always)
    func next(after second: Int, in zone: ZoneRules) -> Int? {
        let second = max(second, -CronExpression.horizon)
        guard second < CronExpression.horizon else { return nil }
        let stretch = zone.stretch(at: second)
        if isElapsed { return nextElapsed(from: second + 1, in: zone, stretch) }
        let shown = max(second + stretch.offset, stretch.reached)
        guard let local = firstMatch(from: shown + 1) else { return nil }
        if local - stretch.offset < stretch.end { return local - stretch.offset }
        return zone.firstSecond(reaching: local)
    }

    @inline(__always)
    func previous(before second: Int, in zone: ZoneRules) -> Int? {
        let second = min(second, CronExpression.horizon)
        guard second > -CronExpression.horizon else { return nil }
        let stretch = zone.stretch(at: second - 1)
        if isElapsed { return previousElapsed(upTo: second - 1, in: zone, stretch) }
        let shown = max(second - 1 + stretch.offset, stretch.reached)
        guard let local = lastMatch(upTo: shown) else { return nil }
        if local > stretch.reached { return max(stretch.start, local - stretch.offset) }
        return zone.firstSecond(reaching: local)
    }

    private func nextElapsed(from second: Int, in zone: ZoneRules, _ start: ZoneRules.Stretch) -> Int? {
        var stretch = second < start.end ? start : zone.stretch(at: second)
        var local = second + stretch.offset
        while true {
            guard let match = firstMatch(from: local) else { return nil }
            if match - stretch.offset < stretch.end { return match - stretch.offset }
            // The zone's offset changes before the clock shows the match, so the search continues after the
            // change.
            let searched = local
            stretch = zone.stretch(at: stretch.end)
            local = stretch.start + stretch.offset
            // `match` is the first matching local time from `searched` on. A change may set the clock back to
            // a time before `searched`, where an earlier match may be. No offset is larger than `reach`. So
            // once UTC, read as a local time, is later than `searched` by more than `reach`, no time before
            // `searched` comes again. The search then jumps to the stretch in which the clock reaches
            // `match`. If a gap skips `match`, the search continues with the stretch after the gap.
            if local > searched, local <= match, stretch.start - searched > ZoneRules.reach {
                stretch = zone.stretch(at: max(stretch.start, zone.firstSecond(reaching: match)))
                local = max(match, stretch.start + stretch.offset)
            }
        }
    }

    private func previousElapsed(upTo second: Int, in zone: ZoneRules, _ start: ZoneRules.Stretch) -> Int? {
        var stretch = start
        var local = second + stretch.offset
        while true {
            guard let match = lastMatch(upTo: local) else { return nil }
            if stretch.start == .min || match - stretch.offset >= stretch.start {
                return match - stretch.offset
            }
            let searched = local
            let end = stretch.start
            stretch = zone.stretch(at: end - 1)
            local = end - 1 + stretch.offset
            if local < searched, local >= match, searched - end > ZoneRules.reach {
                stretch = zone.lastStretch(beginningBy: match, before: end)
                local = stretch.end == .max ? match : min(match, stretch.end - 1 + stretch.offset)
            }
        }
    }
}
