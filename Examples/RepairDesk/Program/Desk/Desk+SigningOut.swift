internal import HTTPPasscodeAccount
internal import LockScreens
internal import Observation
internal import PasscodeLock
internal import PortcullisCore
internal import RepairShop

/// Signing out: on this device, or on all devices of the person.
extension Desk {
    /// A full log-out: nothing of the passcode stays on this device (P-9).
    func signOut() async {
        guard !isSigningOut else { return }
        isSigningOut = true
        defer { isSigningOut = false }
        guard let lock else {
            return await session.signOut()
        }
        do throws(PasscodeError) { try await lock.session.logOut() } catch {
            // The person is signed out nevertheless. The login shows the error.
            login?.handle(.failed(error.message))
        }
    }

    /// Whether the lock has ended because its passcode is gone, while a person is signed in.
    ///
    /// A log-out on the lock screen of another window removes the passcode without asking for it. This window
    /// may learn that the passcode is gone before it learns that the session has ended. So its pages stay
    /// covered until the person is signed out here, too.
    var hasLostLock: Bool { rules.session != nil && lock?.ending == .disarmed }

    /// Signs the person out as soon as the lock has ended because its passcode is gone.
    func followEnding(of lock: AppLock) {
        withObservationTracking {
            _ = lock.ending
        } onChange: { [weak self, weak lock] in
            Task { @MainActor [weak self, weak lock] in
                guard let self, let lock, lock === self.lock else { return }
                self.followEnding(of: lock)
                await self.endLost()
            }
        }
    }

    private func endLost() async {
        guard hasLostLock, !isSigningOut else { return }
        farewell = ScreenMessage(.notice, "No passcode is set any more. Sign in again.")
        // If the session has ended elsewhere by now, `DeskSession.watch` tells the desk so.
        await session.signOut()
    }

    /// Asks whether to sign out on every device, and does so.
    func askToSignOutEverywhere() async {
        guard let user = rules.session?.user, sheets.isEmpty, !isEndingSessions else { return }
        dashboard.message = nil
        isEndingSessions = true
        let screen = SignOutEverywhereScreen(hasPasscode: await hasPasscode())
        await show { close in
            ScreenPresenter(screen, clock: backends.clock) { [weak self] effect in
                guard effect != .finish else {
                    close()
                    return nil
                }
                return await self?.perform(effect, of: user)
            }
        }
        isEndingSessions = false
        // The session may have ended elsewhere while the question was open.
        await lookAtSession()
    }

    /// Whether a log-out removes a passcode. A record that cannot be read counts, because it is removed too.
    private func hasPasscode() async -> Bool {
        guard let service = lock?.session.service else { return false }
        do throws(PasscodeError) { return try await service.status().isSet } catch { return true }
    }

    private func perform(
        _ effect: SignOutEverywhereScreen.Effect,
        of user: UserID
    ) async -> SignOutEverywhereScreen.Event? {
        switch effect {
        case .endSessions:
            do throws(PasscodeAccountError) {
                try await account(of: user).logOutEverywhere()
                return .answered(nil)
            } catch {
                return .answered(error.code, retryAfter: error.retryAfter)
            }
        case .look:
            return .looked(isOpen: await isSessionOpen(of: user))
        case .signOut:
            await session.serverEnded(of: user)
            await signOut()
        case .leave:
            guard let token = await session.token(of: user) else { break }
            await sessionIsOver(
                token,
                saying: "Your session had ended before. Sign in again to sign out your other devices."
            )
        case .finish: break
        }
        return nil
    }

    /// Whether the session of a person is still open; `nil` if the server cannot be asked.
    private func isSessionOpen(of user: UserID) async -> Bool? {
        guard let token = await session.token(of: user) else { return false }
        do throws(SignInError) {
            _ = try await client.session(token)
            return true
        } catch {
            if case .notSignedIn = error { return false }
            return nil
        }
    }
}
