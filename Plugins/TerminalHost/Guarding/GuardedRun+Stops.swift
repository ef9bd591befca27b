internal import AdapterKit
internal import LinuxSystem
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

/// Stops of the process, and the background of the person's terminal.
extension GuardedRun {
    /// Whether the run may use the person's terminal now.
    var isInFront: Bool { TerminalPlace(at: terminal.input) == .front }

    func continued() async {
        guard isInFront else { return await goBehind() }
        takeTerminal()
        // During the stop, another program may have switched off the run's modes, such as focus reports.
        if !isCovered {
            output.renewFocusReports()
        } else if isFullScreen {
            output.draw(Array(ScreenModes.covering.utf8))
        } else if style.reportsFocus {
            output.draw(Array(ScreenModes.focusReports.utf8))
        }
        if face != nil {
            face?.invalidate()
            await refresh()
        } else if hasStarted, isFullScreen, isProgramInFront {
            await redraw()
        }
    }

    /// Restores the terminal and stops this process, as SIGTSTP usually does. The time of the stop counts as
    /// an absence.
    func stop() async {
        let modes = await setAside()
        let pause = style.pause(isCovered: isCovered, modes)
        if !pause.isEmpty {
            output.draw(Array(pause.utf8))
            await output.flush()
        }
        await leave()
        restoreTerminal()
        SignalWatch.stopProcess()
        await comeBack(to: modes)
    }

    /// Waits in the background, where the process goes on after it was stopped by SIGSTOP.
    ///
    /// - Parameter absence: the length of that stop, if it counts as an absence. The absence goes on in the
    ///   background.
    func goBehind(after absence: Duration? = nil) async {
        let left = absence.map { clock.now.sinceBoot - $0 }
        let modes = await setAside()
        await leave()
        await comeBack(to: modes, since: left)
    }

    /// Holds the program's input and output before a stop. Returns the modes of the program's terminal.
    private func setAside() async -> ProgramModes {
        // The program gets no input that is typed at the shell, and no input until the run has decided
        // whether to lock. A covered program gets no input anyway: the input stays with the screen that is
        // shown or will be shown.
        if isProgramInFront { await input.withhold() }
        return await output.hold()
    }

    /// Takes the terminal after a stop, and shows the program or the lock screen again.
    ///
    /// - Parameter left: the boot-clock time at which an absence began that was not handled, because the
    ///   process went on in the background.
    private func comeBack(to modes: ProgramModes, since left: Duration? = nil) async {
        await waitForFront()
        guard exitStatus == nil else { return }
        takeTerminal()
        output.draw(Array(style.resume(isCovered: isCovered, modes).utf8))
        if isFullScreen, isCovered {
            output.draw(Array(enter(from: modes).utf8))
            face?.invalidate()
        }
        if let left { await wasAway(clock.now.sinceBoot - left) }
        // A stop does not end an earlier absence. The timeout of that absence may have passed meanwhile.
        if isAway {
            await lockIfDue()
        } else {
            // The session begins its idle time anew at the return. So the run compares its own idle time
            // first.
            if isIdleTooLong { await lockNow() }
            await driver.phaseChangedAtOnce(to: .active)
        }
        await reconcile()
        guard isProgramInFront else { return await refresh() }
        // `send(to:)` drops the keys that were typed during the stop. If the lock key was among them, its
        // event is handled next. This event covers the program, so the output stays held.
        if hasStarted, await input.send(to: .program) { return }
        _ = await output.release(leaving: false)
        await redraw()
    }

    /// Begins an absence of the person. The store may be busy. The wait for it is limited, because the person
    /// waits for the shell.
    private func leave() async {
        await clock.wait(atMost: Self.lastPatience, on: executor) { [self] in await noteLeaving() }
    }

    private func noteLeaving() async { await driver.phaseChanged(to: .background) }

    /// Waits until the run may take the terminal. Meanwhile the program's output is held.
    ///
    /// In the background of the terminal the run stops its job, as the system stops a job that reads there.
    /// When the job goes on, signals that came meanwhile are handled before the next stop, so that such a
    /// signal can end the run. All other events are handled after the wait. If no shell can put the process in
    /// front, the run ends as if the terminal had been closed.
    func waitForFront() async {
        var next = events.makeAsyncIterator()
        behind: while TerminalPlace(at: terminal.input) == .behind {
            Task(executorPreference: executor) { [deliver] in
                await self.pause(for: TerminalPlace.pause)
                deliver(.placeDue)
            }
            while let event = await next.next(isolation: self) {
                switch event {
                case .signal(let number) where SignalWatch.ending.contains(number):
                    await signal(number)
                    if exitStatus != nil { break behind }
                // In the background, the run stops the process anyway.
                case .signal(SIGTSTP): break
                case .placeDue:
                    if options.takesSignals, TerminalPlace(at: terminal.input) == .behind {
                        SignalWatch.stopJob()
                    }
                    continue behind
                default: deferred.append(event)
                }
            }
            break
        }
        if exitStatus == nil, TerminalPlace(at: terminal.input) == .orphaned { await signal(SIGHUP) }
    }

    /// Waits for the next event: first those that ``waitForFront()`` has put off.
    func nextEvent(from next: inout AsyncStream<GuardEvent>.Iterator) async -> GuardEvent? {
        if !deferred.isEmpty { return deferred.removeFirst() }
        return await next.next(isolation: self)
    }
}
