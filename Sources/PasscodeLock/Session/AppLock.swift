public import Observation
public import PortcullisCore

/// A whole passcode lock for a user interface: what covers the content, and the lock screen while there is one.
///
/// Bind ``cover`` and ``lockScreen``, call ``start()`` before the content is shown, and tell it of scene phases
/// and activity. Everything else follows.
@MainActor
@Observable
public final class AppLock {
    /// What lies over the content; covered until the lock has been started.
    public private(set) var cover = LockCover.obscured
    /// The lock screen, while the app is locked.
    public private(set) var lockScreen: ScreenPresenter<LockScreen>?
    /// The reset screen over the lock screen, once a code was requested there.
    public private(set) var resetScreen: ScreenPresenter<ResetPasscodeScreen>?
    /// What the account told last; `nil` without an account, and before it answered.
    public private(set) var report: AccountReport?
    /// Why the account did not answer when it was last asked; `nil` after it did.
    public private(set) var accountFailure: PasscodeError?
    /// How a cover comes and goes.
    public let transition = CoverTransition.standard
    /// The lock beneath.
    @ObservationIgnored public let session: LockSession

    @ObservationIgnored private let strings: PasscodeStrings
    @ObservationIgnored private var following: Task<Void, Never>?
    @ObservationIgnored private var prompt: Task<Result<BiometricAnswer, PasscodeError>, Never>?
    @ObservationIgnored private var shown: LockState?
    @ObservationIgnored private var resetGeneration: UInt64?
    @ObservationIgnored private var asking: Task<Void, Never>?
    @ObservationIgnored private var phase = ScenePhase.active

    private var service: PasscodeService { session.service }

    /// A lock of a session.
    ///
    /// - Parameters:
    ///   - session: the lock beneath; each session has one app lock.
    ///   - strings: the texts.
    public init(session: LockSession, strings: PasscodeStrings = .english) {
        self.session = session
        self.strings = strings
    }

    isolated deinit {
        following?.cancel()
        prompt?.cancel()
        asking?.cancel()
    }

    /// Starts the lock; when it returns, ``cover`` is right for the first time.
    public func start() async {
        await session.launch()
        let states = await session.states()
        await show(await session.state)
        following = Task { [weak self] in
            for await state in states { await self?.show(state) }
        }
        askAccount()
    }

    /// The network is back, or the person signed in: asks the account how things stand.
    public func synchronise() async {
        do throws(PasscodeError) {
            report = try await session.synchronise()
            accountFailure = nil
        } catch {
            // A question that another one took the place of has not failed.
            if !Task.isCancelled { accountFailure = error }
        }
    }

    /// In the background: nothing that is shown waits for a network.
    private func askAccount() {
        guard service.hasAccount else { return }
        asking?.cancel()
        asking = Task { [weak self] in await self?.synchronise() }
    }

    /// The app came to the front, went out of sight, or something between.
    public func phaseChanged(to phase: ScenePhase) async {
        let wasAway = self.phase == .background
        self.phase = phase
        if phase == .background { prompt?.cancel() }
        // Before anything that waits: the app switcher must not show the content.
        if phase != .active, cover == .none { cover = .obscured }
        await session.phaseChanged(to: phase)
        await show(await session.state)
        if phase == .active, wasAway {
            askAccount()
            if let lockScreen { await appear(lockScreen) }
        }
    }

    /// Locks now, if a passcode is set.
    public func lock() async {
        await session.lock()
        await show(await session.state)
    }

