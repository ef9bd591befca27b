internal import AdapterKit
internal import PortcullisCore

extension CronJob {
    /// The name of the job's zone: the zone in the expression, or else the zone of the job.
    var zoneName: String? { expression.zoneName ?? zone }

    /// The milliseconds by which the jitter delays each run. They depend only on the job's name and jitter,
    /// so they are the same for each run.
    var delay: Int {
        guard jitter > .zero else { return 0 }
        var hash = StableHash()
        hash.combine(name.rawValue)
        return Int(hash.value % UInt64(jitter.microseconds / 1_000 + 1))
    }

    /// The wall time from which a job that is added now counts its times. An `@every` rule counts its pauses
    /// from here, so the jitter moves this time, and with it all times of the job.
    func start(at now: Moment) -> Duration {
        if case .every = expression.rule { now.wall + .milliseconds(delay) } else { now.wall }
    }

    /// The record that is written to a journal for a new job; `nil` if the new job gets no record. A job that
    /// skips missed runs never continues from a record. An `@reboot` job gets its record when it runs. A
    /// record of the present boot means that the job has run.
    func firstRecord(at now: Moment) -> RunRecord? {
        guard missed != .skip, !expression.isReboot else { return nil }
        return RunRecord(schedule: digest, last: start(at: now), boot: now.boot)
    }

    /// The digest of the schedule, which a record holds.
    var digest: UInt64 { expression.rule.digest(zone: zoneName) }

    /// The largest size of a name in bytes. A page of the journal has room for a name of this size.
    static let longestName = 1_024

    func validate() throws(CronSchedulerError) {
        guard name.rawValue.utf8.count <= Self.longestName else {
            throw CronSchedulerError(
                code: .invalidJob,
                message: "a job is refused: its name has more than \(Self.longestName) bytes"
            )
        }
        let day = Duration.seconds(86_400)
        guard grace >= .zero, jitter >= .zero, jitter <= day else {
            throw invalid("its grace must not be negative, its jitter from 0 to 24 hours")
        }
        if case .queue(let limit) = overlap, limit < 1 { throw invalid("its queue must have room for a run") }
        if case .all(let limit) = missed, limit < 1 { throw invalid("it must make up for at least one run") }
        if expression.neverFires {
            throw CronSchedulerError(code: .neverFires, message: "job “\(name.rawValue)” would never run")
        }
    }

    /// Whether the job continues from a record. The job does so if the record has the job's present schedule,
    /// and the job does not skip missed runs.
    func continues(from record: RunRecord?) -> Bool { missed != .skip && record?.schedule == digest }

    /// Throws if the expression has no time left, for example because its last year is over. If the job
    /// continues from a record of the journal, the times after the record count as well: their runs were
    /// missed.
    func checkFires(
        after now: Moment,
        known record: RunRecord?,
        in zone: ZoneRules
    ) throws(CronSchedulerError) {
        var last = now.wall
        if let record, continues(from: record) {
            let reached = record.times(upTo: now.wall.wholeSeconds + expression.rule.tolerance).reached
            last = min(last, reached ?? last)
        }
        guard !expression.isReboot, expression.next(after: last, in: zone) == nil else { return }
        throw CronSchedulerError(
            code: .neverFires,
            message: "job “\(name.rawValue)” has no time left at which it would run"
        )
    }

    private func invalid(_ reason: String) -> CronSchedulerError {
        CronSchedulerError(code: .invalidJob, message: "job “\(name.rawValue)” is refused: \(reason)")
    }
}

extension CronSchedulerError {
    /// Makes the error of a journal that failed.
    init(_ error: RunJournalError, _ what: String) {
        self.init(code: .journal, message: "\(what): \(error.message)", cause: error)
    }

    static let isShutDown = CronSchedulerError(code: .shutDown, message: "the scheduler was shut down")
}
