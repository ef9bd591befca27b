internal import AdapterKit
internal import DequeModule
internal import PortcullisCore

// The records of jobs in the journal.
extension JobTable {
    /// Handles a slot after the clock was set. `earlier` is the slot's last time before the change. If the
    /// change has moved the last time, the slot gets a new record.
    ///
    /// If the clock now shows a time before `earlier`, then `earlier` is kept. Once the clock is set forward
    /// again, no run up to `earlier` is repeated.
    mutating func keep(_ earlier: Duration, of place: UInt32, at now: Moment) {
        let slot = slots[Int(place)]
        guard slot.lastTime != earlier else { return }
        if isJournalled(slot) { unrecorded.insert(place) }
        guard earlier.wholeSeconds > now.wall.wholeSeconds else { return }
        // If an `@every` job has not run yet, its pause continues after every change of the clock. So no time
        // is kept.
        if case .every = slot.rule, !slot.hasRun { return }
        disbelieved[place] = RunRecord.later((disbelieved[place] ?? []) + [earlier])
    }

    /// Continues jobs from their disbelieved times that the clock has reached. The clock was set by `shift`
    /// microseconds.
    mutating func believe(after shift: Int, at now: Moment) {
        let moment = now.wall.wholeSeconds
        let earlier = moment - shift.floored(by: 1_000_000)
        for (place, times) in disbelieved {
            let index = Int(place)
            let limit = slots[index].rule.tolerance
            let reached = times.filter { time in
                // The clock showed `earlier` before it was set. If the time was within the limit of
                // `earlier`, the clock had come so near by itself. In that case the time counts only once the
                // clock has reached it.
                time.wholeSeconds - moment <= (time.wholeSeconds - earlier > limit ? limit : 0)
            }
            guard let last = reached.max() else { continue }
            let others = times.filter { !reached.contains($0) }
            disbelieved[place] = others.isEmpty ? nil : others
            if isJournalled(slots[index]) { unrecorded.insert(place) }
            // The clock may have reached the time by running, without being set. Then the clock was wrong
            // when the time was recorded, so the time is not used.
            guard last.wholeSeconds > earlier else { continue }
            if case .every = slots[index].rule {
                // If the job has run, its last time has moved with the clock, and is right already. Before
                // its first run, the job continues its pause from the reached time.
                if slots[index].hasRun { continue }
            } else if slots[index].last >= last.wholeSeconds {
                // Runs up to a later time were handled already.
                continue
            }
            slots[index].last = last.wholeSeconds
            slots[index].takePhase(of: last)
            slots[index].hasRun = true
            continueAfterLast(index)
        }
    }

    /// Adds the record of a slot, if the journal is to have one.
    func remember(_ place: UInt32, boot: BootID, in plan: inout Plan) {
        guard let record = record(of: place, boot: boot) else { return }
        plan.entries.append(JournalEntry(job: slots[Int(place)].name, record: record))
    }

    /// Returns the entries of the slots that need new ones. They remove the records that the journal is not to
    /// have.
    mutating func recordAnew(boot: BootID) -> [JournalEntry] {
        defer { unrecorded = [] }
        return unrecorded.map {
            JournalEntry(job: slots[Int($0)].name, record: record(of: $0, boot: boot))
        }
    }

    /// Notes that the journal may not have the right record of a job, or may have one that it is not to have.
    mutating func mistrustRecord(of job: ActivityName) {
        if isJournalled, let place = places[job] { unrecorded.insert(place) }
    }

    /// The record of a slot for the journal; `nil` if the journal is to have none.
    ///
    /// A record of an `@reboot` job says that the job has run in this boot. So the journal has none before
    /// the run, also while the run waits for its turn. Any other record says up to which time all runs were
    /// handled. This is the time of the last run, or a time before the waiting runs. If the clock was set
    /// back, a run that began to wait later may have an earlier time than the first one.
    func record(of place: UInt32, boot: BootID) -> RunRecord? {
        guard isJournalled(slots[Int(place)]) else { return nil }
        let slot = slots[Int(place)]
        let waits = waiting.isEmpty ? nil : waiting[place]
        if case .reboot = slot.rule, slot.scheduled != .max || waits != nil { return nil }
        let second = waits?.first.map { min(slot.last, slot.second(before: $0.least)) } ?? slot.last
        let last = slot.time(of: second)
        return RunRecord(
            schedule: slot.rule.digest(zone: zoneName(of: slot)),
            last: last,
            boot: boot,
            ahead: disbelieved[place].map { later($0, than: last, of: place) } ?? []
        )
    }

    /// Returns the later times for a slot's record, from the slot's disbelieved `times`. The record's own
    /// time is `last`.
    private func later(_ times: [Duration], than last: Duration, of place: UInt32) -> [Duration] {
        let slot = slots[Int(place)]
        // The clock has passed all times up to the slot's last time. They are left out, because runs before
        // them may still wait.
        var kept = times.filter { $0 > slot.lastTime }
        // The waiting runs of an `@every` job have moved with the clock. They count as missed after a later
        // time too, so the later time is earlier by their pauses.
        if case .every = slot.rule { return RunRecord.later(kept.map { $0 - (slot.lastTime - last) }) }
        // A run from before the clock was set back may still wait. A later time must lie before this run,
        // because all runs up to a later time count as done.
        if let wait = waiting[place]?.first(where: { $0.second > slot.last }) {
            let end = slot.time(of: slot.second(before: wait.second))
            kept = kept.map { min($0, end) }
        }
        return RunRecord.later(kept.filter { $0 > last })
    }
}

extension JobTable.Slot {
    /// The second up to which all runs before a waiting run were handled. `second` is the run's time.
    ///
    /// After a restart the job continues from the recorded time. So this time must lie before the waiting
    /// run. For an expression with fields, it is the last second before the waiting run. For an `@every`
    /// expression, it is the start of the pause that ends with the waiting run.
    fileprivate func second(before second: Int) -> Int {
        if case .every(let pause) = rule { return second - pause }
        return second - 1
    }
}

extension RunRecord {
    /// Divides the record's times at a second. `reached` is the latest time up to the second; `nil` if there
    /// is none. `ahead` has the times after the second.
    func times(upTo second: Int) -> (reached: Duration?, ahead: [Duration]) {
        let times = [last] + ahead
        return (
            times.filter { $0.wholeSeconds <= second }.max(),
            Self.later(times.filter { $0.wholeSeconds > second })
        )
    }

    /// Returns the first time and the last two times, sorted. The first time is right if the clock was ahead
    /// when the others were recorded. The last time is right if the clock was behind when the others were
    /// recorded. The last time but one is right if the clock was ahead once and behind later.
    static func later(_ times: [Duration]) -> [Duration] {
        let sorted = Set(times).sorted()
        return sorted.count > 3 ? [sorted[0]] + sorted.suffix(2) : sorted
    }
}
