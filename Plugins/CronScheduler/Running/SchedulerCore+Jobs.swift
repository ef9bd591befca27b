internal import PortcullisCore

extension SchedulerCore {
    /// Adds jobs that were checked.
    ///
    /// - Parameters:
    ///   - zones: the zones of the jobs, by the names that the jobs use.
    ///   - clockZone: the name of the clock's zone when its rules were looked up.
    ///   - records: the records from which the jobs continue.
    ///   - isOvertaken: whether the journal may have other entries of the jobs than the caller has read and
    ///     written. Other calls may have written entries meanwhile, or may have entries that wait.
    /// - Returns: the parts of the replaced jobs, which the caller releases outside of the lock.
    func add(
        _ jobs: [CronJob],
        in zones: [String?: ZoneRules],
        ofClock clockZone: String,
        known records: [ActivityName: RunRecord],
        isOvertaken: Bool,
        to state: inout SchedulerState
    ) throws(CronSchedulerError) -> [JobTable.Replaced] {
        let now = clock.now
        // If the clock was set and its notice has not come yet, all times are found again before the jobs
        // are added. Otherwise the change would later move the new jobs too.
        if state.jobs.isOutOfStep(with: now) {
            state.jobs.recalculate(at: now)
            state.clockNotices += 1
        }
        var places: [String?: UInt16] = [:]
        for (name, zone) in zones {
            guard let name else {
                if state.jobs.clockZoneName == nil { state.jobs.followZone(zone, named: clockZone) }
                // If the clock has another zone by now, all times are found again.
                if clock.zone != clockZone { state.clockNotices += 1 }
                places[name] = 0
                continue
            }
            guard let place = state.jobs.place(of: zone, named: name) else {
                throw CronSchedulerError(code: .invalidJob, message: "there are too many time zones")
            }
            places[name] = place
        }
        var replaced: [JobTable.Replaced] = []
        for job in jobs {
            let place = places[job.zoneName] ?? 0
            let known = records[job.name]
            let old = state.jobs.add(job, zone: place, record: known, at: now)
            if let old { replaced.append(old) }
            guard journal != nil else { continue }
            if let old {
                if old.hasNewSchedule || job.missed == .skip && isOvertaken {
                    // A run of the replaced job may have been recorded after the caller read the journal, or
                    // may still be recorded. The correction replaces that record.
                    state.correct(JournalEntry(job: job.name, record: job.firstRecord(at: now)))
                } else if old.skippedMissed, job.missed != .skip {
                    // The new job continues from the last run of the old job, so its record must hold that
                    // run. Without the correction, the journal would keep a record with the present time, or
                    // a pending write would remove the record.
                    let record = state.jobs.presentRecord(of: job.name, boot: now.boot) ?? known
                    state.correct(JournalEntry(job: job.name, record: record ?? job.firstRecord(at: now)))
                }
            } else if isOvertaken {
                // An earlier job of this name may have entries, such as the removal of its record. They may
                // still wait, or may have been written after the record of this job. The correction replaces
                // them.
                state.correct(JournalEntry(job: job.name, record: known ?? job.firstRecord(at: now)))
            }
        }
        return replaced
    }
}
