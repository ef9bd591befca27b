internal import AdapterKit
internal import HeapModule
internal import PortcullisCore

extension JobTable {
    /// If the wall clock is set back by at most this number of seconds, the change counts as a correction,
    /// and no run is repeated. The limit is three hours, as in Vixie cron (cron(8)).
    static let correction = 3 * 3_600

    /// Adds a job.
    ///
    /// A job of the same name is replaced. If the schedules are equal, the new job keeps the replaced job's
    /// times. Otherwise the new job starts from the present time. In both cases, runs of the replaced job
    /// that have started count as running runs of the new job.
    ///
    /// - Parameters:
    ///   - zone: the index of the job's zone in `zones`.
    ///   - record: the journal's record of the job; `nil` if there is none for the present schedule.
    /// - Returns: the action of the replaced job; `nil` if no job was replaced. The caller releases the action
    ///   outside of locks, because an object that the action holds may call the scheduler from its
    ///   deinitializer.
    mutating func add(_ job: CronJob, zone: UInt16, record: RunRecord?, at now: Moment) -> CronJob.Action? {
        let slot = newSlot(for: job, zone: zone, at: now)
        guard let place = places[job.name] else {
            let place = insert(slot)
            begin(place, record: record, at: now)
            schedule(place)
            return nil
        }
        let old = slots[Int(place)]
        let isSameSchedule = old.rule == slot.rule && old.zone == zone
        slots[Int(place)] = slot
        slots[Int(place)].takeOver(from: old, isSameSchedule: isSameSchedule)
        if isSameSchedule {
            // The waiting runs of the replaced job wait until its running runs have ended. If runs of the
            // new job may overlap, the waiting runs can start now.
            if job.overlap == .concurrent, waiting[place] != nil { ready.append(place) }
        } else {
            waiting[place] = nil
            begin(place, record: nil, at: now)
        }
        schedule(place)
        // The journal is right if it had the record of both jobs. Otherwise the caller has written a record
        // with the present time, or a removal. A run of the replaced job may have been recorded before or
        // after that, or may still be recorded.
        let isRecorded = isSameSchedule && isJournalled(old) && record != nil
        if !isRecorded, isJournalled(old) || isJournalled(slot) { unrecorded.insert(place) }
        return old.action
    }

    private mutating func newSlot(for job: CronJob, zone: UInt16, at now: Moment) -> Slot {
        var last = now.wall.wholeSeconds
        var phase = job.delay
        if case .every = job.expression.rule {
            let anchor = job.start(at: now).microseconds / 1_000
            last = anchor.floored(by: 1_000)
            phase = anchor - last * 1_000
        }
        serials &+= 1
        return Slot(
            name: job.name,
            action: job.action,
            rule: job.expression.rule,
            scheduled: .max,
            last: last,
            zone: zone,
            hasRun: false,
            phase: UInt32(phase),
            options: place(of: Options(overlap: job.overlap, missed: job.missed, grace: job.grace)),
            serial: serials
        )
    }

    private mutating func insert(_ slot: Slot) -> UInt32 {
        let place: UInt32
        if let last = free.popLast() {
            place = last
            slots[Int(place)] = slot
        } else {
            place = UInt32(slots.count)
            // The capacity grows by an eighth. Doubling would leave up to half of the memory unused.
            if slots.count == slots.capacity { slots.reserveCapacity(slots.count + slots.count / 8 + 16) }
            slots.append(slot)
        }
        places[slot.name] = place
        return place
    }

    /// Finds the first time of a job.
    private mutating func begin(_ place: UInt32, record: RunRecord?, at now: Moment) {
        let index = Int(place)
        let slot = slots[index]
        disbelieved[place] = nil
        if slot.rule == .reboot {
            // The job is due at once, unless the journal has a record of this boot.
            slots[index].scheduled = record?.boot == now.boot ? .max : slot.last
            return
        }
        if let record, options[Int(slot.options)].missed != .skip {
            // A time of the record may be later than the present time. If the difference is above the
            // tolerance, the clock was wrong when the time was recorded, or is wrong now. For example, a
            // clock without a battery is wrong when the machine starts. Such a time is kept until the clock
            // is set, see `believe`.
            let (reached, ahead) = record.times(upTo: slot.last + slot.rule.tolerance)
            disbelieved[place] = ahead.isEmpty ? nil : ahead
            if let reached {
                slots[index].last = reached.wholeSeconds
                // An `@every` record with later times may have the time at which an earlier process added the
                // job. It is then unknown whether the job has run.
                let isUnsure = if case .every = slot.rule { !ahead.isEmpty } else { false }
                // With jitter, the first record of an `@every` job may have a future time, at which no run
                // took place.
                slots[index].hasRun = reached <= now.wall && !isUnsure
                slots[index].takePhase(of: reached)
            } else {
                // The job continues from the present time. This time is recorded, so that later processes
                // continue from it too. If each process began anew, and none lived until the job's next time,
                // the job would never run.
                unrecorded.insert(place)
            }
        }
        continueAfterLast(index)
    }

    /// Finds the next time of a slot after its last one.
    mutating func continueAfterLast(_ index: Int) {
        let slot = slots[index]
        slots[index].scheduled = slot.rule.next(after: slot.last, in: zones[Int(slot.zone)]) ?? .max
    }

