internal import AdapterKit
internal import DequeModule
internal import PortcullisCore

// The records of jobs in the journal.
extension JobTable {
    /// Notes that a slot needs a new record if the clock has moved its last time. If the clock was set back
    /// before the earlier time, that time is kept, because its run must not be repeated once the clock is set
    /// forward again.
    mutating func keep(_ earlier: Duration, of place: UInt32, at now: Moment) {
        let slot = slots[Int(place)]
        guard slot.lastTime != earlier else { return }
        unrecorded.insert(place)
        guard earlier.wholeSeconds > now.wall.wholeSeconds else { return }
        // The pause of an `@every` job that has had no run yet goes on, whatever is done to the clock.
        if case .every = slot.rule, !slot.hasRun { return }
        disbelieved[place] = RunRecord.later((disbelieved[place] ?? []) + [earlier])
    }

    /// Continues jobs from the times that the clock disproved, if it is now set to these times or past them.
    /// It was set by `shift` microseconds.
    mutating func believe(after shift: Int, at now: Moment) {
        let moment = now.wall.wholeSeconds
        let earlier = moment - shift.floored(by: 1_000_000)
        for (place, times) in disbelieved {
            let index = Int(place)
            let limit = slots[index].rule.tolerance
            let reached = times.filter { time in
                // The clock may have come within the limit by itself. Then the time counts only once the
                // clock is set to it or past it.
                time.wholeSeconds - moment <= (time.wholeSeconds - earlier > limit ? limit : 0)
            }
            guard let last = reached.max() else { continue }
            let others = times.filter { !reached.contains($0) }
            disbelieved[place] = others.isEmpty ? nil : others
            unrecorded.insert(place)
            // If the time has come without a change of the clock, the clock was wrong when the time was
            // recorded.
            guard last.wholeSeconds > earlier else { continue }
            if case .every = slots[index].rule {
                // The pause goes on from the record, unless it began with a run. The time of a run has moved
                // with the clock, so it is right already.
                if slots[index].hasRun { continue }
            } else if slots[index].last >= last.wholeSeconds {
                // Runs since the job was added have a later time.
                continue
            }
            slots[index].last = last.wholeSeconds
            slots[index].takePhase(of: last)
            slots[index].hasRun = true
            continueAfterLast(index)
        }
    }

    /// Adds a record for the journal.
    func remember(_ place: UInt32, _ choice: Options, boot: BootID, in plan: inout Plan) {
        guard isJournalled(choice) else { return }
        plan.entries.append(
            JournalEntry(job: slots[Int(place)].name, record: record(of: place, boot: boot))
        )
    }

    /// Adds the records of the slots whose times have changed without a run.
    mutating func recordAnew(boot: BootID, into plan: inout Plan) {
        for place in unrecorded {
            remember(place, options[Int(slots[Int(place)].options)], boot: boot, in: &plan)
        }
        unrecorded = []
    }

    /// The record of a job for the journal; `nil` for an unknown job and for an `@reboot` job.
    func presentRecord(of job: ActivityName, boot: BootID) -> RunRecord? {
        guard let place = places[job], slots[Int(place)].rule != .reboot else { return nil }
        return record(of: place, boot: boot)
    }

    /// The record of a slot for the journal. It says up to which time all runs were handled: up to the last
    /// run, or up to the time before the first waiting run.
    private func record(of place: UInt32, boot: BootID) -> RunRecord {
        let slot = slots[Int(place)]
        var second = slot.last
        if !waiting.isEmpty, let first = waiting[place]?.first {
            second = slot.second(before: first)
        }
        let last = slot.time(of: second)
        return RunRecord(
            schedule: slot.rule.digest(zone: zoneName(of: slot)),
            last: last,
            boot: boot,
            ahead: disbelieved[place].map { later($0, than: last, of: place) } ?? []
        )
    }

    /// The times of `times` that are later times of a slot's record with the time `last`.
    private func later(_ times: [Duration], than last: Duration, of place: UInt32) -> [Duration] {
        let slot = slots[Int(place)]
        // A time up to the last run has been passed by the clock, so it says nothing about waiting runs.
        var kept = times.filter { $0 > slot.lastTime }
        // Runs from before the clock was set back may still wait, so they are not done at the later time.
        if let wait = waiting[place]?.first(where: { $0.second > slot.last }) {
            let end = slot.time(of: slot.second(before: wait))
            kept = kept.map { min($0, end) }
        }
        return RunRecord.later(kept.filter { $0 > last })
    }
}

extension JobTable.Slot {
    /// The second up to which all runs before a waiting run were handled.
    ///
    /// After a restart the job continues from the recorded time, so this time must lie before the waiting
    /// run. For an expression with fields, any second between the previous run and the waiting run is right.
    /// For an `@every` expression, only the start of the pause that ends with the waiting run is right.
    fileprivate func second(before wait: JobTable.Wait) -> Int {
        if case .every(let pause) = rule { return wait.second - pause }
        return wait.second - 1
    }
}

extension RunRecord {
    /// The latest of the record's times up to a second, `nil` if there is none, and the times after it.
    func times(upTo second: Int) -> (reached: Duration?, ahead: [Duration]) {
        let times = [last] + ahead
        return (
            times.filter { $0.wholeSeconds <= second }.max(),
            Self.later(times.filter { $0.wholeSeconds > second })
        )
    }

    /// Times without those between the first one and the last two. The first one is right if the clock was
    /// ahead when the others were recorded. The last one is right if the clock was behind when the others
    /// were. The one before the last is right if the clock was ahead once and behind later.
    static func later(_ times: [Duration]) -> [Duration] {
        let sorted = Set(times).sorted()
        return sorted.count > 3 ? [sorted[0]] + sorted.suffix(2) : sorted
    }
}
