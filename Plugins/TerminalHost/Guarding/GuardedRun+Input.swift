internal import LockScreens
internal import PortcullisCore
internal import TerminalScreens

/// Passes input to the screens.
extension GuardedRun {
    func typed(_ bytes: SecretBytes) async {
        keystrokes += 1
        // Each event is handled as soon as it is decoded, because a list of events would be a copy of the
        // passcode.
        let number = screenNumber
        var position = 0
        var focus = FocusReports()
        while position < bytes.count {
            var event: TerminalEvent?
            bytes.withBytes { span in
                decoder.decode(span.extracting(position..<(position + 1))) { found, _ in event = found }
            }
            position += 1
            if case .focus(let isFocused) = event {
                focus.note(isFocused)
            } else if let event, screenNumber == number {
                // Keys after a change of the screen were typed for the earlier screen, so they are dropped.
                // They are still decoded, because a sequence or paste among them may end in the next bytes.
                await pressed(event)
            }
        }
        for isFocused in focus.changes { deliver(.focus(isFocused)) }
        // The screen is drawn once for all keys. One drawing for each key would delay the following keys.
        draw()
        guard let patience = decoder.patience else { return }
        Task { [keystrokes] in
            await pause(for: patience)
            deliver(.quiet(keystrokes))
        }
    }

    /// Handles a key. The caller draws the screen.
    func pressed(_ event: TerminalEvent) async {
        if case .control(options.lockKey.character) = event {
            if isScreenEnding {
                locksAgain = true
                return
            }
            // The key was typed while a screen was shown. If that screen was removed since then, the lock key
            // locks the run.
            if screen == nil { return await lockNow(byKey: true) }
            // On the recovery screen, the lock key locks again, which drops all entries. On the lock screen,
            // the run is locked already.
            if recovery != nil { return await lockNow() }
        } else if event == .control("c") {
            interrupted()
        }
        guard !isClosing else { return }
        face?.handle(event) { take($0) }
        await update()
    }

    func tell(_ line: SecretBytes) async {
        guard screen != nil, !isClosing else { return }
        let isUnderstood = plain.interpret(line) { take($0) }
        if !isUnderstood, line.count > 0 {
            say([plain.hint])
        }
        await refresh()
    }

    /// Drops the typed part of a line for a screen. The next ``update()`` asks for a whole line.
    ///
    /// After a new lock or an absence another person may be at the terminal. Without this call, that person's
    /// Return could submit a passcode that the first person has typed. On a drawn screen, the screen itself
    /// drops its entry. The lines of a pipe are answers in their order, so they are kept.
    func dropTypedLine() async {
        // A screen that is ending takes no line. Its waiting input is kept, because `hide()` looks for the
        // lock key there. A set-up that stores a passcode always ends. A lock screen that checks one may
        // stay.
        let isEnding = if case .setUp = screen { isScreenEnding } else { isClosing }
        guard screen != nil, !isEnding, !isFullScreen, !terminal.hasPipedInput else { return }
        isAwaitingLine = false
        await input.send(to: .none, dropping: true)
        // A terminal that passes on whole lines holds the typed part itself. On any other terminal this call
        // could drop a focus report.
        if !terminal.isTerminal { terminal.dropInput() }
    }

    /// Passes an input to the screen at once. A list of inputs would be a copy of the passcode.
    private func take(_ input: ScreenInput) { screen?.driver.send(input, isolation: self) }
}
