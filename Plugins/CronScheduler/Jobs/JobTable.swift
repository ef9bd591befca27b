internal import DequeModule
internal import HeapModule
internal import PortcullisCore

/// The jobs of a scheduler and the times at which they are due. The table uses no clock, task or journal: its
/// callers pass in the present time and the records.
///
/// A job is a slot in an array and an entry in one heap. If a slot gets another time or is removed, its old
/// entry stays in the heap. When the time of the old entry comes, the table recognizes the entry as stale.
struct JobTable {
    /// A job as the table keeps it. The slot is small, because a table may well have 100,000 jobs.
    struct Slot {
        var name: ActivityName
        var action: CronJob.Action
        var rule: CronExpression.Rule
        /// The second of the next run, without phase; `Int.max` if there is none.
        var scheduled: Int
        /// The last second that was handled. It is the time of a run or of a missed run, or else the time at
        /// which the job was added.
        var last: Int
        /// The index of the job's zone in `zones`. Index 0 is the zone of the clock.
        var zone: UInt16
        /// Whether the job has a known last run: a run was started or missed since the job was added, or the
        /// journal has a record of the job.
        var hasRun: Bool
        /// The edition of the job's schedule. Each new schedule of the job has another number.
        var edition: UInt8 = 0
        var running: UInt32 = 0
        /// The number of milliseconds from `scheduled` to the time at which the run is due. It is the jitter,
        /// or for `@every` the fraction of a second at which each pause ends.
        var phase: UInt32
        /// The index of the job's options in `options`.
        var options: UInt32
        /// The number of runs that were left out since the last run that took place.
        var passed: UInt32 = 0
        /// The number of the job in this slot. A job that replaces the slot's job under the same name keeps
        /// the number.
        var serial: UInt32

        /// The microsecond at which the job is due; `Int.max` if no run is left.
        var due: Int {
            let (micros, overflow) = scheduled.multipliedReportingOverflow(by: 1_000_000)
            if overflow { return .max }
            let (due, isLater) = micros.addingReportingOverflow(Int(phase) * 1_000)
            return isLater ? .max : due
        }
    }

    /// Options that many jobs have in common.
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

    /// A run that starts now, or once its record is written.
    struct Start {
        var run: CronRun
        var action: CronJob.Action
        var slot: UInt32
        var serial: UInt32
        var edition: UInt8
    }

    /// The runs and records that one step of the scheduler handles.
    struct Plan {
        /// The runs that need no record.
        var free: [Start] = []
        /// The runs that may start only after their records are written.
        var recorded: [Start] = []
        /// The records to be written.
        var entries: [JournalEntry] = []
        /// Whether more than one run of some job was due. The runs of the plan must then be sorted.
        var isCatchUp = false
    }

    /// A run that waits until an earlier run of its job has ended.
    struct Wait {
        var second: Int
        /// The least second of this run and of the runs that wait behind it.
        var least: Int
        var missed: Int
    }

    var slots: ContiguousArray<Slot> = []
    var free: [UInt32] = []
    var places: [ActivityName: UInt32] = [:]
    var heap = Heap<Entry>()
    /// The zones of the jobs. Index 0 is the clock's zone, or UTC until a job has asked for the clock's zone.
    private(set) var zones = [ZoneRules.utc]
    /// The names by which jobs asked for the zones. Index 0 is the clock's zone, once a job has asked for it.
    private var zoneNames: [String?] = [nil]
    var options: [Options] = []
    /// The waiting runs of each slot.
    var waiting: [UInt32: Deque<Wait>] = [:]
    /// The times that the clock has yet to reach, by slot. Such a time comes from a record, or was the slot's
    /// last time before the clock was set back. It counts once the clock is set to it or past it, see
    /// `believe`. Each list has one to three times, see `RunRecord.later(_:)`.
    var disbelieved: [UInt32: [Duration]] = [:]
    /// The slots whose records the journal gets anew, or loses if it is to have none. Their times have changed
    /// without a run, or the journal may have another record.
    var unrecorded: Set<UInt32> = []
    /// The slots with waiting runs that can start now.
    var ready: [UInt32] = []
    /// The slots that wait because they need a record and the journal accepts no records now.
    var parked: (due: [UInt32], ready: [UInt32]) = ([], [])
    /// The wall time minus the time since boot, in microseconds, when the table was made or last
    /// recalculated.
    var skew: Int
    private var zonePlaces: [String: UInt16] = [:]
    private var optionPlaces: [Options: UInt32] = [:]
    var serials: UInt32 = 0
    let isJournalled: Bool

    /// Makes a table without jobs.
    init(at moment: Moment, isJournalled: Bool) {
        skew = moment.skew
        self.isJournalled = isJournalled
    }

