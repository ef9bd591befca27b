internal import LockScreens
internal import PasscodeLock
internal import PortcullisCore
internal import RepairShop

/// The actions of the buttons on the app's own pages.
extension Desk {
    func act(_ input: ScreenInput) {
        switch (rules.state, input) {
        case (.roleSelection, .activate(.staff)): Task { await take(.chose(.staff)) }
        case (.roleSelection, .activate(.customer)): Task { await take(.chose(.customer)) }
        case (.staffLogin, _), (.customerLogin, _): login?.handle(.input(input))
        case (.staffDashboard, .choose(.tab, let tab)) where Dashboard.tabs.indices.contains(tab):
            (dashboard.tab, dashboard.message) = (tab, nil)
        case (.staffDashboard, .choose(.row, let row)): advance(row)
        case (.staffDashboard, .activate(.security)): Task { await openSecurity() }
        case (.staffDashboard, .activate(.lock)): Task { await lockNow() }
        case (.staffDashboard, .activate(.logOut)), (.customerPortal, .activate(.logOut)),
            (.quarantine, .activate(.logOut)):
            Task { await signOut() }
        case (.staffDashboard, .activate(.logOutEverywhere)),
            (.customerPortal, .activate(.logOutEverywhere)), (.quarantine, .activate(.logOutEverywhere)):
            Task { await askToSignOutEverywhere() }
        default: break
        }
    }

    private func advance(_ row: Int) {
        guard dashboard.tab == 0, dashboard.repairs.indices.contains(row) else { return }
        let number = dashboard.repairs[row].number
        Task {
            do {
                let now = backends.clock.now.wall
                dashboard.repairs = try await book.advance(number, at: now).repairs
                dashboard.message = nil
            } catch {
                dashboard.message = ScreenMessage(.error, "That could not be written down: \(error)")
            }
        }
    }

    private func lockNow() async {
        guard let lock else { return }
        await lock.lock()
        if lock.cover == .none {
            dashboard.message = ScreenMessage(.notice, "Set a passcode first, under Security.")
        }
    }

    // MARK: Signing in

    func showLogin(_ role: DeskRole) {
        guard login == nil else { return }
        lock = lock?.cover == LockCover.none ? nil : lock
        dashboard = Dashboard()
        let screen = LoginScreen(role: role, message: farewell)
        farewell = nil
        login = ScreenPresenter(screen, clock: backends.clock) { [weak self] effect in
            await self?.perform(effect, as: role)
        }
    }

    private func perform(_ effect: LoginScreen.Effect, as role: DeskRole) async -> LoginScreen.Event? {
        do {
            switch effect {
            case .requestCode(let address):
                return .sent(try await client.requestCode(address, as: role))
            case .signIn(let address, let code, let request):
                let opened = try await client.signIn(address, as: role, code: code, of: request)
                try await session.begin(opened)
                login?.dismiss()
                (login, lock) = (nil, nil)
                await take(.signedIn(opened.session))
            case .leave:
                login?.dismiss()
                login = nil
                await take(.wentBack)
            }
            return nil
        } catch let error as SignInError {
            return .failed(error.text)
        } catch {
            return .failed("Your session could not be kept: \(error)")
        }
    }

    // MARK: The lock's screens over the pages

    private func effects() -> ScreenEffects? { (lock?.session.service).map { ScreenEffects(service: $0) } }

    /// The offer to set a passcode after the first login.
    func offerPasscode() async {
        guard let effects = effects(), sheets.isEmpty else { return }
        await show { close in effects.firstSetUp { _ in close() } }
        await take(.setUpEnded)
    }

    private func openSecurity() async {
        guard let effects = effects(), sheets.isEmpty else { return }
        dashboard.message = nil
        await show { close in
            effects.securitySettings { [weak self] effect in
                if effect == .finish { close() } else { await self?.open(effect, effects) }
            }
        }
        // On that screen the account may have answered that the session has ended.
        await lookAtSession()
    }

    private func open(_ effect: SecuritySettingsScreen.Effect, _ effects: ScreenEffects) async {
        guard let service = lock?.session.service else { return }
        let status: PasscodeStatus
        do throws(PasscodeError) { status = try await service.status() } catch {
            // If the status cannot be read, the session locks, and the lock screen shows the reason.
            await lock?.session.passcodeChanged()
            return
        }
        switch effect {
        case .openCreate:
            await show { close in effects.setPasscode(.create, status: status) { _ in close() } }
        case .openChange:
            await show { close in effects.setPasscode(.change, status: status) { _ in close() } }
        case .openRemove:
            await show { close in
                effects.askPasscode(
                    status: status,
                    for: .turnOff,
                    to: { passcode throws(PasscodeError) in
                        try await service.remove(passcode)
                    },
                    finish: { _ in close() }
                )
            }
        case .openReset(let request):
            await show { close in effects.resetPasscode(of: request) { _ in close() } }
        case .openEnableBiometrics:
            await show { close in
                effects.askPasscode(
                    status: status,
                    to: { passcode throws(PasscodeError) in
                        try await service.enableBiometrics(passcode)
                    },
                    finish: { _ in close() }
                )
            }
        case .finish, .look, .synchronise, .requestReset, .setTimeout, .disableBiometrics: break
        }
    }

    /// Shows a screen over the present one, and returns when the new screen has closed.
    func show<Screen: ContentScreen>(
        _ make: (@escaping @MainActor () -> Void) -> ScreenPresenter<Screen>
    ) async {
        let sheet = Sheet(make { [weak self] in self?.sheets.popLast()?.close() })
        sheets.append(sheet)
        await sheet.closed()
    }
}
