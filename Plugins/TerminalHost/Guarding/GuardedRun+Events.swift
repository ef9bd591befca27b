internal import AdapterKit
internal import PasscodeLock
internal import PortcullisCore
internal import TerminalScreens

#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#elseif canImport(Darwin)
internal import Darwin
#endif

/// Handles the events of the run.
extension GuardedRun {
    func handle(_ event: GuardEvent) async {
        // If an absence has just ended, it is handled before this event, because the absence may lock the
        // run. Without this order, output that the lock should cover would be drawn, or would stay on the
        // terminal when the run ends.
        if event.mayShow, await input.lookAtClock() != absences { return deliver(event) }
        switch event {
        case .typed(let bytes):
            input.wasTaken(bytes)
            if isAway { await focusChanged(true) }
            await typed(bytes)
        case .line(let line):
            // A line ends an absence, as a key on a drawn screen does. The absence ends before the line is
            // handled, because no passcode unlocks during an absence.
            if isAway { await focusChanged(true) }
            isAwaitingLine = false
            await tell(line)
        case .interrupted:
            interrupted()
        case .quiet(let number):
            guard number == keystrokes else { return }
            if let event = decoder.giveUp() { await pressed(event) }
            draw()
        case .lockKey:
            await lockNow(byKey: true)
        case .lookedForPasscode(let isSet, let byKey):
            await lookedForPasscode(isSet: isSet, byKey: byKey)
        case .focus(let isFocused):
            await focusChanged(isFocused)
        case .activity:
            // A program can make a terminal answer as if keys were pressed. So a key does not end an absence
            // that began with a focus report. The absence ends with the next focus report, or with input for
            // a screen of the run. If the focus report is lost, the session locks after the timeout although
            // the person is there.
            await session.personWasActiveAtOnce()
        case .wasAway(let absence):
            absences += 1
            guard isInFront else { return await goBehind(after: absence) }
            await wasAway(absence)
            // While the person was away, input may have been withheld from the program, because the session
            // could have locked. From now on the program gets input again.
            if isProgramInFront, hasStarted { await input.send(to: .program) }
        case .recordRead(let absence):
            await followTimeout()
            await lockIfDue(after: absence)
        case .withheld:
            if isProgramInFront { await lockIfDue() }
            if await session.state.isLocked { await reconcile() }
            if isProgramInFront { await output.goOn() }
        case .awayTooLong:
            // After a stop by SIGSTOP, the process may go on in the background.
            if !isInFront {
                // The stop itself may be an absence that is not handled yet. It goes on in the background.
                guard await input.lookAtClock() == absences else { return deliver(event) }
                await goBehind()
            }
            if exitStatus == nil { await lockIfAwayTooLong() }
        case .lockChanged, .screenChanged:
            await reconcile()
        case .timeoutChanged:
            await timeoutChanged()
        case .shake(let number, let step):
            shake(number, step)
        case .result(let number, let result):
            await take(result, from: number)
        case .outputFailed(let error):
            outputFailed(error)
        case .programEnded(let status):
            await programEnded(status)
        case .inputEnded:
            await inputEnded()
        case .signal(let number):
            await signal(number)
        case .resized:
            isResizePending = false
            pseudo.resize(to: terminal.size)
            face?.size = terminal.size
            await drawAnew()
        case .toLock:
            await lockNow()
        // `begin(with:)` and `waitForFront()` wait for these events.
        case .begun, .placeDue: break
        }
    }

    private func programEnded(_ status: Int32) async {
        if program.isSignedOut {
            // The sign-out ended the program. A sign-out on the lock screen still has to remove the passcode,
            // and ends the run afterwards. Without a lock screen, the host has signed out.
            switch screen {
            case .lock, .recovery: return
            case .setUp, nil: return signedOutHere()
            }
        }
        switch screen {
        case .lock, .recovery:
            // The program's last output is shown after unlocking.
            endedBehindLock = status
        case .setUp where locksAgain:
            // The run locks as soon as the set-up has ended.
            endedBehindLock = status
        case .setUp:
            end(withProgram: status)
            await hide()
        case nil:
            // If the program is covered and no screen is shown, the store is still being read. The run may
            // turn out to be locked. So the run keeps the exit status, and ends only after the program was
            // uncovered.
            if isCovered { endedBehindLock = status } else { end(withProgram: status) }
        }
    }

