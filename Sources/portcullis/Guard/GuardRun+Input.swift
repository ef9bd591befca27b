internal import PasscodeLock
internal import PortcullisCore
internal import TerminalScreens

/// Feeding screens what is typed.
extension GuardRun {
    func typed(_ bytes: SecretBytes) async {
        keystrokes += 1
        // Decoded and handled one by one: a list of events would be a copy of the passcode.
        let number = screenNumber
        var position = 0
        while position < bytes.count, screenNumber == number {
            var event: TerminalEvent?
            bytes.withBytes { span in
                decoder.decode(span.extracting(position..<(position + 1))) { found, _ in event = found }
            }
            position += 1
            if let event { await pressed(event) }
        }
        // Once for all of it: a redraw for each of many keys would hold up those that follow.
        draw()
        guard let patience = decoder.patience else { return }
        Task { [deliver, keystrokes] in
            try? await Task.sleep(for: patience)
            deliver(.quiet(keystrokes))
        }
    }

    /// Handles a key; the screen is drawn by the caller.
    func pressed(_ event: TerminalEvent) async {
        if case .focus(let isFocused) = event { return deliver(.focus(isFocused)) }
        guard !isClosing else { return }
        var effects: [Effect] = []
        face?.handle(event) { effects += take($0) }
        await perform(effects)
        await update()
    }

    func tell(_ line: SecretBytes) async {
        guard screen != nil, !isClosing else { return }
        var effects: [Effect] = []
        let isUnderstood = plain.interpret(line) { effects += take($0) }
        if !isUnderstood, line.count > 0 {
            say([plain.hint])
        }
        await perform(effects)
        await refresh()
    }

    /// What the screen in front wants done.
    enum Effect {
        case lock(LockScreen.Effect)
        case setUp(FirstSetUpScreen.Effect)
    }

    /// Hands an input to the screen as it comes: a list of them would be a copy of the passcode.
    private func take(_ input: ScreenInput) -> [Effect] {
        switch screen {
        case .lock: tell(LockScreen.input(input))
        case .setUp: tell(FirstSetUpScreen.input(input))
        case nil: []
        }
    }

    func tell(_ event: LockScreen.Event) -> [Effect] {
        guard case .lock(var model, let generation) = screen else { return [] }
        defer { screen = .lock(model, generation: generation) }
        return model.handle(event, at: clock.now).map { .lock($0) }
    }

    func tell(_ event: FirstSetUpScreen.Event) -> [Effect] {
        guard case .setUp(var model) = screen else { return [] }
        defer { screen = .setUp(model) }
        return model.handle(event, at: clock.now).map { .setUp($0) }
    }
}
