internal import PortcullisCore

extension GoalLockService {
    private struct Decision {
        var status: GoalStatus
        var effects: [GoalRules.Effect]
        var version: GoalRecordStore.Version
    }

    var initialRecord: GoalRecord {
        GoalRecord(goal: configuration.goal, title: configuration.title, dayStart: configuration.dayStart)
    }

    var isEntitled: Bool {
        get async { await entitlement?.isEntitled ?? true }
    }

    func circumstances() async -> GoalRules.Circumstances {
        GoalRules.Circumstances(
            isEntitled: await isEntitled,
            authorization: await backends.shield.authorization
        )
    }

    /// Decides, writes, and carries out.
    ///
    /// Another process may have decided otherwise while this one's shields were on their way, and have been faster.
    /// So it looks again afterwards: whoever moves shields last has moved them as the latest state says.
    func take(_ event: GoalRules.Event) async throws(GoalError) -> GoalStatus {
        var event = event
        while true {
            let circumstances = await circumstances()
            let decision = try await decide(event, in: circumstances)
            decisions += 1
            let number = decisions
            let failed = await carryOut(decision.effects)
            let isStill =
                if try await records.version() == decision.version {
                    await self.circumstances() == circumstances
                } else {
                    false
                }
            if isStill {
                // A later decision of this instance tells the observers itself.
                if number == decisions {
                    settled = failed == nil ? decision.version : nil
                    watchDayEnd(decision.status)
                    announce(decision.status, failure: failed)
                }
                if let failed { throw failed }
                return decision.status
            }
            event = .look
        }
    }

    /// Reads, decides and writes if nobody else wrote meanwhile; starts again otherwise.
    private func decide(
        _ event: GoalRules.Event,
        in circumstances: GoalRules.Circumstances
    ) async throws(GoalError) -> Decision {
        var event = event
        while true {
            let found = try await records.read()
            var record = found?.record ?? initialRecord
            // The clocks are read after the state: so no process goes back to a time before what it found.
            let (today, effects) = GoalRules.decide(
                event,
                on: &record,
                at: Clocks(backends.clock),
                in: circumstances
            )
            let version = found?.version ?? GoalRecordStore.Version(number: nil)
            let status = GoalStatus(record, today: today, in: circumstances)
            if record == found?.record {
                return Decision(status: status, effects: effects, version: version)
            }
            if let version = try await records.write(record, over: version) {
                return Decision(status: status, effects: effects, version: version)
            }
            // Should midnight pass before the next try, it is still progress of this date.
            if case .progress(let progress, nil) = event { event = .progress(progress, of: today.date) }
        }
    }

    /// Carries all of it out, also when some of it fails.
    ///
    /// - Returns: what failed first.
    func carryOut(_ effects: [GoalRules.Effect]) async -> GoalError? {
        var failed: GoalError?
        for effect in effects {
            do throws(GoalError) { try await carryOut(effect) } catch { failed = failed ?? error }
        }
        return failed
    }

    private func carryOut(_ effect: GoalRules.Effect) async throws(GoalError) {
        switch effect {
        case .apply(let selection):
            do {
                try await backends.shield.apply(selection, as: GoalNames.shield)
            } catch {
                throw GoalError(error)
            }
        case .lift:
            do { try await backends.shield.clear(GoalNames.shield) } catch { throw GoalError(error) }
        case .startActivity(let schedule):
            // Starting anew would report the day's start anew, and that leads here.
            guard await monitored?.schedule != schedule else { return }
            do {
                try await backends.scheduler.start(GoalNames.activity, schedule: schedule)
            } catch {
                throw GoalError(error)
            }
        case .stopActivity:
            if await monitored != nil { await backends.scheduler.stop([GoalNames.activity]) }
        case .notify(let date):
            try await notify(of: date)
        }
    }

    private var monitored: MonitoredActivity? {
        get async { await backends.scheduler.monitored()[GoalNames.activity] }
    }

    private func notify(of date: CivilDate) async throws(GoalError) {
        let notification = LockNotification(
            id: GoalNames.unlocked,
            title: configuration.strings.unlockedTitle,
            body: configuration.strings.unlockedText
        )
        do {
            try await backends.notifier.deliver(notification)
        } catch  where error.code == .notAuthorized {
            // The person does not want to be told, and that is all there is to it.
        } catch {
            throw GoalError(error)
        }
    }
}
