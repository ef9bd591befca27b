internal import PasscodeLock
internal import PortcullisCore
internal import TerminalScreens

/// Showing screens.
extension GuardRun {
    /// Makes what is shown what the lock says.
    func reconcile() async {
        let state = await session.state
        switch screen {
        case .lock(let model, let generation):
            if !state.isLocked {
                // Signing out removes the passcode, which unlocks; there is nothing to uncover any more.
                if program.isSignedOut {
                    endReason = endReason ?? GuardTexts.loggedOut
                    exitStatus = exitStatus ?? Self.signedOut
                } else if isProven {
                    await hide()
                } else {
                    await signOutWithoutPasscode()
                }
            } else if state.generation != generation, state.cover != .signingOut {
                // An earlier passcode must not open for this lock.
                seal?.lock(for: state.generation)
                isProven = false
                screen = .lock(model, generation: state.generation)
                await handle(.generation(state.generation))
                // It may have been on its way out when it locked again.
                isClosing = false
                if !isAway { appear() }
                await refresh()
            }
        case .setUp, nil:
            guard state.isLocked else { break }
            seal?.lock(for: state.generation)
            await showLock(state.generation)
        }
    }

    private func showLock(_ generation: UInt64) async {
        await show(.lock(lockScreen(generation), generation: generation))
        appear()
        // Nobody is left to answer it.
        if hasInputEnded { await inputEnded() }
    }

    /// A lock screen for the passcode as it was last read; `appear` reads it again.
    func lockScreen(_ generation: UInt64) -> LockScreen {
        LockScreen(format: format ?? service.configuration.format, generation: generation, strings: strings)
    }

    func showSetUp() async {
        let configuration = service.configuration
        await show(
            .setUp(
                FirstSetUpScreen(format: configuration.format, weakPasscodes: configuration.weakPasscodes)
            )
        )
    }

    private func show(_ new: Screen) async {
        let isFirst = screen == nil
        screen = new
        isClosing = false
        isProven = false
        screenNumber += 1
        prompt?.cancel()
        decoder = InputDecoder()
        plain.reset()
        await cover()
        if !isFullScreen, terminal.isTerminal {
            await input.send(to: .none)
            if isFirst { say(GuardTexts.covered(style)) }
        }
        if isFullScreen, face == nil {
            face = TerminalScreen(
                new.content,
                size: terminal.size,
                abilities: terminal.abilities,
                keyHints: KeyHints(lockKey: options.lockKey.defaultValueDescription)
            )
        }
        isAwaitingLine = false
        await refresh()
    }

    /// Uncovers the program, or starts it.
    func hide() async {
        screen = nil
        face = nil
        screenNumber += 1
        isAwaitingLine = false
        prompt?.cancel()
        var first = isCovered && terminal.isTerminal && style != .drawn ? GuardTexts.uncovered : ""
        if !hasStarted {
            startProgram()
            if terminal.isTerminal { first += GuardTexts.howToLock(options.lockKey, isSet: format != nil) }
        }
        guard failure == nil else { return }
        if isCovered { terminal.setEcho(true) }
        // Drops what was typed too much before anything of the program can be seen and answered.
        await input.send(to: endedBehindLock == nil ? .program : .none)
        let modes = await output.release(leaving: isCovered, saying: GuardTexts.onTerminal(first))
        isCovered = false
        exitStatus = exitStatus ?? endedBehindLock
        if exitStatus == nil, terminal.isTerminal, modes.isAlternate { await redraw() }
    }

    /// Tells the lock screen that it appeared, and what there is to know.
    func appear() {
        run { [service, strings] in
            do throws(PasscodeError) {
                return .known(try await service.status(), try await service.biometrics())
            } catch {
                return .lock(.failed(.reading, message: strings.text(error)))
            }
        }
    }

    // MARK: Drawing

    /// Shows what the screen shows now.
    func refresh() async {
        await update()
        draw()
    }

    /// Draws what has changed since it was drawn last.
    func draw() {
        guard isFullScreen, !isClosing, let update = face?.update() else { return }
        output.draw(update)
    }

    /// Tells what the screen shows now: to its face, which is drawn by ``draw()``, or as lines.
    func update() async {
        guard let content = screen?.content, !isClosing else { return }
        if isFullScreen {
            if face?.show(content) == true { deliver(.shake(screenNumber, step: 1)) }
        } else {
            say(plain.lines(for: content))
            // A line that comes while the screen takes none would be lost.
            let isOpen = content.alert != nil || content.pad?.isEnabled != false
            let isReady = !content.isBusy && (isOpen || content.message?.kind == .countDown)
            if isReady, !isAwaitingLine {
                isAwaitingLine = true
                await input.send(to: .line)
            }
        }
    }

    /// Tells lines of text, where screens are not drawn.
    func say(_ lines: [String]) {
        let end = terminal.isTerminal ? "\r\n" : "\n"
        output.draw(Array(lines.map { $0 + end }.joined().utf8))
    }

    func shake(_ number: UInt64, _ step: Int) {
        guard number == screenNumber, face != nil else { return }
        let progress = Shake.frame / Shake.duration * Double(step)
        if let update = face?.update(shake: Shake.cells(at: progress)) { output.draw(update) }
        guard progress < 1 else { return }
        Task { [deliver] in
            try? await Task.sleep(for: Shake.frame)
            deliver(.shake(number, step: step + 1))
        }
    }
}