    /// Removes jobs. Runs that have started continue.
    ///
    /// - Returns: the jobs' actions, which the caller releases outside of locks.
    mutating func remove(_ names: Set<ActivityName>) -> [CronJob.Action] {
        var actions: [CronJob.Action] = []
        for name in names {
            guard let place = places.removeValue(forKey: name) else { continue }
            let index = Int(place)
            actions.append(slots[index].action)
            slots[index].scheduled = .max
            slots[index].serial = 0
            slots[index].action = { _ in }
            slots[index].name = ActivityName("")
            waiting[place] = nil
            disbelieved[place] = nil
            unrecorded.remove(place)
            free.append(place)
        }
        ready.removeAll { slots[Int($0)].serial == 0 }
        if isOutdated { rebuildHeap() }
        return actions
    }

    /// Notes that a run of a slot has ended.
    ///
    /// - Returns: whether a waiting run can start now.
    mutating func ended(slot: UInt32, serial: UInt32) -> Bool {
        // By now the slot may belong to another job, which has another serial number.
        guard slots[Int(slot)].serial == serial else { return false }
        slots[Int(slot)].running -= 1
        guard slots[Int(slot)].running == 0, waiting[slot] != nil else { return false }
        ready.append(slot)
        return true
    }

    /// Whether the wall clock was set by more than 0.1 seconds since the times were found. Slewing does not
    /// count, because it changes the wall clock and the time since boot alike.
    func isOutOfStep(with now: Moment) -> Bool { Self.isSetting(now.skew - skew) }

    private static func isSetting(_ shift: Int) -> Bool { abs(shift) > 100_000 }

    /// Finds all times again after the wall clock was set or the zone changed.
    ///
    /// Runs that are due stay due. If the clock was set forward, the runs of the skipped time are missed.
    /// Runs up to a record's time took place before the jobs were added.
    mutating func recalculate(at now: Moment) {
        let shift = now.skew - skew
        skew = now.skew
        for place in places.values {
            let last = slots[Int(place)].lastTime
            recalculate(Int(place), shift: shift, at: now)
            if Self.isSetting(shift) { keep(last, of: place, at: now) }
        }
        believe(after: shift, at: now)
        // The new heap has an entry for each job that has a next time. This includes the slots in
        // `parked.due`, so the list is emptied.
        parked.due = []
        rebuildHeap()
    }

    private mutating func recalculate(_ index: Int, shift: Int, at now: Moment) {
        let slot = slots[index]
        switch slot.rule {
        case .reboot where slot.scheduled != .max:
            slots[index].scheduled += shift.floored(by: 1_000_000)
        case .reboot: break
        case .every(let pause):
            // The pause of an `@every` is elapsed time. So the wall time of the next run moves by as much as
            // the wall clock. If the moved time would overflow `Int`, the run keeps its time.
            let (due, overflow) = slot.due.addingReportingOverflow(shift)
            guard slot.due != .max, !overflow else { return }
            slots[index].scheduled = due.floored(by: 1_000_000)
            slots[index].phase = UInt32((due - slots[index].scheduled * 1_000_000) / 1_000)
            slots[index].last = slots[index].scheduled - pause
            // The runs that wait were due by the clock as it was, and move with it too.
            waiting[UInt32(index)]?.move(by: slots[index].last - slot.last)
        case .fields:
            let micros = now.wall.microseconds
            if slot.due <= micros { return }
            // A run is due by now if its scheduled second is not later than `through`. The phase, which is
            // the jitter here, delays each run, so it is subtracted.
            let through = (micros - Int(slot.phase) * 1_000).floored(by: 1_000_000)
            let isCorrection = slot.rule.isFixed && -shift <= Self.correction * 1_000_000
            // If the clock was set back further than a correction, times that have passed come again. A time
            // before the job was added must not come. So `last` moves back by no more than the clock did.
            if !isCorrection, shift < 0 {
                // After an earlier correction, `last` may be later than the time that the clock had reached.
                let reached = min(slot.last, (micros - shift) / 1_000_000)
                slots[index].last = min(slot.last, max(through, reached + shift / 1_000_000))
            }
            let from = max(slots[index].last, through)
            slots[index].scheduled = slot.rule.next(after: from, in: zones[Int(slot.zone)]) ?? .max
        }
    }
}

extension JobTable.Slot {
    /// Takes over the running runs of an old slot, and its times if the schedule is the same.
    fileprivate mutating func takeOver(from old: Self, isSameSchedule: Bool) {
        (serial, running) = (old.serial, old.running)
        edition = isSameSchedule ? old.edition : old.edition &+ 1
        guard isSameSchedule else { return }
        (last, scheduled, passed, hasRun) = (old.last, old.scheduled, old.passed, old.hasRun)
        if case .every = rule { phase = old.phase }
    }

    /// Takes the fraction of a second at which the pauses of an `@every` rule end from the time of a record.
    mutating func takePhase(of last: Duration) {
        guard case .every = rule else { return }
        phase = UInt32((last.microseconds - last.wholeSeconds * 1_000_000) / 1_000)
    }
}

extension CronExpression.Rule {
    /// Whether the rule fires at fixed wall times. A clock that is set back shows such times twice.
    var isFixed: Bool {
        guard case .fields(let sets) = self else { return false }
        return !sets.isElapsed
    }

    /// The number of seconds by which a recorded time may be ahead of the clock and still count.
    var tolerance: Int { isFixed ? JobTable.correction : 0 }
}
