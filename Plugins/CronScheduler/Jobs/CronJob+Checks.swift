internal import PortcullisCore

extension CronJob {
    /// The name of the job's zone: the zone in the expression, or else the zone of the job.
    var zoneName: String? { expression.zoneName ?? zone }

    /// The record that is written to a journal for a new job.
    func record(at now: Moment) -> RunRecord {
        RunRecord(schedule: expression.rule.digest(zone: zoneName), last: now.wall, boot: now.boot)
    }

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

    /// Throws if the expression has no time left, for example because its last year is over.
    func checkFires(after now: Moment, in zone: ZoneRules) throws(CronSchedulerError) {
        guard !expression.isReboot, expression.next(after: now.wall, in: zone) == nil else { return }
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
    static let isShutDown = CronSchedulerError(code: .shutDown, message: "the scheduler was shut down")
}
