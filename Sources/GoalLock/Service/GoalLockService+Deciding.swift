internal import AdapterKit
internal import PortcullisCore

extension GoalLockService {
    private struct Decision {
        var status: GoalStatus
        var effects: [GoalRules.Effect]
        /// The boot-clock time at which the next day begins. It stays right if the wall clock is changed.
        var dayEnd: ClockDeadline
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

    /// Decides on an event, writes the new state, and carries the effects out.
    ///
    /// The call finishes even if the calling task is cancelled. If the call stopped half-way, the shield
    /// might not follow the written state, and a notification that is recorded as sent might not be sent.
    ///
    /// - Parameters:
    ///   - event: the event.
    ///   - asked: the boot-clock time of the request; `nil`: now.
    ///   - isFollowing: whether the call only carries out the decisions of another process.
    ///   - executor: the executor of the work; `nil`: Swift's pool.
    func take(
        _ event: GoalRules.Event,
        asked: Duration? = nil,
        isFollowing: Bool = false,
        on executor: (any TaskExecutor)? = nil
    ) async throws(GoalError) -> GoalStatus {
        let asked = asked ?? backends.clock.now.sinceBoot
        let work = Task(executorPreference: executor) {
            await self.result(of: event, asked: asked, isFollowing: isFollowing)
        }
        return try await work.value.get()
    }

    private func result(
        of event: GoalRules.Event,
        asked: Duration,
        isFollowing: Bool
    ) async -> Result<GoalStatus, GoalError> {
        do throws(GoalError) {
            return .success(try await settle(event, asked: asked, isFollowing: isFollowing))
        } catch {
            note([.failed(error.code)])
            return .failure(error)
        }
    }

    /// Decides on an event, carries the effects out, and repeats both if the state, the entitlement or the
    /// authorization has changed meanwhile.
    ///
    /// Another process may change the state and the shield while this process puts up or lifts the shield.
    /// Both processes then repeat their work, so the shield follows the latest state in the end.
    private func settle(
        _ event: GoalRules.Event,
        asked: Duration,
        isFollowing: Bool
    ) async throws(GoalError) -> GoalStatus {
        var (event, isFollowing) = (event, isFollowing)
        let before = settlements
        // The loop may run again. It then repeats every failed step except the notification. So the error of
        // a failed notification is kept here.
        var unsent: GoalError?
        while true {
            let circumstances = await circumstances()
            let (decision, version): (Decision, GoalRecordStore.Version)
            do {
                (decision, version) = try await decide(
                    event,
                    asked: asked,
                    isFollowing: isFollowing,
                    in: circumstances
                )
            } catch {
                self.unsent = unsent ?? self.unsent
                keep(error, since: before)
                lookAgain(after: error)
                throw error
            }
            decisions += 1
            let number = decisions
            let failures = await carryOut(decision.effects)
            var failed = failures.first
            unsent = failures.first { $0.code == .notifier } ?? unsent
            var isStill = true
            do throws(GoalError) {
                isStill = try await records.version() == version
            } catch {
                failed = failed ?? error
            }
            if isStill { isStill = await self.circumstances() == circumstances }
            if isStill {
                failed = failed ?? unsent
                // If this instance has made a later decision meanwhile, only the later decision informs the
                // observers.
                if number == decisions {
                    concluded = number
                    // A call with `isFollowing` only carries out a stored state. If this process has already
                    // acted on that state, the call sends no notification. So it cannot tell whether
                    // notifications work again, and keeps an earlier failure of a notification.
                    let isKnown = isFollowing && settled == version && failure?.code == .notifier
                    conclude(
                        decision,
                        version,
                        failure: failed ?? self.unsent ?? (isKnown ? failure : nil)
                    )
                    // Only one failure is reported at a time. If the notification failed, but a different
                    // failure is reported now, the notification's error is kept. The first later decision
                    // without a different failure reports it.
                    let isHidden = failed != nil && failed?.code != .notifier
                    self.unsent = isHidden ? unsent ?? self.unsent : nil
                } else if let unsent {
                    keep(unsent)
                }
                if let failed { throw failed }
                return decision.status
            }
            (event, isFollowing) = (.look, true)
        }
    }

    /// Stores the error of a failed notification in ``failure``, or in ``unsent`` for the next decision to
    /// report. Notifications are not repeated, so no later call would find this error.
    private func keep(_ unsent: GoalError) {
        let isHidden = failure != nil && failure?.code != .notifier
        if concluded == decisions, !isHidden { failure = unsent } else { self.unsent = unsent }
    }

    private func conclude(
        _ decision: Decision,
        _ version: GoalRecordStore.Version,
        failure: GoalError?
    ) {
        let isFollowed = failure == nil || failure?.code == .notifier
        settled = isFollowed ? version : nil
        announce(decision.status, failure: failure)
        lookAgain(at: decision.status.isEnabled ? decision.dayEnd : nil)
        if let failure { lookAgain(after: failure) }
    }

    /// Reads the state, decides on the event, and writes the result if the state has not changed meanwhile.
    /// If the state has changed, the call starts again.
    ///
    /// A process that only carries out the decisions of another process writes the state only if the goal was
    /// reached. Such a process does not write a new date. Two processes in different time zones may have
    /// different dates. If both wrote their dates, each would react to the writes of the other without end.
    ///
    /// - Parameter asked: the boot-clock time of the request.
    /// - Returns: the decision, and the version of the state that the decision is about.
    private func decide(
        _ event: GoalRules.Event,
        asked: Duration,
        isFollowing: Bool,
        in circumstances: GoalRules.Circumstances
    ) async throws(GoalError) -> (decision: Decision, version: GoalRecordStore.Version) {
        let (decision, version) = try await records.update {
            found throws(GoalError) -> GoalRecordStore.Change<Decision> in
            var record = found ?? initialRecord
            // The clocks are read after the state, so that their time is not earlier than the stored time.
            let clocks = Clocks(backends.clock)
            var event = event
            // Progress without a date is progress of the day of the request. If a new day has begun since
            // then, the progress is dropped.
            if case .progress(_, of: nil) = event,
                record.dayBegan(within: clocks.now.sinceBoot - asked, at: clocks)
            {
                event = .look
            }
            let (today, effects) = GoalRules.decide(event, on: &record, at: clocks, in: circumstances)
            let decision = Decision(
                status: GoalStatus(record, today: today, in: circumstances),
                effects: effects,
                dayEnd: .sinceBoot(clocks.now.sinceBoot + today.left)
            )
            let hasNoNews = isFollowing && record.granted == (found ?? initialRecord).granted
            // A mere check must not store the first state, because a stored state takes the place of the
            // host's configuration.
            let isUnset = found == nil && event == .look
            return hasNoNews || isUnset || record == found ? .keep(decision) : .write(record, decision)
        }
        return (decision, version)
    }

    /// Carries out all effects, even if some of them fail.
    ///
    /// - Returns: the failures, in the order of the effects.
    func carryOut(_ effects: [GoalRules.Effect]) async -> [GoalError] {
        var failures: [GoalError] = []
        for effect in effects {
            do throws(GoalError) { try await carryOut(effect) } catch { failures.append(error) }
        }
        return failures
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
            // An activity that already has this schedule is not restarted. A restart makes the scheduler
            // report the start of the day again. That report would cause the next restart, without end.
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
            // The person does not allow notifications. This is not a failure.
        } catch {
            throw GoalError(error)
        }
    }
}
