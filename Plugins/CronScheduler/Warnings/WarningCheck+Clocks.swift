internal import AdapterKit
internal import PortcullisCore

// Warnings about times that a clock change skips or repeats.
extension WarningCheck {
    /// The number of seconds for which clock changes are searched: two years.
    private static let ahead = 2 * 366 * 86_400

    /// Warnings about the next gap and the next overlap that contain a time of the expression.
    var clockChanges: [CronWarning] {
        guard let zone, !sets.isElapsed else { return [] }
        var gap: CronWarning?
        var overlap: CronWarning?
        var before = zone.stretch(at: second)
        while before.end < second + Self.ahead, gap == nil || overlap == nil {
            let after = zone.stretch(at: before.end)
            if after.offset > before.offset {
                gap = gap ?? self.gap(before, after, zone)
            } else {
                overlap = overlap ?? self.overlap(before, after, zone)
            }
            before = after
        }
        return [gap, overlap].compactMap { $0 }
    }

    private func gap(
        _ before: ZoneRules.Stretch,
        _ after: ZoneRules.Stretch,
        _ zone: ZoneRules
    ) -> CronWarning? {
        let (start, end) = (after.start + before.offset, after.start + after.offset)
        guard let match = sets.firstMatch(from: start), match < end else { return nil }
        let others = sets.firstMatch(from: match + 1).map { $0 < end } == true
        return CronWarning(
            code: .clockGap,
            field: .hour,
            message: "on \(Self.date(start.day)) clocks in \(zone.name) go from \(Self.clock(start)) to "
                + "\(Self.clock(end)): "
                + (others
                    ? "times from \(Self.clock(match)) on do not exist, and it fires once for all of them, "
                    : "\(Self.clock(match)) does not exist, and it fires ")
                + "at \(Self.clock(end))",
            hint: "UTC has no such days: CRON_TZ=UTC"
        )
    }

    private func overlap(
        _ before: ZoneRules.Stretch,
        _ after: ZoneRules.Stretch,
        _ zone: ZoneRules
    ) -> CronWarning? {
        let (start, end) = (after.start + after.offset, after.start + before.offset)
        guard let match = sets.firstMatch(from: start), match < end else { return nil }
        let others = sets.firstMatch(from: match + 1).map { $0 < end } == true
        return CronWarning(
            code: .clockOverlap,
            field: .hour,
            message: "on \(Self.date(start.day)) clocks in \(zone.name) go back from \(Self.clock(end)) to "
                + "\(Self.clock(start)): "
                + (others ? "times from \(Self.clock(match)) on come" : "\(Self.clock(match)) comes")
                + " twice, and it fires the first time only",
            hint: "UTC has no such days: CRON_TZ=UTC"
        )
    }

    private static func clock(_ local: Int) -> String {
        let second = local - local.day * 86_400
        return Words.clock(second / 3_600, second / 60 % 60)
    }
}

extension Int {
    /// The day number of a local second.
    fileprivate var day: Int { floored(by: 86_400) }
}
