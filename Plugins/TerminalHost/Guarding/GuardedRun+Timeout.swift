internal import PasscodeLock
internal import PortcullisCore

/// Follows the timeout, and locks after absences and idle times.
extension GuardedRun {
    /// Records the wanted timeout, if a passcode is set.
    func recordTimeout() async {
        do throws(PasscodeError) {
            let isSet = try await service.status().isSet
            if let wanted = options.timeout, isSet {
                do throws(PasscodeError) {
                    try await service.setTimeout(wanted)
                    hasRecordedTimeout = true
                } catch {
                    // Without the wanted timeout the program is not started, because the run could lock later
                    // than the person expects. A program that runs goes on with the recorded timeout, because
                    // its end could lose unsaved work. The wanted timeout is recorded at a later event.
                    if !hasStarted {
                        failure = TerminalHostError(
                            code: .timeoutNotSet,
                            message: "cannot set the timeout: \(error.message)",
                            cause: error
                        )
                    }
                }
            }
            if isSet { await foundPasscode() }
        } catch {
            // The session reads the record too. If it cannot read the record either, it locks, and the lock
            // screen shows the reason.
        }
        await session.passcodeChanged()
        await followTimeout()
    }

    /// Notes that a passcode is set, in the run and in the session.
    func foundPasscode() async {
        isPasscodeSet = true
        await session.foundPasscode()
    }

    /// Takes over a timeout that another process has recorded. If that process has set the first passcode,
    /// the wanted timeout is recorded for this passcode. Later changes by other processes stay.
    func timeoutChanged() async {
        let isOffering = if case .setUp = screen { true } else { false }
        // The run's own set-up records the timeout itself.
        if owesTimeout, !isOffering, !isRecordingTimeout, await session.timeout != nil { recordBeside() }
        await followTimeout()
        // `followTimeout()` sets the timer only if the timeout has changed. If another process has set the
        // first passcode, the timer is needed with an unchanged timeout, too.
        if isAway { setAwayTimer() }
    }

    /// Records a wanted timeout that could not be recorded before, while the program runs.
    func recordOwedTimeout() {
        if hasStarted, owesTimeout, isPasscodeSet, !isRecordingTimeout { recordBeside() }
    }

    /// Records the wanted timeout in a task. The store may be busy, so the run does not wait for it.
    private func recordBeside() {
        isRecordingTimeout = true
        Task(executorPreference: executor) { await self.recordTimeoutLate() }
    }

    private func recordTimeoutLate() async {
        await recordTimeout()
        isRecordingTimeout = false
        // If the recording has failed before the program was started, this event ends the run.
        if failure != nil { deliver(.screenChanged) }
    }

    /// Tells the run of each change of the session's timeout.
    func watchTimeout() async {
        for await _ in await session.timeouts() { deliver(.timeoutChanged) }
    }

    /// Takes over the session's timeout, which follows the record. Another process may record another timeout
    /// at any time.
    ///
    /// Without a passcode the timeout is that of the configuration. After an absence of at least this
    /// length, the store is read to find whether another process has set a passcode meanwhile.
    func followTimeout() async {
        let new = await session.timeout ?? service.configuration.timeout
        guard new != timeout else { return }
        timeout = new
        input.setTimeout(new)
        output.setTimeout(new)
        setAwayTimer()
    }

    /// The boot-clock times at which the present absence locks the run: after the timeout, and after the idle
    /// time. The result is empty without an absence, and for an absence that never locks.
    ///
    /// The session measures no idle time in the background. But the window may stay visible without the
    /// focus, so the idle time counts here too.
    private var awayDues: [Duration] {
        guard let awaySince else { return [] }
        let limit: Duration? = if case .after(let limit) = timeout { awaySince + limit } else { nil }
        return [limit, input.due.idle].compactMap(\.self)
    }

    private var awayDue: Duration? { awayDues.min() }

    /// Sets the timer for the present absence or the idle time. If neither applies, no timer is left.
    ///
    /// The window may stay visible without the focus. So the program is covered as soon as the time has
    /// passed, and not only when the person returns. The session begins its idle time anew with each return
    /// of the focus. The idle time of the run goes on.
    ///
    /// - Parameter skipsPassed: whether no timer is set for a time that has passed. Without a passcode that
    ///   time locks nothing, and its timer would fire again and again.
    func setAwayTimer(skipsPassed: Bool = false) {
        awayTimer?.cancel()
        input.due.setAway(until: awayDue)
        let now = clock.now.sinceBoot
        let dues = isProgramInFront && !isAway ? [input.due.idle].compactMap(\.self) : awayDues
        guard let due = dues.filter({ !skipsPassed || $0 > now }).min() else { return }
        awayTimer = Task(executorPreference: executor) { [deliver, clock] in
            guard (try? await clock.sleep(until: .sinceBoot(due))) != nil else { return }
            deliver(.awayTooLong)
        }
    }

    /// Whether the terminal's window is without the focus, and one of two times has passed: the timeout of
    /// this absence or the idle time.
    var isAwayTooLong: Bool { awayDue.map { clock.now.sinceBoot >= $0 } ?? false }

    /// Locks if the timeout of the present absence or the idle time has passed. Otherwise the timer is set
    /// again, because a key may have begun the idle time anew.
    func lockIfAwayTooLong() async {
        if await isDueToLock() { await lockNow() } else { setAwayTimer() }
    }

    /// Whether the person was away for too long, or has typed nothing for the idle time.
    ///
    /// If the idle time has passed, this method locks the session. Without a passcode, the idle time begins
    /// anew instead.
    private func isDueToLock() async -> Bool {
        if isAwayTooLong { return true }
        guard isIdleTooLong else { return false }
        if await session.lockAtOnce() { return true }
        input.due.personWasActive(at: clock.now.sinceBoot)
        return false
    }

    /// Whether nothing was typed into the program for the idle time.
    var isIdleTooLong: Bool {
        guard isProgramInFront, let due = input.due.idle else { return false }
        return clock.now.sinceBoot >= due
    }

    /// Locks if the person was away for the length of the timeout, or if the idle time has passed.
    ///
    /// The timers for the timeout and the idle time may not have fired yet. For example, the machine has just
    /// woken, or the process has just been continued.
    ///
    /// - Parameter absence: the length of an absence that has just ended; zero for none.
    func lockIfDue(after absence: Duration = .zero) async {
        await session.checkIdleAtOnce()
        let isDue = absence > .zero && timeout.isReached(by: absence)
        if isDue { return await lockNow() }
        if await isDueToLock() { await lockNow() }
    }
}