    /// Ends the run, because the program has ended by itself with this status.
    func end(withProgram status: Int32) {
        exitStatus = status
        hasProgramEnded = true
    }

    /// Locks after an absence of this length, if a timeout says so.
    func wasAway(_ absence: Duration) async {
        await followTimeout()
        await lockIfDue(after: absence)
        if !timeout.isReached(by: absence) {
            // Another process may have recorded a shorter timeout during the absence, and the store's signal
            // may not have arrived yet. So the record is read, and the absence is compared again.
            Task(executorPreference: executor) { [deliver, session] in
                await session.passcodeChanged()
                deliver(.recordRead(after: absence))
            }
        }
        if await session.state.isLocked {
            // After an absence another person may be at the terminal, so a half-typed entry and an earlier
            // prompt must not unlock. The phase `background` makes them void.
            await driver.phaseChangedAtOnce(to: .background)
            if !isAway { await driver.phaseChangedAtOnce(to: .active) }
        }
        await dropTypedLine()
        await reconcile()
    }

    private func focusChanged(_ isFocused: Bool) async {
        guard isAway == isFocused else { return }
        if isFocused, isProgramInFront { await lockIfAwayTooLong() }
        awaySince = isFocused ? nil : clock.now.sinceBoot
        await driver.phaseChangedAtOnce(to: isFocused ? .active : .background)
        await followTimeout()
        setAwayTimer()
        await reconcile()
    }

    /// Ends the run, because the program's output cannot be written. For a pipe without a reader, the exit
    /// status is that of SIGPIPE. For every other cause, the run fails with an error.
    func outputFailed(_ error: Int32) {
        if error == EPIPE {
            exitStatus = 128 + SIGPIPE
        } else {
            failure = TerminalHostError(
                .outputFailed,
                "what the program wrote cannot be written",
                errno: error
            )
        }
    }

    func inputEnded() async {
        hasInputEnded = true
        guard !terminal.isTerminal else { return await signal(SIGHUP) }
        switch screen {
        case nil:
            input.end()
        case .setUp where seal != nil && !hasStarted:
            failure = TerminalHostError(
                code: .notSealed,
                message: "not sealed: its input ended before a passcode was set"
            )
        case .setUp:
            // The input has ended, so no answer can come, and the offer is closed. A later run makes the
            // offer again. If the program starts only now, `startProgram()` also ends the program's input.
            let isRunning = hasStarted
            await hide()
            if isRunning { input.end() }
        case .lock where !hasStarted, .recovery where !hasStarted:
            failure = TerminalHostError(
                code: .unanswered,
                message: "locked, and there is nothing to answer with: the program was not started"
            )
        case .lock, .recovery:
            endReason = .unanswered
            await signal(SIGHUP)
        }
    }

    func signal(_ number: Int32) async {
        switch number {
        case SIGWINCH:
            guard terminal.hasTerminalOutput, !isResizePending else { return }
            isResizePending = true
            deliver(.resized)
        case SIGTSTP:
            await stop()
        case SIGCONT:
            await continued()
        case SIGINT where !isFullScreen, SIGQUIT where !isFullScreen:
            // The signal comes from a key that was typed at the person's terminal and is meant for the
            // program.
            if isProgramInFront, hasStarted {
                input.sendControl(number == SIGINT ? 3 : 28)
            } else {
                exitStatus = 128 + number
            }
        default:
            exitStatus = 128 + number
        }
    }

    /// Draws the whole covering screen again after a resize. A terminal that was smaller for a short time has
    /// cut the screen, even if it has its old size again. If screens are lines of text, a multiplexer may
    /// show lines of the program in an enlarged window, so these lines are erased.
    private func drawAnew() async {
        face?.invalidate()
        if case .lines = style, isCovered, screen != nil {
            output.draw(Array(ScreenModes.emptied.utf8))
            say(texts.covered(style, isTyped: terminal.isTerminal, options.lockKey))
            plain.reset()
        }
        await refresh()
    }

    /// Makes a program on the alternate screen redraw itself: its terminal gets another size, and then its
    /// old size again.
    func redraw() async {
        let size = terminal.size
        let other = TerminalSize(columns: size.columns, rows: size.rows > 1 ? size.rows - 1 : 2)
        pseudo.resize(to: other)
        // Without a pause the program would get only one SIGWINCH, and would find its size unchanged.
        await pause(for: .milliseconds(30))
        pseudo.resize(to: terminal.size)
    }
}
