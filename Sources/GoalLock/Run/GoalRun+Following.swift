internal import PortcullisCore

// What a run does so that the shield follows the lock's status.
extension GoalRun {
    /// Calls `deliver` at intervals to check for changes. If the store signals the changes of other
    /// processes, an interval of 20 seconds suffices, because the checks mainly repeat failed work. For any
    /// other store the interval is one second.
    func look(repeating feed: GoalFeed, _ deliver: () -> Void) async {
        let isTold = service.backends.secrets.capabilities.contains(.signalsOtherProcesses)
        let interval = isTold ? Duration.seconds(20) : .seconds(1)
        var last: GoalStatus?
        // The status with which the shield last disagreed.
        var disputed: GoalStatus?
        while true {
            do { try await clock.sleep(until: .sinceBoot(clock.now.sinceBoot + interval)) } catch { return }
            await feed.storeRest()
            // After a failed read `last` stays. So the next read still finds a change that was made
            // meanwhile. The first status counts as news, because the state may have changed since the
            // launch.
            var isNews = false
            if var status = try? await service.status() {
                status.untilNextDay = .zero
                isNews = status != last
                last = status
                // The shield may not follow the status although the status is the same as before. For
                // example, another process has changed the shield late, and has ended before it read the
                // state again. The status is then carried out once more. It is not carried out a third time,
                // because two processes in different time zones may disagree about the shield for long, and
                // would answer each other without end.
                if !isNews, status != disputed, await !shield.coverage().follows(status) {
                    isNews = true
                    disputed = status
                }
            }
            // An error of `refresh` is ignored here, because the service stores it in `failure`. `deliver`
            // makes the run check the lock, and the run then reports `failure`.
            if await service.failure != nil || isNews { _ = try? await service.refresh() }
            deliver()
        }
    }

    /// Carries out the lock's status if the shield does not follow that status, for example after a failed
    /// change.
    ///
    /// - Returns: `false` if the attempt to carry the status out failed; `true` if the shield follows the
    ///   status now, or if the status cannot be read.
    func followStatus() async -> Bool {
        guard let status = try? await service.status(), await !shield.coverage().follows(status) else {
            return true
        }
        // The service stores the error in `failure`, and the run reports it.
        return (try? await service.refresh()) != nil
    }
}

extension ShieldCoverage {
    /// Whether the lock's shield is as a status demands: up over the chosen apps, or down.
    func follows(_ status: GoalStatus) -> Bool {
        applied[GoalNames.shield] == (status.isShielded ? status.selection : nil)
    }
}
