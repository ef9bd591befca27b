internal import PasscodeLock
internal import PortcullisCore
internal import TerminalScreens

/// Doing what the offer of a passcode asks for; what the lock screen asks for is the driver's.
extension GuardRun {
    func handle(_ event: FirstSetUpScreen.Event) { for effect in tell(event) { perform(effect) } }

    func perform(_ effect: FirstSetUpScreen.Effect) {
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
        case .notSealed(let message):
            failure = GuardFailure("the store is not sealed: \(message)")
        case .setUp(let event):
            guard number == screenNumber else { return }
            handle(event)
            await refresh()
        case .setUpFinished:
            guard number == screenNumber else { return }
            await readTimeout()
            await hide()
        }
    }

    /// Does something that takes time, and brings what became of it back to the screen that asked.
    private func run(_ work: @escaping @Sendable () async -> ScreenResult) {
        let number = screenNumber
        Task { [deliver] in deliver(.result(number, await work())) }
    }

    private func later(_ delay: Duration, _ result: ScreenResult) {
        run { [clock] in
            try? await clock.sleep(until: .sinceBoot(clock.now.sinceBoot + delay))
            return result
        }
    }
}
