import AdapterKit
import GoalLock
import PortcullisCore

/// A world in which years pass by chance: people travel, clocks are moved, machines are off.
///
/// It knows the true time, which no clock in it does.
struct TenYears {
    /// The true time since 1970.
    private(set) var truth: Duration
    /// How far the wall clock is from it, and may well be believed: wrong since a restart.
    private(set) var error = Duration.zero
    /// How far it was moved beyond that while nobody vouches for it.
    private(set) var tampering = Duration.zero
    private(set) var bench = RulesBench()
    private(set) var zone = 0
    /// A date that came back within a boot and a zone while nobody vouched for the clock.
    private(set) var returned: CivilDate?
    /// Where the clocks were looked at last.
    private var looked: (boot: BootID, zone: Int)?
    /// When days started as the present date began.
    private var began = TimeOfDay.midnight
    private let end: Duration
    private var generator: SeededGenerator
    private var boots = 0
    private var bootedAt: Duration

    init(seed: UInt64, years: Int = 10) {
        let start = Duration.noon
        generator = SeededGenerator(seed)
        truth = start
        bootedAt = start
        end = start + .days(years * 365)
        bench.now = Moment(wall: start, sinceBoot: .zero, boot: BootID("0"))
        bench.zone = Self.zones[0]
    }

    var isOver: Bool { truth >= end }

    mutating func chance(_ percent: Int) -> Bool { Int.random(in: 0..<100, using: &generator) < percent }

    mutating func number(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &generator) }

    /// Lets something happen to the machine, and time pass.
    ///
    /// - Parameters:
    ///   - tampers: whether the person moves the clock.
    ///   - creeps: whether by as little as is believed, too.
    mutating func live(tampers: Bool, creeps: Bool = false) {
        switch number(0...99) {
        case 0...1: travel()
        case 2...3: restart()
        case 4: sleep()
        case 5...24 where tampers && !bench.isSynchronised: tampering = movement(creeps)
        case 25...29:
            // A clock is not put right by magic while somebody has it moved.
            bench.isSynchronised = chance(60)
            if bench.isSynchronised {
                error = .zero
                tampering = .zero
            }
        default: break
        }
        truth += .seconds(number(0...4 * 3_600))
        show()
        if creeps, chance(30) { goToMidnight() }
    }

    /// A few minutes around the day's end are where a few minutes count.
    private mutating func goToMidnight() {
        // After a restart, what the clock shows first is believed.
        take(.look)
        var record = bench.record
        let left = record.turnDay(at: bench.clocks).left
        if left > .seconds(600) { truth += left - .seconds(number(0...600)) }
        for _ in 0..<4 {
            truth += .seconds(number(0...300))
            if !bench.isSynchronised { tampering = movement(true) }
            show()
            take(.look)
        }
    }

    private mutating func movement(_ creeps: Bool) -> Duration {
        // Farther than what is believed, either way, and back.
        if chance(25) { return .zero }
        let isLittle = creeps && chance(50)
        let distance = Duration.seconds(isLittle ? number(1...599) : number(601...3 * 86_400))
        return chance(50) ? distance : .zero - distance
    }

    private mutating func travel() {
        zone = number(0...Self.zones.count - 1)
        bench.zone = Self.zones[zone]
    }

    private mutating func restart() {
        truth += chance(30) ? .days(number(0...9)) : .minutes(number(0...600))
        boots += 1
        bootedAt = truth
        tampering = .zero
        bench.isSynchronised = chance(50)
        // A clock without a battery.
        error = !bench.isSynchronised && chance(20) ? .minutes(number(-3_000...3_000)) : .zero
    }

    private mutating func sleep() { truth += .hours(number(1...100)) }

    private mutating func show() {
        bench.now = Moment(
            wall: truth + error + tampering,
            sinceBoot: truth - bootedAt,
            boot: BootID("\(boots)")
        )
    }

    mutating func take(_ event: GoalRules.Event) {
        let before = bench.today
        bench.take(event)
        if bench.today != before { began = bench.record.dayStart }
        let isSame = looked?.boot == bench.now.boot && looked?.zone == zone && !bench.isSynchronised
        if isSame, let before, let today = bench.today, today < before { returned = today }
        looked = (bench.now.boot, zone)
    }

    mutating func set(_ circumstances: GoalRules.Circumstances) { bench.circumstances = circumstances }

    /// The dates that it may be by the time that has to be believed: two where a clock was just put back a little,
    /// and where a day that began goes on because days were made to start later.
    func dates(after last: CivilDate?) -> Set<CivilDate> {
        let believed = truth + error
        let walls = [believed, believed + DayMark.tolerance]
        let longer = walls.map { date($0, from: began) }.filter { $0 == last }
        return Set(walls.map { date($0, from: bench.record.dayStart) } + longer)
    }

    /// The latest date whose start any instant so far had reached: the rule of days in the plainest words.
    private func date(_ wall: Duration, from dayStart: TimeOfDay) -> CivilDate {
        let now = Int(wall.components.seconds)
        let shift = (dayStart.hour * 60 + dayStart.minute) * 60
        let reached = bench.zone.filter { $0.start <= now && ($0.end ?? .max) > now - 3 * 86_400 }.map {
            span in
            let local = min(now, (span.end ?? .max) - 1) + span.offset - shift
            return Int((Double(local) / 86_400).rounded(.down))
        }
        return CivilDate(daysSinceEpoch: reached.max() ?? 0)
    }

    /// UTC; an hour forward and back at 02:00 and at midnight; half an hour; far east and far west; a date that was
    /// skipped.
    private static let zones: [[ZoneSpan]] = [
        ZoneSpan.fixed(hours: 0),
        seasons(offset: -18_000, shift: 3_600, hour: 2),
        seasons(offset: -10_800, shift: 3_600, hour: 0),
        seasons(offset: 37_800, shift: 1_800, hour: 2),
        ZoneSpan.fixed(hours: 14),
        ZoneSpan.fixed(hours: -11),
        [
            ZoneSpan(start: .min, end: 1_900_000_800, offset: -36_000),
            ZoneSpan(start: 1_900_000_800, end: nil, offset: 50_400),
        ],
    ]

    private static func seasons(offset: Int, shift: Int, hour: Int) -> [ZoneSpan] {
        var spans: [ZoneSpan] = []
        var start = Int.min
        for year in 2025...2040 {
            let spring = CivilDate(year: year, month: 3, day: 12).daysSinceEpoch * 86_400 + hour * 3_600
            let autumn = CivilDate(year: year, month: 11, day: 5).daysSinceEpoch * 86_400 + hour * 3_600
            spans.append(ZoneSpan(start: start, end: spring - offset, offset: offset))
            spans.append(
                ZoneSpan(start: spring - offset, end: autumn - offset - shift, offset: offset + shift)
            )
            start = autumn - offset - shift
        }
        spans.append(ZoneSpan(start: start, end: nil, offset: offset))
        return spans
    }
}
