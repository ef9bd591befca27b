internal import AdapterKit
internal import PortcullisCore

/// Reads the passcode's state, and follows its changes.
extension LockSession {
    /// Reads the passcode's state, and handles the event that the closure makes from it.
    ///
    /// The versions of a record have no order, and an absent record has no version. So versions do not show
    /// which of two reads is newer. If the session finished another read meanwhile, it reads again. If the
    /// service wrote something during a successful read, the session reads again too.
    ///
    /// After a failed read the app locks, even if the service wrote something during the read. That write may
    /// be a part of the failed read, because reading the status may store how much of a delay is left.
    func look(_ event: (LockRules.Arming?) -> LockRules.Event) async {
        while true {
            let began = (readsTaken, service.records.changes.count)
            let found = await found()
            let isFailure = if case .failure = found { true } else { false }
            guard began.0 == readsTaken, isFailure || began.1 == service.records.changes.count else {
                continue
            }
            readsTaken += 1
            await decide(event(arming(found)))?.value
            return
        }
    }

    /// Notes that the host itself has found or set a passcode. Afterwards the host calls
    /// ``passcodeChanged()``.
    package func foundPasscode() { hasFoundPasscode = true }

    /// Reads the passcode's status. If the passcode was switched off elsewhere, biometrics are switched off.
    private func found() async -> Result<PasscodeStatus, PasscodeError> {
        do throws(PasscodeError) {
            let status = try await service.status()
            if status.standing == .switchedOff { try await service.dropBiometricsOfSwitchedOff() }
            return .success(status)
        } catch {
            return .failure(error)
        }
    }

    /// Returns the stored state of the lock. A passcode that cannot be read locks the app (P-5).
    private func arming(_ found: Result<PasscodeStatus, PasscodeError>) -> LockRules.Arming? {
        switch found {
        case .failure(let error):
            failure = error
            if error.isAboutDamage { hasFoundPasscode = true }
            service.note(.failed(.lock, error.code))
            return .unreadable
        case .success(let status):
            failure = nil
            watchThrottle(status.retryAfter)
            guard status.unlocks else {
                if hasFoundPasscode, rules.state.isLocked { lostGenerations.insert(rules.state.generation) }
                hasFoundPasscode = false
                return nil
            }
            take(status.format)
            hasFoundPasscode = true
            let isDormant = status.standing == .switchedOff || !status.isEnabled
            return LockRules.Arming(timeout: status.timeout, mark: status.lock, isDormant: isDormant)
        }
    }

    /// Notes the format of the passcode. If the format has changed, the state is announced again, so that an
    /// open lock screen gets the new format.
    private func take(_ new: PasscodeFormat) {
        let old = format
        format = new
        if let old, old != new { observers.send(rules.state) }
    }

    func watchChanges() {
        guard changeWatchers.isEmpty else { return }
        follow(service.secrets.changes(to: PasscodeNames.record(of: service.user)), isStore: true)
        if !isTold { followOwnChanges() }
    }

    private func follow(_ changes: AsyncStream<Void>, isStore: Bool = false) {
        let watcher = Task.detached(executorPreference: executor) { [weak self, executor] in
            for await _ in changes {
                // The frames of a task's deepest call stay allocated until the task ends. This task lives as
                // long as the session. So the read runs in a task of its own.
                await Task(executorPreference: executor) { await self?.passcodeChanged() }.value
            }
            if isStore { await self?.storeFellSilent() }
        }
        changeWatchers.append(watcher)
    }

    /// Whether the store signals all changes of the record now. These are the changes by this process and,
    /// if the store is shared, the changes by other processes. A store may lose these capabilities when its
    /// stream is opened, or later.
    var isTold: Bool {
        let capabilities = service.secrets.capabilities
        let others: SecretStoreCapabilities =
            capabilities.contains(.isShared) ? .signalsOtherProcesses : []
        return !hasFallenSilent && capabilities.isSuperset(of: others.union(.signalsOwnChanges))
    }

    /// Follows the service's own changes after the store's stream of signals has ended.
    private func storeFellSilent() {
        hasFallenSilent = true
        followOwnChanges()
    }

    func followOwnChanges() {
        guard !isFollowingOwnChanges else { return }
        isFollowingOwnChanges = true
        follow(service.records.changes.signals())
    }
}
