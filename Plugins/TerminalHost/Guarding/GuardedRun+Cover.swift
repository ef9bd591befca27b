internal import PasscodeLock
internal import PortcullisCore
internal import TerminalScreens

/// Covering the program: first of all, and from memory. Whatever the store is busy with, nothing is shown meanwhile.
extension GuardedRun {
    /// Locks, on the lock key or after an absence.
    func lockNow(byKey: Bool = false) async {
        await cover()
        if await session.lockAtOnce() { return await reconcile() }
        // None is known of, and only the store knows whether one was set since.
        Task(executorPreference: executor) { [deliver, session, service] in
            await session.lock()
            // Looks again before it says that there is nothing: a record that has become unreadable locks, too.
            if await !session.state.isLocked { await session.passcodeChanged() }
            deliver(.lookedForPasscode(isSet: (try? await service.status().isSet) ?? true, byKey: byKey))
        }
    }

    func lookedForPasscode(isSet: Bool, byKey: Bool) async {
        if await session.state.isLocked { return await reconcile() }
        // It may have been locked and opened again, or is being answered.
        guard screen == nil, isCovered else { return }
        // Nothing to lock with: the way to get it. But no new passcode would open what is sealed again once it was
        // locked, and the program would be lost with it.
        if byKey, !isSet, seal?.isSealed != true { return await showSetUp() }
        await hide()
        if byKey { output.draw([7]) }
    }

    /// Holds the program's output and takes what it showed off the terminal.
    func cover() async {
        guard !isCovered else { return }
        isCovered = true
        terminal.setEcho(false)
        let modes = await output.hold()
        output.draw(Array(enter(from: modes).utf8))
        // What is typed from here on is not for the program.
        if terminal.isTerminal { await input.send(to: isFullScreen ? .screen : .none) }
    }

    /// From the program's screen to one of ours.
    func enter(from modes: ProgramModes) -> String {
        style.enter(
            from: modes,
            rows: terminal.isTerminal ? terminal.size.rows : 0,
            isUnicode: terminal.abilities.unicode,
            around: terminal.around,
            titled: texts.shownTitle
        )
    }
}
