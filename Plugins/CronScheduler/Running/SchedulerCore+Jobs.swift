internal import PortcullisCore

extension SchedulerCore {
    /// Adds jobs that were checked.
    ///
    /// - Parameters:
    ///   - zones: the zones of the jobs, by the names that the jobs use.
    ///   - records: the journal's records of the jobs.
    /// - Returns: the parts of the replaced jobs, which the caller releases outside of the lock.
    func add(
        _ jobs: [CronJob],
        in zones: [String?: ZoneRules],
        known records: [ActivityName: RunRecord],
        to state: inout SchedulerState
    ) throws(CronSchedulerError) -> [JobTable.Replaced] {
        let now = clock.now
        var places: [String?: UInt16] = [:]
        for (name, zone) in zones {
            guard let name else {
                if state.jobs.clockZoneName == nil { state.jobs.followZone(zone, named: clock.zone) }
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
            guard let old = state.jobs.add(job, zone: place, record: records[job.name], at: now) else {
                continue
            }
            replaced.append(old)
            // If the schedule is new, the journal may have a record of the old schedule: a run may have been
            // recorded after the caller read the journal. The correction replaces that record.
            if journal != nil, old.hasNewSchedule {
                let record = job.missed == .skip ? nil : job.record(at: now)
                state.correct(JournalEntry(job: job.name, record: record))
            }
        }
        return replaced
    }
}
