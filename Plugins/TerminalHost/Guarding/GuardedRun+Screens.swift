internal import LockScreens
internal import PasscodeLock
internal import PortcullisCore
internal import TerminalScreens

/// Shows and removes screens.
extension GuardedRun {
    /// Makes the terminal show the current state of the lock.
    func reconcile() async {
        isChangePending = false
        driver.strings = strings
        await driver.updateAtOnce()
        if driver.screen != nil, driver.generation != generation {
            generation = driver.generation
            // From now on a passcode that was entered for an earlier lock cannot open the content.
            seal?.lock(for: generation)
            // If the screen was closing when the session locked again, the screen stays.
            isClosing = false
            // After a new lock another person may be at the terminal, so a recovery that was begun before is
            // closed.
            closeRecovery()
            await dropTypedLine()
        }
        if program.isSignedOut, driver.ending == .signedOut { return signedOutHere() }
        switch (screen, driver.screen) {
        case (.recovery(let shown), .some) where shown === recovery:
            // A lock may have been requested while the recovery checked an entry. If the check has failed,
            // the run locks now, and the lock drops what the person has typed on the screen.
            if locksAgain, !isScreenEnding { return await lockNow() }
            await refresh()
        case (_, .some) where recovery != nil: await showRecovery()
        case (.lock(let shown), let screen?) where shown === screen:
            // A lock may have been requested while a passcode was checked. If the screen is not ending, the
            // check has failed. The run is still locked, so it need not lock again.
            if !isScreenEnding { locksAgain = false }
            await refresh()
        case (_, let screen?): await showLock(screen)
        case (.lock, nil), (.recovery, nil):
            closeRecovery()
            await lockEnded()
        case (_, nil):
            // The session may have locked and lost its passcode without a screen of the lock.
            if await session.hasLostPasscode { return await endLost() }
            // No screen is shown, or the screen that offers to set a passcode. While the offer checks or
            // stores a passcode, a lock may be requested. If the offer is not ending now, no passcode was
            // set, and the requested lock is dropped.
            if !isScreenEnding {
                locksAgain = false
                // If the program has ended meanwhile, the offer has no further use.
                if case .setUp = screen, endedBehindLock != nil { return await hide() }
            }
            await refresh()
        }
    }

    /// Whether the screen is ending, or checks an entry that may end the screen.
    var isScreenEnding: Bool { screen.map { isClosing || $0.content.isBusy } ?? false }

    private func lockEnded() async {
        // Signing out ended the program, so there is nothing to uncover.
        if program.isSignedOut {
            // If the session is unlocked, the passcode still exists: signing out failed to remove it, and the
            // person entered it afterwards.
            if driver.ending == .unlocked { endReason = .loggedOutWithPasscodeKept }
            return signedOutHere()
        }
        guard driver.ending == .unlocked else { return await lockEndedWithoutProof() }
        isPasscodeSet = true
        if locksAgain { await lockBehindScreen() } else { await hide() }
    }

    /// Locks the run after a screen has ended, instead of uncovering the program. If no passcode is set any
    /// more, the program is uncovered after the store was read.
    func lockBehindScreen() async {
        locksAgain = false
        screen = nil
        face = nil
        await lockNow()
    }

    func signedOutHere() {
        endReason = endReason ?? .loggedOut
        exitStatus = exitStatus ?? Self.signedOut
    }

    private func showLock(_ new: ScreenDriver<LockScreen>) async {
        await show(.lock(new))
        // After the end of the input, no answer to the lock screen can come. So the end is handled again.
        if hasInputEnded { await inputEnded() }
    }

    private func showRecovery() async {
        guard let recovery else { return }
        await show(.recovery(recovery))
    }

    func showSetUp() async {
        if await session.hasLostPasscode { return await endLost() }
        await show(.setUp(makeSetUp(for: session.state.generation)))
    }

    private func show(_ new: Screen) async {
        let isFirst = screen == nil
        screen = new
        isClosing = false
        locksAgain = false
        screenNumber += 1
        plain.reset()
        if await cover() { setLines(isEchoed: false) }
        if !isFullScreen {
            if terminal.isTerminal { await input.send(to: .none) }
            if isFirst, terminal.hasTerminalOutput {
                say(texts.covered(style, isTyped: terminal.isTerminal, options.lockKey))
            }
        }
        if isFullScreen {
            face =
                face ?? TerminalScreen(new.content, size: terminal.size, abilities: terminal.abilities)
            // Before a passcode is set, the lock key does not lock. On the lock screen the run is locked
            // already. So the hint for the lock key is only on the recovery screen, where the key locks again.
            let locks = if case .recovery = new { true } else { false }
            face?.keyHints = KeyHints(lockKey: locks ? options.lockKey.description : nil)
        }
        isAwaitingLine = false
        await refresh()
    }

