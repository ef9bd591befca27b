import GcryptKeystore
import HTTPPasscodeAccount
import LockScreens
import PasscodeLock
import PortcullisCore
import PortcullisTesting
import SystemClock
import Testing

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

actor Device: SignedInSession {
    var current: UserID? { .device }
    func restore() async -> UserID? { current }
    func signOut() async {}  // drop what the passcode guarded
}

/// The code of the guides about the passcode lock, as they show it.
@Suite("Guides: the passcode lock", .timeLimit(.minutes(5)))
@MainActor
struct PasscodeGuide {
    @Test("an embedded lock, from its back ends to the key")
    func embed() async throws {
        let folder = try ScratchFolder()
        let typed = SecretBytes(copying: "834912".utf8)
        let store = try await GcryptKeystore.open(
            KeystoreConfiguration(path: "\(folder)/app.keystore", credential: .keyFile("\(folder)/app.key"))
        )
        let backends = Backends(secrets: store, sealer: GcryptPasscodeSealer(), clock: SystemClock())
        let service = try PasscodeService(
            user: .device,
            backends: backends,
            session: Device(),
            configuration: PasscodeConfiguration(appName: "Ledger", timeout: .after(.seconds(15 * 60)))
        )
        if try await !service.status().isSet, let key = try await service.set(typed).key {
            try await store.seal(under: key)
        }
        store.lock()
        let strings = PasscodeStrings.english
        @MainActor final class Opening { var generation: UInt64 = 0 }

        let opening = Opening()
        let lock = AppLock(
            session: LockSession(service: service),
            settled: { _, isUnlocked in if !isUnlocked { store.lock() } }
        ) { proof, generation in
            guard let key = proof.key else { return .refused(message: strings.enterPasscode) }
            do {
                opening.generation = generation
                try await store.unlock(with: .rawKey(key))
                return .admitted
            } catch {
                return .refused(message: strings.storeLocked)
            }
        }
        let locking = Task {
            for await state in await lock.session.states()
            where state.isLocked && state.generation > opening.generation { store.lock() }
        }
        await lock.start()
        await lock.phaseChanged(to: .background)
        await lock.phaseChanged(to: .active)
        await lock.lock()

        let content = lock.lockScreen?.content
        let dots = content?.entry?.filled ?? 0
        lock.lockScreen?.send(.digit(8))
        lock.lockScreen?.send(.activate(.forgot))
        #expect(dots == 0)

        #expect(store.isLocked)
        if case .right(let proof) = try await service.verify(typed), let key = proof.key {
            try await store.unlock(with: .rawKey(key))
        }
        #expect(!store.isLocked)
        for input in [.activate(.cancel), .delete] as [ScreenInput] { lock.lockScreen?.send(input) }
        for digit in "834912" { lock.lockScreen?.send(.digit(digit.wholeNumberValue ?? 0)) }
        try await BoundedWait.until("the app to open") { lock.cover == .none }
        #expect(!store.isLocked)
        await lock.lock()
        try await BoundedWait.until("the store to lock") { store.isLocked }
        locking.cancel()
        await store.close()
    }

    @Test("P-40: the offer of the first start, and none where a passcode is set or cannot be read")
    func offer() async throws {
        let (store, name) = (InMemorySecretStore(), PasscodeNames.record(of: .device))
        let service = try service(store)
        var shown: [ScreenPresenter<FirstSetUpScreen>] = []
        func show(_ screen: ScreenPresenter<FirstSetUpScreen>) { shown.append(screen) }
        func close() { shown.removeLast() }
        func start() async {
            if (try? await service.offersSetUp()) == true {
                let offer = ScreenEffects(service: service).firstSetUp { _ in close() }  // set, or skipped
                show(offer)
                offer.send(.digit(8))
            }
        }
        await start()
        #expect(shown.last?.content.entry?.filled == 1)
        for digit in [3, 4, 9, 1, 2, 8, 3, 4, 9, 1, 2] { shown.last?.send(.digit(digit)) }
        try await BoundedWait.until { shown.isEmpty }
        await start()
        #expect(shown.isEmpty)
        let damaged = SecretBytes(copying: "{".utf8)
        try await store.write(damaged, to: name, accessibility: .afterFirstUnlockThisDeviceOnly)
        await start()
        #expect(shown.isEmpty)
    }

    @Test("P-37: the settings open the other screens, and show what is so when these have closed")
    func settings() async throws {
        let service = try service(InMemorySecretStore())
        try await service.set(SecretBytes(copying: "834912".utf8))
        var shown: [AnyObject] = []
        func show(_ screen: AnyObject) { shown.append(screen) }
        func close() { shown.removeLast() }
        let effects = ScreenEffects(service: service)
        let settings = effects.securitySettings { effect in
            switch effect {
            case .finish: return close()
            case .openCreate, .openChange, .openRemove, .openReset: break
            default: return  // An app that has biometrics asks for the passcode here, and enables them.
            }
            guard let status = try? await service.status() else { return }
            await withCheckedContinuation { ended in
                switch effect {
                case .openCreate: show(effects.setPasscode(.create, status: status) { _ in ended.resume() })
                case .openChange: show(effects.setPasscode(.change, status: status) { _ in ended.resume() })
                case .openReset(let request):
                    show(effects.resetPasscode(of: request) { _ in ended.resume() })
                default:  // openRemove
                    show(
                        effects.askPasscode(status: status, for: .turnOff, to: service.remove) { _ in
                            ended.resume()
                        }
                    )
                }
            }
            close()
        }
        show(settings)
        try await BoundedWait.until {
            settings.content.controls.contains { $0.id == .passcode && $0.isEnabled }
        }
        settings.send(.activate(.passcode))
        try await BoundedWait.until { shown.count == 2 }
        let ask = try #require(shown.last as? ScreenPresenter<AskPasscodeScreen>)
        for digit in [8, 3, 4, 9, 1, 2] { ask.send(.digit(digit)) }
        try await BoundedWait.until { try await !service.status().isSet }
        try await BoundedWait.until {
            settings.content.controls.first { $0.id == .passcode }?.kind == .toggle(isOn: false)
        }
        #expect(shown.count == 1)
        settings.send(.activate(.ok))
        settings.send(.activate(.done))
        try await BoundedWait.until { shown.isEmpty }
    }

