internal import PasscodeLock
internal import PortcullisCore
internal import TerminalScreens

/// Covers the program. The cover is drawn before the passcode store is read, so the program is not visible
/// while the store is busy.
extension GuardedRun {
    /// Covers the program and locks the run. The cause is the lock key, an absence of the person, the idle
    /// time, or a call of the host.
    func lockNow(byKey: Bool = false) async {
        if isScreenEnding {
            locksAgain = true
            // Under the lock screen and the recovery screen the run is locked already.
            guard case .setUp = screen else { return }
        }
        // The recovery screen may hold a typed passphrase, so it is closed.
        closeRecovery()
        // The session locks first, because a terminal that blocks may delay the cover.
        let isLocked = await session.lockAtOnce()
        let isFirst = await cover()
        if isFirst { setLines(isEchoed: false) }
        if isLocked { return await reconcileLock() }
        // The session knows of no passcode. Another process may have set one since the last read, so the
        // store is read again.
        Task(executorPreference: executor) { [deliver, session, service] in
            await session.lock()
            let isSet = (try? await service.status().isSet) ?? true
            // The session reads the store once more, before the person is told that no passcode is set. If
            // the passcode's record has become unreadable, the session locks. If another process has set a
            // passcode since the last read, the session learns of it.
            if await !session.state.isLocked { await session.passcodeChanged() }
            deliver(.lookedForPasscode(isSet: isSet, byKey: byKey))
        }
    }

    /// Shows the lock screen after the session has locked.
    ///
    /// The session may be unlocked again before its lock screen was shown, because no passcode is set any
    /// more. No entry can uncover the program in this case.
    func reconcileLock() async {
        await reconcile()
        guard screen == nil, isCovered || !hasStarted, exitStatus == nil else { return }
        guard await !session.state.isLocked else { return }
        await lockEndedWithoutProof()
    }

    func lookedForPasscode(isSet: Bool, byKey: Bool) async {
        if await session.state.isLocked { return await reconcile() }
        // The session may have learned of a passcode after it was asked to lock. A program that was uncovered
        // meanwhile is not locked again.
        if isCovered, await session.lockAtOnce() { return await reconcileLock() }
        // If a screen is shown by now, or the session was locked and unlocked during the read, nothing is
        // left to do.
        guard screen == nil, isCovered else { return }
        // If no passcode is set, the lock key opens the offer to set one. The offer is not made in these
        // cases:
        // - The content is sealed: a new passcode could not open it, and the program would be lost.
        // - The input has ended: no answer to the offer can come.
        // - The program has ended: it needs no lock any more.
        let isOffering = byKey && !isSet && !hasInputEnded && endedBehindLock == nil
        if isOffering, seal?.isSealed != true { return await showSetUp() }
        await hide()
        // The bell tells the person that the key has locked nothing. A run that has ended or failed rings no
        // bell.
        if byKey, exitStatus == nil, failure == nil { output.draw([7]) }
    }

    /// Holds the program's output, and removes its earlier output from the terminal.
    ///
    /// - Returns: `true` if this call has covered the program; `false` if the program was covered before.
    ///   After `true`, the caller switches the terminal's echo off. This step comes last, because a terminal
    ///   may be slow to take new attributes.
    func cover() async -> Bool {
        guard !isCovered else { return false }
        isCovered = true
        // From here on, input must not reach the program. The input is withheld first, because holding the
        // output may take long on a terminal that blocks. Waiting input is dropped only after the cover is
        // drawn, because the dropping may take long too: a terminal may keep answering the program's queries.
        if !terminal.hasPipedInput { await input.withhold() }
        let modes = await output.hold()
        output.draw(Array(enter(from: modes).utf8))
        terminal.pane?.showItself()
        // Input that was typed before the cover was drawn is dropped. The screens' decoder begins anew here
        // and not with each screen. If it began anew with each screen, the rest of a paste would count as
        // keys on the next screen.
        decoder = InputDecoder()
        if !terminal.hasPipedInput {
            await input.send(to: isFullScreen ? .screen : .none, dropping: true)
        }
        return true
    }

    /// Gives the terminal the attributes that the run needs, at its beginning and after a stop.
    func takeTerminal() {
        terminal.enterRaw()
        setLines(isEchoed: !isCovered, dropping: isCovered)
    }

    /// Restores the terminal's attributes. Input that was typed for a covering screen is dropped, because it
    /// may be a passcode, and the shell would read it and show it. In the background the terminal is another
    /// process's, and stays as it is.
    func restoreTerminal() {
        guard hasTakenTerminal, isInFront else { return }
        terminal.restore()
        if isCovered { terminal.dropInput() }
    }

    /// Sets how the terminal passes on typed lines. The call has an effect only if the input is a terminal
    /// and the output is not. The terminal then passes the lock key on at once, and echoes the input if
    /// `isEchoed` is `true`.
    func setLines(isEchoed: Bool, dropping: Bool = true) {
        terminal.setLines(isEchoed: isEchoed, passing: options.lockKey.byte, dropping: dropping)
    }

    /// The sequences that replace the program's screen by a covering screen.
    func enter(from modes: ProgramModes) -> String {
        style.enter(
            from: modes,
            rows: terminal.hasTerminalOutput ? terminal.size.rows : 0,
            isUnicode: terminal.abilities.unicode,
            around: terminal.around,
            titled: texts.shownTitle
        )
    }
}
