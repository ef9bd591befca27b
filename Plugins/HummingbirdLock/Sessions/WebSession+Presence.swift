#if HummingbirdLock
internal import AdapterKit
internal import PasscodeLock
internal import PortcullisCore

extension WebSession {
    /// Records a tab's report that it is visible or hidden, or that a person opened a page.
    func heard(_ tab: String, isVisible: Bool, isActive: Bool) async {
        guard !gate.isOver else { return }
        let now = clock.now.sinceBoot
        // If all tabs were silent for too long before this report, the person had left. So the absence is
        // handled before the report.
        await settle(at: now)
        // The input may have closed or left the page. If an absence begins now, its idle time counts from
        // this input.
        if isActive, !isVisible { await wasActive(at: now) }
        gate.hear(tab, isVisible: isVisible, at: now)
        await settle(at: now)
        if isActive, isVisible { await wasActive(at: now) }
        watch()
    }

    private func wasActive(at now: Duration) async {
        lastActive = now
        await lockSession.personWasActive()
    }

    /// Handles the arrival of a request. The caller calls this method before it reads the session's gate.
    ///
    /// - Parameter cause: the cause of a request that opens a page; `nil` for another request.
    nonisolated func arrived(_ cause: RequestOrigin.Cause?) async {
        let now = clock.now.sinceBoot
        guard cause == .person else {
            if gate.isLate(at: now) { await settle(at: now) }
            if cause == .ownPage { gate.pageFollows(at: now) }
            return
        }
        // In a session that does not lock after inactivity, the visit of a person who was present until now
        // changes only the gate.
        if service.configuration.idleTimeout == nil, gate.visit(at: now) { return }
        await heard(PresenceRules.visit, isVisible: true, isActive: true)
    }

    /// Tells the lock whether the person is present.
    ///
    /// An absence begins when the last visible tab is hidden, or has been silent for too long. The session
    /// may notice the absence much later, such as after the machine slept. If the timeout has passed by then,
    /// this call locks the session. The call locks before the report that ended the absence is handled, and
    /// before it waits for the store.
    private func settle(at now: Duration) async {
        // Another request may be telling the lock of the same absence. This call waits until that is done.
        await telling?.value
        guard hasStarted, !gate.isOver else { return }
        let left = min(gate.due ?? now, now)
        let isPresent = gate.isPersonPresent(at: now)
        guard isPresent != (driver.phase == .active) else {
            guard !isPresent else { return }
            gate.absenceWasTold(at: now)
            return await lockIfDue(at: now)
        }
        leaving?.cancel()
        gate.setLockDue(nil)
        guard !isPresent else {
            // When the person returns, the lock session begins its idle time anew. But a page's content may
            // have stayed visible. So this session's idle time still counts from the last activity.
            leaving = idleDue.map { due in
                Task { [weak self, clock] in
                    do { try await clock.sleep(until: .sinceBoot(due)) } catch { return }
                    await self?.lockIfIdle()
                }
            }
            await lockIfIdle()
            return await driver.phaseChanged(to: .active)
        }
        leaving = lockAfterTimeout(since: left)
        let moment = clock.now.advanced(by: left - now)
        let task = Task { await driver.leftAtOnce(since: moment) }
        telling = task
        await task.value
        telling = nil
        gate.absenceWasTold(at: now)
    }

    /// Starts a task that checks the tabs again at the time when the present reports of all tabs are too old.
    private func watch() {
        guard watching == nil, !gate.isOver, let due = gate.due else { return }
        watching = Task.detached { [weak self, clock] in
            do { try await clock.sleep(until: .sinceBoot(due)) } catch { return }
            await self?.watchEnded()
        }
    }

    private func watchEnded() async {
        watching = nil
        guard !Task.isCancelled else { return }
        await settle(at: clock.now.sinceBoot)
        // This signal makes each stream write. Only a failed write shows that the stream's client has gone.
        gate.changes.send(())
        watch()
    }

    /// The time since boot at which the session locks for lack of activity; `nil` if it does not.
    private var idleDue: Duration? { service.configuration.idleTimeout.map { lastActive + $0 } }

    /// Locks the session if it knows that a passcode is set. The call does not wait for the store.
    private func lockAtOnce() async {
        _ = await lockSession.lockAtOnce()
        await driver.updateAtOnce()
    }

    /// Locks the session for a post of a page, and counts the post.
    ///
    /// Without a known passcode, ``lock()`` reads the store. So above the limit only the known passcode
    /// counts.
    ///
    /// - Returns: `false` if the post was above the limit and the session is not locked.
    func lockByPost() async -> Bool {
        guard takeQuestion() else {
            clearEntries()
            await lockAtOnce()
            return isLocked
        }
        await lock()
        return true
    }

    /// Locks the session if there was no activity for the idle time. The call does not wait for the store.
    private func lockIfIdle() async {
        guard let idleDue, clock.now.sinceBoot >= idleDue, !isLocked else { return }
        await lockAtOnce()
    }

    /// Starts a task for an absence. The task locks the session when the timeout or the idle time has passed.
    ///
    /// A page's content may stay visible after the person has left. So a web session locks as soon as the
    /// time has passed. A native app hides its content in the background, and may lock when it returns to the
    /// foreground.
    ///
    /// Another session or the account may record another timeout during the absence. Then the new timeout
    /// counts from the beginning of the absence.
    ///
    /// - Returns: the task that waits. It ends when it is cancelled.
    private func lockAfterTimeout(since left: Duration) -> Task<Void, Never> {
        Task { [weak self, lockSession, clock, idleDue] in
            // Some stores do not signal changes. So the record is read here, in case the timeout has changed.
            // The loop below begins with the timeout known so far, and does not wait for this read. If the
            // record cannot be read, the session locks.
            Task { await lockSession.passcodeChanged() }
            var waiting: Task<Void, Never>?
            defer { waiting?.cancel() }
            for await timeout in await lockSession.timeouts() {
                waiting?.cancel()
                let limit: Duration? = if case .after(let limit)? = timeout { limit } else { nil }
                // Without a passcode there is no timeout, and nothing locks.
                let idle = timeout == nil ? nil : idleDue
                let due = [limit.map { left + $0 }, idle].compactMap(\.self).min()
                await self?.noteLockDue(due)
                guard let due else { continue }
                waiting = Task { [weak self] in
                    do { try await clock.sleep(until: .sinceBoot(due)) } catch { return }
                    await self?.lockIfStillAway()
                }
            }
        }
    }

    private func noteLockDue(_ due: Duration?) {
        if !Task.isCancelled { gate.setLockDue(due) }
    }

    /// Locks the session if the person is away and the timeout or the idle time has passed. The timer for
    /// these times may be late, such as after the machine slept. The call does not wait for the store.
    private func lockIfDue(at now: Duration) async {
        guard gate.isLockDue(at: now), driver.phase == .background else { return }
        await lockAtOnce()
        if isLocked { leaving?.cancel() }
    }

    private func lockIfStillAway() async {
        guard !Task.isCancelled, driver.phase == .background else { return }
        await driver.lock()
        if isLocked { leaving?.cancel() }
    }
}
#endif
