internal import PasscodeLock
internal import PortcullisCore
internal import TerminalScreens

/// Doing what screens ask for.
extension GuardRun {
    func handle(_ event: LockScreen.Event) async { await perform(tell(event)) }

    func handle(_ event: FirstSetUpScreen.Event) async { await perform(tell(event)) }

    func perform(_ effects: [Effect]) async {
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
    func run(_ work: @escaping @Sendable () async -> ScreenResult) -> Task<Void, Never> {
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