    private func show(_ state: LockState) async {
        // A state that a later one has overtaken is ignored.
        if let shown, state.revision < shown.revision { return }
        shown = state
        // The session may not have heard yet that the app went out of sight.
        cover = phase != .active && state.cover == .none ? .obscured : state.cover
        guard state.isLocked else {
            lockScreen?.dismiss()
            lockScreen = nil
            closeReset()
            prompt?.cancel()
            return
        }
        if let lockScreen { return lockScreen.handle(.generation(state.generation)) }
        // What cannot be read is locked all the same: a pad of the configured format, and the way out.
        let format: PasscodeFormat
        do throws(PasscodeError) {
            format = try await service.status().format
        } catch {
            format = service.configuration.format
        }
        guard lockScreen == nil, let shown, shown.isLocked else { return }
        let screen = LockScreen(
            format: format,
            hasAccount: service.hasAccount,
            generation: shown.generation,
            strings: strings
        )
        let presenter = ScreenPresenter(screen, clock: service.clock) { [weak self] effect in
            await self?.perform(effect)
        }
        lockScreen = presenter
        if phase != .background { await appear(presenter) }
    }

    private func appear(_ presenter: ScreenPresenter<LockScreen>) async {
        do throws(PasscodeError) {
            let status = try await service.status()
            let offer = try await service.biometrics()
            presenter.handle(.appeared(retryAfter: status.retryAfter, offer))
        } catch {
            presenter.handle(.appeared(retryAfter: .zero, nil))
            presenter.handle(.failed(.reading, message: strings.text(error)))
        }
    }

    private func perform(_ effect: LockScreen.Effect) async -> LockScreen.Event? {
        do throws(PasscodeError) {
            switch effect {
            case .verify(let passcode, let generation):
                let answer = try await service.verify(passcode)
                await session.passcodeTried(answer)
                if answer.isRight { Task { [session] in await session.push(passcode) } }
                return .answered(answer, generation: generation)
            case .prompt(let generation):
                return .prompted(try await showPrompt(), generation: generation)
            case .cancelPrompt:
                prompt?.cancel()
            case .unlock(let proof, let generation):
                guard await session.unlock(with: proof, generation: generation) else { return .unlockRefused }
                await show(await session.state)
            case .logOut:
                try await session.logOut()
                return .loggedOut
            case .requestReset:
                return .resetSent(try await service.requestReset())
            case .openReset(let request):
                openReset(request)
            case .reconsider:
                await session.passcodeChanged()
            case .tick(let after):
                return await ScreenEffects(service: service).wait(after) ? .tick : nil
            }
        } catch {
            return .failed(effect.request, message: strings.text(error))
        }
        return nil
    }

    // MARK: Reset

    private func openReset(_ request: AccountCodeRequest) {
        guard resetScreen == nil, lockScreen != nil else { return }
        let effects = ScreenEffects(service: service, strings: strings)
        let screen = ResetPasscodeScreen(
            request: request,
            format: service.configuration.format,
            weakPasscodes: service.configuration.weakPasscodes,
            strings: strings
        )
        resetScreen = ScreenPresenter(screen, clock: service.clock) { [weak self] effect in
            // A person may leave the app to read the mail. Only leaving it while the reset is sent voids the
            // proof.
            if case .reset = effect { self?.resetGeneration = self?.shown?.generation }
            return await effects.perform(effect) { ending in await self?.resetEnded(ending) }
        }
    }

    private func resetEnded(_ ending: ResetPasscodeScreen.Ending) async {
        guard case .reset(let proof) = ending else {
            closeReset()
            return await session.passcodeChanged()
        }
        await session.passcodeChanged()
        if let resetGeneration { await session.unlock(with: proof, generation: resetGeneration) }
        // Closed only now: the lock screen beneath has not been told of the new passcode.
        await show(await session.state)
        closeReset()
    }

    private func closeReset() {
        resetScreen?.dismiss()
        resetScreen = nil
    }

    private func showPrompt() async throws(PasscodeError) -> BiometricAnswer {
        prompt?.cancel()
        let task = Task { [service, strings] () -> Result<BiometricAnswer, PasscodeError> in
            do throws(PasscodeError) { return .success(try await service.authenticate(strings)) } catch {
                return .failure(error)
            }
        }
        prompt = task
        return try await task.value.get()
    }
}
