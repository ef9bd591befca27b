internal import PortcullisCore

extension SchedulerCore {
    /// Adds jobs that were checked.
    ///
    /// - Parameters:
    ///   - zones: the zones of the jobs, by the names that the jobs use.
    ///   - clockZone: the name of the clock's zone when its rules were looked up.
    ///   - records: the records from which the jobs continue.
    ///   - count: the `changeCount` when the caller began to read the records.
    /// - Returns: the actions of the replaced jobs, which the caller releases outside of the lock.
    func add(
        _ jobs: [CronJob],
        in zones: [String?: ZoneRules],
        ofClock clockZone: String,
        known records: [ActivityName: RunRecord],
        since count: UInt64,
        to state: inout SchedulerState
    ) throws(CronSchedulerError) -> [CronJob.Action] {
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
        // Whether the journal may have other entries of the jobs than the caller has read and written. Other
        // calls may have written entries meanwhile, or may have entries that wait.
        let isOvertaken = state.isWritePending || state.changeCount != count
        var replaced: [CronJob.Action] = []
        for job in jobs {
            let place = places[job.zoneName] ?? 0
            // If the job was removed meanwhile, the record may be older than the last run.
            let known = state.wasRemoved(job.name, since: count) ? nil : records[job.name]
            if let old = state.jobs.add(job, zone: place, record: known, at: now) {
                replaced.append(old)
            } else if isOvertaken {
                // An earlier job of this name may have entries, such as the removal of its record. They may
                // still wait, or may have been written after the record of this job.
                state.jobs.mistrustRecord(of: job.name)
            }
        }
        return replaced
    }
}
