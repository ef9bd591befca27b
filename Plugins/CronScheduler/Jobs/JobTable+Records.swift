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
        disbelieved[place] = max(earlier, disbelieved[place] ?? earlier)
    }

    /// Continues jobs from the times that the clock disproved, if it is now set to these times or past them.
    /// It was set by `shift` microseconds.
    mutating func believe(after shift: Int, at now: Moment) {
        for (place, last) in disbelieved {
            let index = Int(place)
            let limit = slots[index].rule.tolerance
            let ahead = last.wholeSeconds - now.wall.wholeSeconds
            // The clock may have come within the limit by itself. Then the record counts only once the clock
            // is set to the record's time or past it.
            let before = ahead + shift.floored(by: 1_000_000)
            guard ahead <= (before > limit ? limit : 0) else { continue }
            disbelieved[place] = nil
            unrecorded.insert(place)
            // If the record's time has come without a change of the clock, the clock was wrong when the
            // record was written.
            guard before > 0 else { continue }
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
            // After a restart the job continues from the recorded time, so this time must lie before the
            // waiting run. For an expression with fields, any second between the previous run and the waiting
            // run is right. For an `@every` expression, only the start of the pause that ends with the
            // waiting run is right.
            if case .every(let pause) = slot.rule {
                second = first.second - pause
            } else {
                second = first.second - 1
            }
        }
        let last = slot.time(of: second)
        return RunRecord(
            schedule: slot.rule.digest(zone: zoneName(of: slot)),
            last: last,
            boot: boot,
            ahead: disbelieved[place].flatMap { $0 > last ? $0 : nil }
        )
    }
}

extension RunRecord {
    /// The latest of the record's times up to a second, and the latest one after it; `nil` if there is none.
    func times(upTo second: Int) -> (reached: Duration?, ahead: Duration?) {
        let times = [last, ahead].compactMap { $0 }
        return (
            times.filter { $0.wholeSeconds <= second }.max(),
            times.filter { $0.wholeSeconds > second }.max()
        )
    }
}