    /// The microsecond at which a job is due next; `Int.min` if a waiting run can start at once, `Int.max` if
    /// no run is left.
    var nextDue: Int { ready.isEmpty ? heap.min?.due ?? .max : .min }

    /// The name of the clock's zone, once a job has asked for it.
    var clockZoneName: String? { zoneNames[0] }

    /// The zone that was found for a name; for a `nil` name the clock's zone. The result is `nil` for a zone
    /// that was not found yet.
    func knownZone(_ name: String?) -> ZoneRules? {
        guard let name else { return zoneNames[0] == nil ? nil : zones[0] }
        return zonePlaces[name].map { zones[Int($0)] }
    }

    /// Returns the index of a zone, and adds the zone if no job has used `name` before. The result is `nil`
    /// if there are too many zones.
    mutating func place(of zone: ZoneRules, named name: String) -> UInt16? {
        if let place = zonePlaces[name] { return place }
        guard let place = UInt16(exactly: zones.count) else { return nil }
        zones.append(zone)
        zoneNames.append(name)
        zonePlaces[name] = place
        return place
    }

    /// Sets the zone of the clock.
    mutating func followZone(_ zone: ZoneRules, named name: String) {
        zones[0] = zone
        zoneNames[0] = name
    }

    /// Replaces the data of a zone. The call does nothing if another zone has the index by now.
    mutating func renewZone(_ zone: ZoneRules, at place: Int) {
        if zones[place].name == zone.name { zones[place] = zone }
    }

    /// The name of the zone that a slot's job asked for; `nil` for the clock's zone.
    func zoneName(of slot: Slot) -> String? { slot.zone == 0 ? nil : zoneNames[Int(slot.zone)] }

    mutating func place(of choice: Options) -> UInt32 {
        if let place = optionPlaces[choice] { return place }
        options.append(choice)
        let place = UInt32(options.count - 1)
        optionPlaces[choice] = place
        return place
    }

    /// Whether most entries of the heap are stale.
    var isOutdated: Bool { heap.count > 64 && heap.count > 2 * places.count }

    /// Inserts a slot's time into the heap.
    mutating func schedule(_ slot: UInt32) {
        let due = slots[Int(slot)].due
        guard due != .max else { return }
        if isOutdated { return rebuildHeap() }
        heap.insert(Entry(due: due, slot: slot))
    }

    /// The state of a slot's job.
    func job(at place: UInt32) -> ScheduledJob {
        let slot = slots[Int(place)]
        return ScheduledJob(
            expression: CronExpression(rule: slot.rule, zoneName: nil),
            zone: zones[Int(slot.zone)].name,
            next: slot.due == .max ? nil : .microseconds(slot.due),
            last: slot.hasRun ? slot.lastTime : nil,
            running: Int(slot.running),
            waiting: waiting[place]?.count ?? 0
        )
    }

    /// Whether the runs of a slot's job are written to the journal.
    func isJournalled(_ slot: borrowing Slot) -> Bool {
        isJournalled && options[Int(slot.options)].missed != .skip
    }

    /// Builds the heap again from the times of all jobs, without stale entries.
    mutating func rebuildHeap() {
        heap = Heap(
            places.values.compactMap { slot in
                let due = slots[Int(slot)].due
                return due == .max ? nil : Entry(due: due, slot: slot)
            }
        )
    }
}

extension Deque<JobTable.Wait> {
    /// Adds a run behind all others.
    mutating func enqueue(_ second: Int, missed: Int) {
        // A run behind one with a later time is possible only if the clock was set back in between.
        for index in indices.reversed() {
            guard self[index].least > second else { break }
            self[index].least = second
        }
        append(JobTable.Wait(second: second, least: second, missed: missed))
    }

    /// Moves the times of all runs.
    mutating func move(by seconds: Int) {
        for index in indices {
            self[index].second += seconds
            self[index].least += seconds
        }
    }
}

extension Moment {
    /// The wall time minus the time since boot, in microseconds.
    var skew: Int { wall.microseconds - sinceBoot.microseconds }
}

extension Duration {
    /// The duration in microseconds, rounded down.
    var microseconds: Int {
        let (seconds, attoseconds) = components
        let micros = attoseconds / 1_000_000_000_000
        return Int(seconds) * 1_000_000 + Int(micros) - (attoseconds % 1_000_000_000_000 < 0 ? 1 : 0)
    }

    /// The duration in microseconds, rounded up, so that a deadline is not taken as reached too early.
    var microsecondsRoundedUp: Int {
        let micros = microseconds
        return .microseconds(micros) < self ? micros + 1 : micros
    }
}