    @Test("P-20: a store without signals")
    func withoutSignals() async throws {
        let (store, clock, host) = (InMemorySecretStore(), ManualClock(), Device())
        let backends = Backends(secrets: Mute(base: store), sealer: FastPasscodeSealer(), clock: clock)
        let passcode = SecretBytes(copying: "834912".utf8)
        let service = try PasscodeService(
            user: .device,
            backends: backends,
            session: host,
            configuration: PasscodeConfiguration(appName: "Ledger", timeout: .after(.seconds(5 * 60)))
        )
        let lock = AppLock(session: LockSession(service: service))
        await lock.start()
        try await service.set(passcode)  // noticed, because the lock has this service
        await lock.phaseChanged(to: .background)
        await lock.phaseChanged(to: .active)  // reads, then uncovers or locks
        #expect(lock.cover == .none)

        await lock.phaseChanged(to: .background)
        await clock.advance(by: .seconds(5 * 60))
        await lock.phaseChanged(to: .active)
        #expect(lock.cover == .lockScreen)

        try await self.service(store).clearAll()
        await lock.session.passcodeChanged()
        #expect(await lock.session.state.cover == .none)
    }

    /// A store that cannot signal.
    private struct Mute: SecretStore {
        let base: InMemorySecretStore
        var capabilities: SecretStoreCapabilities { .isShared }
        func read(_ name: SecretName) async throws(SecretStoreError) -> StoredSecret? {
            try await base.read(name)
        }
        func write(
            _ value: SecretBytes,
            to name: SecretName,
            accessibility: Accessibility,
            if precondition: WritePrecondition
        ) async throws(SecretStoreError) -> WriteOutcome {
            try await base.write(value, to: name, accessibility: accessibility, if: precondition)
        }
        func remove(
            _ name: SecretName,
            if precondition: WritePrecondition
        ) async throws(SecretStoreError) -> RemoveOutcome { try await base.remove(name, if: precondition) }
        func names(in namespace: SecretNamespace) async throws(SecretStoreError) -> [SecretName] {
            try await base.names(in: namespace)
        }
        func changes(in namespace: SecretNamespace) -> AsyncStream<Void> { AsyncStream { $0.finish() } }
    }

    @Test("P-2: a PIN that is taken over")
    func takeOver() async throws {
        let service = try service(InMemorySecretStore())
        let storedSalt = "c2FsdA=="
        // printf '%s' '4711c2FsdA==' | sha256sum
        let storedDigest = "056a85194269081a57fefc57430e7d068bf84c6c14e2ee1da31c544e0611f50e"
        try await service.takeOver(
            LegacyPasscodeHash(hexDigest: storedDigest, salt: storedSalt),
            format: .digits(4)
        )
        #expect(try await service.verify(SecretBytes(copying: "4711".utf8)).isRight)
    }

    @Test("a lock and an account")
    func account() async throws {
        let account = InMemoryPasscodeAccount(InMemoryAccountServer(clock: ManualClock()))
        let (user, host, sealer, clock) = (UserID.device, Device(), FastPasscodeSealer(), ManualClock())
        let store = InMemorySecretStore()
        let backends = Backends(secrets: store, sealer: sealer, clock: clock)
        do {
            let service = try PasscodeService(
                user: user,
                backends: backends,
                session: host,
                configuration: PasscodeConfiguration(appName: "Ledger", timeout: .accountPreset),
                account: account
            )
            #expect(try await service.status().isSet == false)
        }
        let service = try PasscodeService(
            user: .device,
            backends: Backends(secrets: store, sealer: sealer, clock: clock),
            session: host,
            configuration: PasscodeConfiguration(appName: "Ledger")
        )
        let lock = AppLock(session: LockSession(service: service))
        await lock.start()
        #expect(lock.cover == .none)
    }

    private func remote(_ server: URL, _ transport: any HTTPTransport, _ login: Login) throws {
        let account = try HTTPPasscodeAccount(server: server, transport: transport, clock: SystemClock()) {
            await login.token
        }
        _ = account
    }

    private actor Login {
        var token: SecretBytes? { nil }
    }

    private func service(_ store: InMemorySecretStore) throws -> PasscodeService {
        try PasscodeService(
            user: .device,
            backends: Backends(secrets: store, sealer: FastPasscodeSealer(), clock: ManualClock()),
            session: Device(),
            configuration: PasscodeConfiguration(appName: "Ledger")
        )
    }
}
