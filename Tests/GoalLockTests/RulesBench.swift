import AdapterKit
import GoalLock
import PortcullisCore

/// The rules with a state and clocks that a test moves by hand.
struct RulesBench {
    var record = GoalRecord(goal: 100, title: "Steps")
    var now = Moment(wall: .noon, sinceBoot: .hours(1), boot: BootID("first"))
    var isSynchronised = true
    /// The stretches of the present zone, in order.
    var zone = [ZoneSpan(start: .min, end: nil, offset: 0)]
    var circumstances = GoalRules.Circumstances()
    private(set) var effects: [GoalRules.Effect] = []
    private(set) var notified: [CivilDate] = []
    private(set) var today: CivilDate?

    static let selection = ShieldSelection(apps: [AppToken("chat")], categories: [CategoryToken("games")])

    /// A lock that is on, with chosen apps.
    static func enabled() -> RulesBench {
        var bench = RulesBench()
        bench.take(.selection(selection))
        bench.take(.enable(title: "Steps"))
        return bench
    }

    var isUp: Bool { effects.contains(.apply(record.selection)) }
    var isDown: Bool { effects.contains(.lift) }
    var isMonitored: Bool { !effects.contains(.stopActivity) }
    var clocks: Clocks {
        let zone = zone
        return Clocks(
            now: now,
            isSynchronised: isSynchronised,
            calendar: DayCalendar(
                civilDate: { wall, start in CivilDay.date(at: wall, dayStart: start) { _ in zone } },
                start: { date, start in CivilDay.start(of: date, dayStart: start) { _ in zone } },
                nextDayStart: { wall, start in CivilDay.nextStart(after: wall, dayStart: start) { _ in zone }
                }
            )
        )
    }

    mutating func take(_ event: GoalRules.Event) {
        let (today, effects) = GoalRules.decide(event, on: &record, at: clocks, in: circumstances)
        self.today = today.date
        self.effects = effects
        for case .notify(let date) in effects { notified.append(date) }
    }

    mutating func progress(_ progress: Double) { take(.progress(progress, of: nil)) }

    /// Lets time pass.
    mutating func wait(_ duration: Duration) { now = now.advanced(by: duration) }

    /// Moves the wall clock and nothing else.
    mutating func moveWall(_ duration: Duration) { now.wall += duration }

    mutating func reboot(downtime: Duration) {
        now = Moment(
            wall: now.wall + downtime,
            sinceBoot: .seconds(20),
            boot: BootID(now.boot.rawValue + "'")
        )
    }
}

extension Duration {
    /// 2026-01-01T12:00:00Z.
    static let noon = Duration.seconds(1_767_268_800)

    static func minutes(_ minutes: Int) -> Duration { .seconds(minutes * 60) }
    static func hours(_ hours: Int) -> Duration { .seconds(hours * 3_600) }
    static func days(_ days: Int) -> Duration { .seconds(days * 86_400) }
}

extension CivilDate {
    /// A day of January 2026.
    static func january(_ day: Int) -> CivilDate { CivilDate(year: 2026, month: 1, day: day) }
}

extension ZoneSpan {
    static func fixed(hours: Int) -> [ZoneSpan] {
        [ZoneSpan(start: .min, end: nil, offset: hours * 3_600)]
    }
}
