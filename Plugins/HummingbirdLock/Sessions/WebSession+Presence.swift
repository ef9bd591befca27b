#if HummingbirdLock
internal import AdapterKit
internal import PasscodeLock
internal import PortcullisCore

extension WebSession {
    /// Records a tab's report that it is visible or hidden, or that a person opened a page.
    func heard(_ tab: String, isVisible: Bool, isActive: Bool) async {
        guard !gate.isOver else { return }
        let now = clock.now.sinceBoot
        gate.hear(at: now)
        // If all tabs were silent for too long before this report, the person had left. So the absence is
        // handled before the report.
        await settle(at: now)
        presence.heard(tab, isVisible: isVisible, at: now)
        await settle(at: now)
        if isActive, isVisible { await lockSession.personWasActive() }
        watch()
    }

    /// Records that a person opened a page.
    func visited() async { await heard(PresenceRules.visit, isVisible: true, isActive: true) }

    /// Tells the lock whether the person is present.
    ///
    /// An absence begins when the last tab has been silent for too long. The session may notice it much later,
    /// such as after the machine slept. If the timeout has passed by then, the session locks here, before the
    /// report that ended the absence is handled.
    private func settle(at now: Duration) async {
        guard hasStarted, !gate.isOver else { return }
        let left = min(presence.due ?? now, now)
        let isPresent = presence.isPresent(at: now)
        guard isPresent != (driver.phase == .active) else { return }
        leaving?.cancel()
        guard !isPresent else { return await driver.phaseChanged(to: .active) }
        leaving = lockAfterTimeout(since: left)
        await driver.phaseChanged(to: .background)
        if case .after(let limit)? = await lockSession.timeout, now - left >= limit { await driver.lock() }
    }

    /// Checks the tabs again at the time when all of them will have been silent for too long.
    private func watch() {
        guard watching == nil, !gate.isOver, let due = presence.due else { return }
        watching = Task.detached { [weak self, clock] in
            do { try await clock.sleep(until: .sinceBoot(due)) } catch { return }
            await self?.watchEnded()
        }
    }

    private func watchEnded() async {
        watching = nil
        guard !Task.isCancelled else { return }
        await settle(at: clock.now.sinceBoot)
        // Each stream is made to write, because only a failed write shows that the stream's reader has gone.
        gate.changes.send(())
        watch()
    }

    /// Locks the session when the timeout has passed while the person is away. An app in the background can
    /// wait with the lock until it returns to the foreground. But a page that the person has left stays open
    /// beside other pages, so its session locks as soon as the timeout has passed.
    ///
    /// Another session or the account may record another timeout during the absence. Then the new timeout
    /// counts from the beginning of the absence.
    ///
    /// - Returns: the task that waits. It ends when it is cancelled.
    private func lockAfterTimeout(since left: Duration) -> Task<Void, Never> {
        Task { [weak self, lockSession, clock] in
            // The store may not signal changes. If the record cannot be read, the session locks here.
            await lockSession.passcodeChanged()
            var waiting: Task<Void, Never>?
            defer { waiting?.cancel() }
            for await timeout in await lockSession.timeouts() {
                waiting?.cancel()
                guard case .after(let limit)? = timeout else { continue }
                waiting = Task { [weak self] in
                    do { try await clock.sleep(until: .sinceBoot(left + limit)) } catch { return }
                    await self?.lockIfStillAway()
                }
            }
        }
    }

    private func lockIfStillAway() async {
        guard !Task.isCancelled, driver.phase == .background else { return }
        await driver.lock()
        if isLocked { leaving?.cancel() }
    }
}
#endif