    /// Uncovers the program, or starts it. If the session has lost its passcode while it was locked, the
    /// session is signed out instead.
    func hide() async {
        // An absence may have reached the timeout while the screen was ending.
        if hasStarted, isAwayTooLong, await session.lockAtOnce() { return await lockBehindScreen() }
        recordOwedTimeout()
        // If the record could not be read at the launch, the wanted timeout is recorded now.
        if !hasStarted, owesTimeout {
            await recordTimeout()
            guard failure == nil else { return }
            // Meanwhile the session may have locked. An absence or the lock key may have requested a lock.
            if await session.state.isLocked { return await reconcile() }
            if isAwayTooLong || locksAgain, await session.lockAtOnce() { return await lockBehindScreen() }
        }
        // The session may have locked and lost its passcode before the run has handled the lock. Every way
        // that uncovers a covered program passes here, so the loss is checked here.
        if await session.hasLostPasscode { return await endLost() }
        screen = nil
        face = nil
        screenNumber += 1
        isAwaitingLine = false
        var first = isCovered && hasStarted && terminal.hasTerminalOutput ? texts.uncovered(style) : ""
        if !hasStarted {
            startProgram()
            if terminal.isTerminal { first += texts.howToLock(options.lockKey, isPasscodeSet) }
        }
        guard failure == nil else { return }
        // Waiting input is dropped first, because the person typed it before the program's output was
        // visible.
        let isOver = exitStatus != nil || endedBehindLock != nil
        if await input.send(to: isOver ? .none : .program, dropping: isCovered), isCovered {
            // The lock key was in the dropped input, and its event is handled next. So the program stays
            // covered, and the lock screen that follows gets the keys.
            decoder = InputDecoder()
            if isFullScreen { await input.send(to: .screen) }
            return
        }
        // `setLines` also drops the start of an unfinished line. ``InputPump`` cannot read this start,
        // because the terminal passes on whole lines only.
        if isCovered { setLines(isEchoed: true) }
        input.due.personWasActive(at: clock.now.sinceBoot)
        let modes = await output.release(leaving: isCovered, saying: GuardTexts.onTerminal(first))
        isCovered = false
        if isAwayTooLong, await session.lockAtOnce() { return await lockNow() }
        setAwayTimer(skipsPassed: true)
        if exitStatus == nil, let endedBehindLock { end(withProgram: endedBehindLock) }
        if exitStatus == nil, terminal.hasTerminalOutput, modes.isAlternate { await redraw() }
    }

    /// Dismisses the screen at the end of the run. Otherwise the screen's callbacks would keep the run alive.
    func dismissScreen() {
        if case .setUp(let driver) = screen { driver.dismiss() }
        closeRecovery()
        screen = nil
        face = nil
    }

    // MARK: Drawing

    /// Shows the current content of the screen.
    func refresh() async {
        await update()
        draw()
    }

    /// Draws the changes since the screen was drawn last.
    func draw() {
        guard isFullScreen, !isClosing, let update = face?.update() else { return }
        output.draw(update)
    }

    /// Passes the screen's current content to the face, for the next ``draw()``. If screens are lines of
    /// text, the content is written at once.
    func update() async {
        guard let content = screen?.content, !isClosing else { return }
        if isFullScreen {
            if face?.show(content) == true { deliver(.shake(screenNumber, step: 1)) }
        } else {
            say(plain.lines(for: content))
            // The next line is read only when the screen accepts a line. A line that is read earlier would be
            // lost.
            let isOpen = content.alert != nil || content.pad?.isEnabled != false
            let isReady = !content.isBusy && (isOpen || content.message?.kind == .countDown)
            if isReady, !isAwaitingLine {
                isAwaitingLine = true
                await input.send(to: .line)
            }
        }
    }

    /// Writes lines of text, for an output on which no screens are drawn.
    func say(_ lines: [String]) {
        let end = terminal.isTerminal ? "\r\n" : "\n"
        output.draw(Array(lines.map { $0 + end }.joined().utf8))
    }

    func shake(_ number: UInt64, _ step: Int) {
        guard number == screenNumber, face != nil else { return }
        let progress = Shake.frame / Shake.duration * Double(step)
        if let update = face?.update(shake: Shake.cells(at: progress)) { output.draw(update) }
        guard progress < 1 else { return }
        Task {
            await pause(for: Shake.frame)
            deliver(.shake(number, step: step + 1))
        }
    }
}
