internal import AdapterKit
public import PortcullisCore

extension GoalLockService {
    /// Launches the lock. The call brings the shield up to date. From then on the lock follows the scheduler,
    /// the clock, the entitlement and other processes, until the last reference to the service is gone. If
    /// the store signals changes by other processes, the lock follows these changes at once. With any other
    /// store the lock finds these changes at its next check.
    ///
    /// Later failures are in ``failure``.
    ///
    /// - Throws: ``GoalError`` when the shield or the state could not be brought up to date. The lock follows
    ///   the events even then.
    @discardableResult
    public func launch() async throws(GoalError) -> GoalStatus {
        follow()
        return try await take(.look)
    }

    /// Returns a stream of the lock's statuses. The stream begins with the current status as soon as that
    /// status is known. Each new status follows. When a failure is over, the present status comes again.
    /// Every observer receives the statuses in the same order.
    public func statuses() -> AsyncStream<GoalStatus> {
        observers.stream(after: lastStatus.map { [$0] } ?? [])
    }

    func announce(_ status: GoalStatus, failure: GoalError?) {
        let isMended = self.failure != nil && failure == nil
        self.failure = failure
        settlements += 1
        hasToldOfDamage = false
        // The time until the next day differs in each status. A status that differs only in this time is not
        // sent. When a failure is over, such a status is sent too, because the shield may follow the status
        // only from now on.
        var known = lastStatus
        known?.untilNextDay = status.untilNextDay
        lastStatus = status
        guard known != status || isMended else { return }
        observers.send(status)
        note(GoalEvent.Kind.between(known, status))
    }

    private func follow() {
        guard followers.isEmpty else { return }
        let events = backends.scheduler.events()
        let notices = backends.clock.notices()
        let changes = backends.secrets.changes(in: GoalNames.records)
        followers = [
            Task(executorPreference: executor) { [weak self] in
                for await event in events { await self?.hear(event) }
            },
            Task(executorPreference: executor) { [weak self] in
                for await _ in notices { await self?.look() }
            },
            Task(executorPreference: executor) { [weak self] in
                for await _ in changes { await self?.hearOfChange() }
            },
        ]
        if let entitlement {
            let answers = entitlement.changes()
            followers.append(
                Task(executorPreference: executor) { [weak self] in
                    for await _ in answers { await self?.look() }
                }
            )
        }
    }

    private func hear(_ event: ActivityEvent) async {
        let before = settlements
        do { try await handle(event, on: executor) } catch { keep(error, since: before) }
    }

    private func look(isFollowing: Bool = false) async {
        let before = settlements
        do {
            _ = try await take(.look, isFollowing: isFollowing, on: executor)
        } catch {
            keep(error, since: before)
            await tell(of: error)
        }
    }

    private func hearOfChange() async {
        let before = settlements
        do throws(GoalError) {
            // The store also signals the changes that this instance made. If the shield already follows the
            // stored version, nothing is left to do.
            if try await records.version() == settled { return }
        } catch {
            keep(error, since: before)
            // The change is not signalled again, so the state is read again later.
            lookAgain(after: error)
            await tell(of: error)
            return
        }
        await look(isFollowing: true)
    }

    /// Stores an error in ``failure``, unless the lock has carried out a decision since the failed call or
    /// check began.
    ///
    /// - Parameters:
    ///   - error: the error of a call or a check.
    ///   - before: the value of ``settlements`` when that call or check began.
    func keep(_ error: GoalError, since before: UInt64) {
        if before == settlements { failure = error }
    }

    /// Notifies the person if the state will not become readable by itself. A monitor process has no
    /// screen for an error message. After a notification, the lock sends no other until it has read the state
    /// again.
    func tell(of error: GoalError) async {
        guard error.isLasting, !hasToldOfDamage else { return }
        hasToldOfDamage = true
        let notification = LockNotification(
            id: GoalNames.damaged,
            title: configuration.strings.damagedTitle,
            body: configuration.strings.damagedText
        )
        do {
            try await backends.notifier.deliver(notification)
        } catch {
            // This error is dropped, because the caller already reports that the state cannot be read. The
            // next failed check tries the notification again.
            hasToldOfDamage = false
        }
    }

    /// Plans the next check of the lock for this time; `nil` cancels the planned check. The time is usually
    /// the start of the next day. The scheduler also reports the start of a day. But if the wall clock was
    /// changed, the scheduler's event comes at a wrong time.
    func lookAgain(at time: ClockDeadline?) {
        guard !followers.isEmpty, let time else {
            dayTimer?.cancel()
            dayTimer = nil
            nextLook = nil
            return
        }
        guard time != nextLook else { return }
        nextLook = time
        dayTimer?.cancel()
        let clock = backends.clock
        dayTimer = Task(executorPreference: executor) { [weak self] in
            do { try await clock.sleep(until: time) } catch { return }
            await self?.lookNow(asOf: time)
        }
    }

    /// Plans a check soon after a failure, because the failure may be over by then. Without the check, the
    /// shield would not follow the state or the date until the next call.
    func lookAgain(after failure: GoalError) {
        // A notification is not repeated, and a damaged state does not recover by itself. So these failures
        // need no further check.
        guard failure.code != .notifier, !failure.isAboutDamage else { return }
        let soon = backends.clock.now.sinceBoot + Self.patience
        if case .sinceBoot(let planned) = nextLook, planned <= soon { return }
        lookAgain(at: .sinceBoot(soon))
    }

    /// The time after which a failed check is repeated.
    private static let patience = Duration.seconds(60)

    private func lookNow(asOf time: ClockDeadline) async {
        guard time == nextLook else { return }
        nextLook = nil
        // This code runs in the timer's task. Planning the next check cancels the task in `dayTimer`, so the
        // reference to the running task is dropped first.
        dayTimer = nil
        await look()
    }
}
