internal import DequeModule
internal import HeapModule
internal import PortcullisCore

/// The jobs of a scheduler and the times at which they are due: a value, without clock, tasks or journal.
///
/// A job is a slot in an array and an entry in one heap. A slot that moves on, or goes, leaves its entry behind;
/// the entry is found to be stale when it comes up.
struct JobTable {
    /// A job as it is kept; 100,000 of them are ordinary, so it is small.
    struct Slot {
        var name: ActivityName
        var action: CronJob.Action
        var rule: CronExpression.Rule
        /// The second it is scheduled for next, without phase; `Int.max` when there is none.
        var scheduled: Int
        /// The second of the last time that was dealt with: run, missed, or before the job was added.
        var last: Int
        /// Which of `zones`; 0 follows the clock.
        var zone: UInt16
        /// Whether a run was started or missed since it was added or found in the journal.
        var hasRun: Bool
        /// A different number for each schedule that the job has had.
        var edition: UInt8 = 0
        var running: UInt32 = 0
        /// Milliseconds after the second: jitter, or for `@every` the fraction of its anchor.
        var phase: UInt32
        /// Which of `options`.
        var options: UInt32
        /// Runs that did not take place since the last one that did.
        var passed: UInt32 = 0
        /// A different number for each job that has had the slot.
        var serial: UInt32

        /// The microsecond at which it is due.
        var due: Int {
            let (micros, overflow) = scheduled.multipliedReportingOverflow(by: 1_000_000)
            return overflow ? .max : micros + Int(phase) * 1_000
        }
    }

    /// What jobs have in common.
    struct Options: Hashable {
        var overlap: OverlapPolicy
        var missed: MissedRunPolicy
        var grace: Duration
    }

    struct Entry: Comparable {
        var due: Int
        var slot: UInt32

        static func < (left: Entry, right: Entry) -> Bool {
            left.due == right.due ? left.slot < right.slot : left.due < right.due
        }
    }

    /// A run that starts now.
    struct Start {
        var run: CronRun
        var action: CronJob.Action
        var slot: UInt32
        var serial: UInt32
        var edition: UInt8
    }

    /// What is to be done at a moment.
    struct Plan {
        /// Runs that the journal need not know of.
        var free: [Start] = []
        /// Runs that it has to know of first.
        var recorded: [Start] = []
        /// What it has to know.
        var entries: [JournalEntry] = []
        /// Whether more than one time of a job has passed.
        var isCatchUp = false
    }

    /// A run that waits for the one before it.
    struct Wait {
        var second: Int
        var missed: Int
    }

    var slots: ContiguousArray<Slot> = []
    var free: [UInt32] = []
    var places: [ActivityName: UInt32] = [:]
    var heap = Heap<Entry>()
    /// At 0 the clock's, or UTC as long as no job has asked for it.
    private(set) var zones = [ZoneRules.utc]
    /// The names by which they were asked for; at 0 the clock's, once a job has asked for it.
    private var zoneNames: [String?] = [nil]
    var options: [Options] = []
    /// Runs that wait for the one before them.
    var waiting: [UInt32: Deque<Wait>] = [:]
    /// Slots whose run ended while others wait.
    var ready: [UInt32] = []
    /// Slots that are due, or ready, while the journal takes no records.
    var parked: (due: [UInt32], ready: [UInt32]) = ([], [])
    /// Wall time less time since boot, in microseconds, when it was last looked at.
    var skew: Int
    private var zonePlaces: [String: UInt16] = [:]
    private var optionPlaces: [Options: UInt32] = [:]
    var serials: UInt32 = 0
    let isJournalled: Bool

    /// A table without jobs.
    init(at moment: Moment, isJournalled: Bool) {
        skew = moment.skew
        self.isJournalled = isJournalled
    }

    /// When something is due next, in microseconds; `Int.max` when nothing is.
    var nextDue: Int { ready.isEmpty ? heap.min?.due ?? .max : .min }

    /// The name of the clock's zone, once a job has asked for it.
    var clockZoneName: String? { zoneNames[0] }

    /// The zone that was found for a name; `nil` for the clock's.
    func knownZone(_ name: String?) -> ZoneRules? {
        guard let name else { return zoneNames[0] == nil ? nil : zones[0] }
        return zonePlaces[name].map { zones[Int($0)] }
    }

    /// Where a zone has its place, by the name that was asked for; `nil` when there are too many.
    mutating func place(of zone: ZoneRules, named name: String) -> UInt16? {
        if let place = zonePlaces[name] { return place }
        guard let place = UInt16(exactly: zones.count) else { return nil }
        zones.append(zone)
        zoneNames.append(name)
        zonePlaces[name] = place
        return place
    }

    /// Makes a zone the clock's.
    mutating func followZone(_ zone: ZoneRules, named name: String) {
        zones[0] = zone
        zoneNames[0] = name
    }

    /// Takes new data for a zone, unless the place is another zone's by now.
    mutating func renewZone(_ zone: ZoneRules, at place: Int) {
        if zones[place].name == zone.name { zones[place] = zone }
    }

    /// The zone that a slot's job asked for; `nil` for the clock's.
    func zoneName(of slot: Slot) -> String? { slot.zone == 0 ? nil : zoneNames[Int(slot.zone)] }

    mutating func place(of choice: Options) -> UInt32 {
        if let place = optionPlaces[choice] { return place }
        options.append(choice)
        let place = UInt32(options.count - 1)
        optionPlaces[choice] = place
        return place
    }

    /// Whether most of what the heap holds are times that were given up.
    var isOutdated: Bool { heap.count > 64 && heap.count > 2 * places.count }

    /// Puts a slot's time into the heap.
    mutating func schedule(_ slot: UInt32) {
        let due = slots[Int(slot)].due
        guard due != .max else { return }
        if isOutdated { return rebuildHeap() }
        heap.insert(Entry(due: due, slot: slot))
    }

    /// What is known of a slot's job.
    func job(at place: UInt32) -> ScheduledJob {
        let slot = slots[Int(place)]
        return ScheduledJob(
            expression: CronExpression(rule: slot.rule, zoneName: nil),
            zone: zones[Int(slot.zone)].name,
            next: slot.due == .max ? nil : .microseconds(slot.due),
            last: slot.hasRun ? slot.time(of: slot.last) : nil,
            running: Int(slot.running),
            waiting: waiting[place]?.count ?? 0
        )
    }

    /// Whether the runs of a job are written down.
    func isJournalled(_ choice: Options) -> Bool { isJournalled && choice.missed != .skip }

    /// Makes the heap of the times of all jobs, without stale entries.
    mutating func rebuildHeap() {
        heap = Heap(
            places.values.compactMap { slot in
                let due = slots[Int(slot)].due
                return due == .max ? nil : Entry(due: due, slot: slot)
            }
        )
    }
}

extension Moment {
    /// How far the wall clock is ahead of the boot clock, in microseconds.
    var skew: Int { wall.microseconds - sinceBoot.microseconds }
}

extension Duration {
    /// Microseconds, rounded down.
    var microseconds: Int {
        let (seconds, attoseconds) = components
        let micros = attoseconds / 1_000_000_000_000
        return Int(seconds) * 1_000_000 + Int(micros) - (attoseconds % 1_000_000_000_000 < 0 ? 1 : 0)
    }

    /// Microseconds, rounded up: a deadline is not reached before.
    var microsecondsRoundedUp: Int {
        let micros = microseconds
        return .microseconds(micros) < self ? micros + 1 : micros
    }
}
