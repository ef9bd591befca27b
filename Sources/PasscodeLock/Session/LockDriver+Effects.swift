internal import AdapterKit
internal import LockScreens
internal import PortcullisCore

/// Carries out the effects of the lock screen.
extension LockDriver {
    func perform(
        _ effect: LockScreen.Effect,
        isolation: isolated any Actor
    ) async -> LockScreen.Event? {
        do throws(PasscodeError) {
            switch effect {
            case .verify(let passcode, let generation):
                let answer = try await service.verify(passcode)
                await session.passcodeTried(answer)
                if service.leavesActionDue(after: answer) {
                    return .failed(.verification, message: strings.limitDue)
                }
                if answer.isRight {
                    Task(executorPreference: session.executor) { [session] in await session.push(passcode) }
                }
                return .answered(answer, generation: generation)
            case .prompt(let generation):
                return .prompted(try await showPrompt(generation), generation: generation)
            case .cancelPrompt:
                prompt?.cancel()
            case .unlock(let proof, let generation):
                return await uncover(proof, generation)
            case .logOut:
                isSigningOut = true
                defer { isSigningOut = false }
                do throws(PasscodeError) { try await session.logOut() } catch {
                    await update()
                    return .failed(effect.request, message: strings.text(logOut: error))
                }
                await update()
                ending = .signedOut
                return .loggedOut
            case .requestReset:
                return .resetSent(try await service.requestReset())
            case .openReset(let request):
                host.openReset(request)
            case .openRecovery:
                host.openRecovery?()
            case .reconsider:
                await session.passcodeChanged()
                await update()
            case .tick(let after):
                let due = service.clock.now.sinceBoot + after
                return (try? await service.clock.sleep(until: .sinceBoot(due))) == nil ? nil : .tick
            }
        } catch {
            // If the prompt belonged to an earlier generation, its error is not shown. A prompt of the
            // present generation may be open already.
            if case .prompt(let generation) = effect, generation != toldGeneration { return nil }
            return .failed(effect.request, message: strings.text(error))
        }
        return nil
    }

    /// Unlocks with a proof from another screen, such as the reset or the recovery screen. The proof is valid
    /// only if the lock still has this generation.
    ///
    /// ``Host/prepare`` runs first. If the host refuses, the lock screen shows the host's message.
    ///
    /// - Returns: whether the session is unlocked now.
    @discardableResult
    public func unlock(
        with proof: UnlockProof,
        generation: UInt64,
        isolation: isolated any Actor = #isolation
    ) async -> Bool {
        guard let refusal = await uncover(proof, generation) else { return true }
        screen?.handle(refusal)
        return false
    }

    /// Unlocks the session with a proof, after the host has prepared.
    ///
    /// - Returns: the event for the lock screen if the screen stays; `nil` if the session is unlocked.
    private func uncover(
        _ proof: UnlockProof,
        _ generation: UInt64,
        isolation: isolated any Actor = #isolation
    ) async -> LockScreen.Event? {
        await provingTurn.begin()
        defer { provingTurn.end() }
        if case .refused(let message) = await host.prepare(proof, generation) {
            return message.map { .failed(message: $0) } ?? .unlockRefused
        }
        proofsOnTheWay += 1
        let isUnlocked = await session.unlock(with: proof, generation: generation)
        proofsOnTheWay -= 1
        // If the session has locked again meanwhile, the screen belongs to the new lock and has not ended.
        if isUnlocked, screen != nil, self.generation == generation { ending = .unlocked }
        host.settled(generation, isUnlocked)
        await update()
        return isUnlocked ? nil : .unlockRefused
    }

    private func showPrompt(
        _ generation: UInt64,
        isolation: isolated any Actor = #isolation
    ) async throws(PasscodeError) -> BiometricAnswer {
        // The screen may have got a newer generation after it asked for this prompt. A prompt of the newer
        // generation may be open already, and this call must not cancel it.
        guard generation == toldGeneration else { return .ended(.cancelled(by: .app)) }
        prompt?.cancel()
        guard phase != .background else { return .ended(.cancelled(by: .app)) }
        let (hints, hinting) = AsyncStream<BiometricHint>.makeStream()
        let task = Task(executorPreference: session.executor) {
            [service, strings] () -> Result<BiometricAnswer, PasscodeError> in
            defer { hinting.finish() }
            do throws(PasscodeError) {
                return .success(try await service.authenticate(strings) { hinting.yield($0) })
            } catch {
                return .failure(error)
            }
        }
        prompt = task
        // The ended task is released, because it keeps its result, which may hold the passcode's key.
        defer { if prompt == task { prompt = nil } }
        // The stream of hints ends with the prompt.
        for await hint in hints { screen?.handle(.hinted(hint, generation: generation)) }
        return try await task.value.get()
    }
}
