internal import PasscodeLock
internal import PortcullisCore
internal import TerminalScreens

/// Showing screens, feeding them, and doing what they ask for.
extension GuardRun {
    // MARK: Coming and going

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
            await input.send(to: .nobody)
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
        // Drops what was typed too much before anything of the program can be seen and answered.
        await input.send(to: endedBehindLock == nil ? .program : .nobody)
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
        guard let content = screen?.content, !isClosing else { return }
        if isFullScreen {
            if face?.show(content) == true { deliver(.shake(screenNumber, step: 1)) }
            if let update = face?.update() { output.draw(update) }
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

    // MARK: Input

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
        guard let patience = decoder.patience else { return }
        Task { [deliver, keystrokes] in
            try? await Task.sleep(for: patience)
            deliver(.quiet(keystrokes))
        }
    }

    func pressed(_ event: TerminalEvent) async {
        if case .focus(let isFocused) = event { return deliver(.focus(isFocused)) }
        guard !isClosing else { return }
        var effects: [Effect] = []
        face?.handle(event) { effects += take($0) }
        await perform(effects)
        await refresh()
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
    private enum Effect {
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

    private func tell(_ event: LockScreen.Event) -> [Effect] {
        guard case .lock(var model, let generation) = screen else { return [] }
        defer { screen = .lock(model, generation: generation) }
        return model.handle(event, at: clock.now).map { .lock($0) }
    }

    private func tell(_ event: FirstSetUpScreen.Event) -> [Effect] {
        guard case .setUp(var model) = screen else { return [] }
        defer { screen = .setUp(model) }
        return model.handle(event, at: clock.now).map { .setUp($0) }
    }

    // MARK: Effects

    func handle(_ event: LockScreen.Event) async { await perform(tell(event)) }

    func handle(_ event: FirstSetUpScreen.Event) async { await perform(tell(event)) }

    private func perform(_ effects: [Effect]) async {
        for effect in effects {
            switch effect {
            case .lock(let effect): await perform(effect)
            case .setUp(let effect): perform(effect)
            }
        }
    }

    private func perform(_ effect: LockScreen.Effect) async {
        switch effect {
        case .verify(let passcode, let generation):
            run { [service, session, strings] in
                do throws(PasscodeError) {
                    let answer = try await service.verify(passcode)
                    await session.passcodeTried(answer)
                    return .lock(.answered(answer, generation: generation))
                } catch {
                    return .lock(.failed(.verification, message: strings.text(error)))
                }
            }
        case .prompt(let generation):
            prompt = run { [service, strings] in
                do throws(PasscodeError) {
                    return .lock(.prompted(try await service.authenticate(strings), generation: generation))
                } catch {
                    return .lock(.failed(.prompt, message: strings.text(error)))
                }
            }
        case .cancelPrompt:
            prompt?.cancel()
        case .unlock(let proof, let generation):
            // An absence that ended just now is still to be handled, and voids the proof.
            guard await input.lookAtClock() == absences else {
                return await handle(LockScreen.Event.unlockRefused)
            }
            isClosing = true
            guard let seal else {
                isClosing = await session.unlock(with: proof, generation: generation)
                isProven = isClosing
                if !isProven { await handle(LockScreen.Event.unlockRefused) }
                return
            }
            run {
                do throws(SecretStoreError) {
                    try await seal.open(with: proof.key, for: generation)
                    return .opened(proof, generation: generation)
                } catch {
                    return .notOpened(message: Self.explanation(error))
                }
            }
        case .logOut:
            run { [session, strings] in
                do throws(PasscodeError) {
                    try await session.logOut()
                    return .loggedOut
                } catch {
                    return .lock(.failed(.leaving, message: strings.text(error)))
                }
            }
        case .reconsider:
            run { [session] in
                await session.passcodeChanged()
                return .reconsider
            }
        case .tick(let delay):
            later(delay, .lock(.tick))
        case .requestReset, .openReset:
            // Only offered with an account, which this tool has not.
            break
        }
    }

    private func perform(_ effect: FirstSetUpScreen.Effect) {
        switch effect {
        case .inner(.set(let passcode)):
            run { [service, strings] in
                do throws(PasscodeError) {
                    return .setUp(.saved(.right(try await service.set(passcode))))
                } catch {
                    return .setUp(.failed(message: strings.text(error)))
                }
            }
        case .inner(.tick(let delay)):
            later(delay, .setUp(.tick))
        case .finish(let ending):
            isClosing = true
            run { [service, session, seal, hasStarted] in
                // Without the note the question comes again, and then says what fails.
                try? await service.noteAsked()
                let generation = await session.state.generation
                switch ending {
                case .saved(let proof):
                    do throws(SecretStoreError) {
                        try await seal?.open(with: proof.key, for: generation)
                    } catch {
                        return .notSealed(message: error.message)
                    }
                    seal?.admit(for: generation)
                case .skipped where seal != nil && !hasStarted:
                    return .notSealed(message: "it takes a passcode, and none was set")
                case .skipped: break
                }
                await session.passcodeChanged()
                return .setUpFinished(ending)
            }
        case .inner(.verify), .inner(.change), .inner(.finish):
            // The create flow asks for no current passcode and does not close itself.
            break
        }
    }

    func take(_ result: ScreenResult, from number: UInt64) async {
        switch result {
        case .opened(let proof, let generation):
            return await opened(proof, generation, from: number)
        case .notOpened(let message):
            guard number == screenNumber else { return }
            isClosing = false
            await handle(message.map { LockScreen.Event.failed(message: $0) } ?? .unlockRefused)
        case .notSealed(let message):
            failure = GuardFailure("the store is not sealed: \(message)")
            return
        case .loggedOut:
            endReason = endReason ?? GuardTexts.loggedOut
            exitStatus = exitStatus ?? Self.signedOut
            return
        case .reconsider:
            // The limit of wrong passcodes may have signed out, which unlocks.
            return await reconcile()
        case .known(let status, let offer):
            guard number == screenNumber, case .lock(_, let generation) = screen else { return }
            if status.isSet, status.format != format {
                // Another one was set elsewhere: what was typed so far is no beginning of it.
                format = status.format
                screen = .lock(lockScreen(generation), generation: generation)
            }
            await handle(LockScreen.Event.appeared(retryAfter: status.retryAfter, offer))
        case .lock(let event):
            guard number == screenNumber else { return }
            await handle(event)
        case .setUp(let event):
            guard number == screenNumber else { return }
            await handle(event)
        case .setUpFinished:
            guard number == screenNumber else { return }
            await readTimeout()
            return await hide()
        }
        await refresh()
    }

    /// Does something that takes time, and brings what became of it back to the screen that asked.
    @discardableResult
    private func run(_ work: @escaping @Sendable () async -> ScreenResult) -> Task<Void, Never> {
        let number = screenNumber
        return Task { [deliver] in deliver(.result(number, await work())) }
    }

    private func later(_ delay: Duration, _ result: ScreenResult) {
        run { [clock] in
            try? await clock.sleep(until: .sinceBoot(clock.now.sinceBoot + delay))
            return result
        }
    }
}
