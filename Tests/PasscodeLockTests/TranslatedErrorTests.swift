import LockScreens
import PasscodeLock
import PortcullisCore
import PortcullisTesting
import Testing

/// Every text about an error is one that only a translation has; what a person reads comes from there.
@Suite("A translated app tells errors in its own words (1.4)", .timeLimit(.minutes(5)))
@MainActor
struct TranslatedErrorTests {
    private let bench = Bench()
    private let strings: PasscodeStrings
    private let full = SecretStoreError(code: .diskFull, message: "no space is left")
    private let noMemory = PasscodeSealerError(code: .outOfMemory, message: "no memory")

    init() {
        var strings = PasscodeStrings.english
        let texts: [WritableKeyPath<PasscodeStrings, String>] = [
            \.accountUnreachable, \.accountUnknown, \.accountSignedOut, \.accountConflict, \.accountThrottled,
            \.accountThrottledForAWhile, \.accountFailure, \.accountRefused, \.accountMissing, \.storeFailed,
            \.storeFull, \.storeNotPermitted, \.storeBusy, \.storeDamaged, \.storeLocked, \.storeUncertain,
            \.storeUnreachable, \.storeUnanswered,
            \.hardwareMissing, \.hardwareBusy, \.hardwareFull, \.hardwareFailed, \.hardwareNotPermitted,
            \.hardwareOwned, \.hardwareUnsuitable, \.otherHardware, \.hardwareCleared, \.olderSeal,
            \.notRecoverable, \.logOutInApp,
            \.sealerFailed, \.sealerOutOfMemory, \.recordDamaged, \.recordNewer, \.alreadySet, \.tooShort,
            \.tooLong, \.digitsOnly, \.plainCharactersOnly, \.biometricsFailed, \.biometricsNotEnrolled,
            \.biometricsLockedOut, \.invalidConfiguration, \.easilyGuessed,
        ]
        for (number, text) in texts.enumerated() { strings[keyPath: text] = "«\(number)»" }
        strings.logOutFailed = "«out: %@»"
        self.strings = strings
    }

    private func failing() throws -> (FailingSecretStore<InMemorySecretStore>, PasscodeService) {
        let store = FailingSecretStore(InMemorySecretStore(bench.storage))
        return (store, try bench.service(store: store))
    }

    private func type<Screen: ContentScreen>(_ digits: String, on presenter: ScreenPresenter<Screen>) {
        for digit in digits { presenter.send(.digit(digit.wholeNumberValue!)) }
    }

    private func message<Screen: ContentScreen>(_ presenter: ScreenPresenter<Screen>) async throws -> String {
        try await BoundedWait.until {
            presenter.content.message != nil && !presenter.content.isBusy
        }
        return presenter.content.message?.text ?? ""
    }

    @Test("1.4: no code of an error is told in the error's own words")
    func allCodes() {
        let stores: [SecretStoreError.Code] = [
            .diskFull, .notPermitted, .readOnly, .lockTimeout, .damaged, .rolledBack,
            .classLocked, .wrongKey, .newerFormat, .durabilityUnknown, .closed, .unavailable,
            .unreachable, .timedOut, .outcomeUnknown,
            .systemFailure,
        ]
        let sealers: [PasscodeSealerError.Code] =
            [
                .refusedParameters, .unknownAlgorithm, .malformed, .outOfMemory, .cancelled, .unavailable,
                .systemFailure, .notRecoverable,
            ] + PasscodeSealerErrorCode.ofHardware
        let biometrics: [BiometricError.Code] = [
            .notAvailable, .notEnrolled, .lockedOut, .enrolmentChanged, .systemFailure,
        ]
        let accounts: [PasscodeAccountError.Code] = [
            .unreachable, .outcomeUnknown, .notSignedIn, .conflict, .throttled, .serverFailure, .refused,
            .invalidAnswer, .cancelled, .unavailable,
        ]
        let words = "words of the error"
        func error(_ code: PasscodeError.Code, _ cause: (any Error)? = nil) -> PasscodeError {
            PasscodeError(code: code, message: words, cause: cause)
        }
        var errors: [PasscodeError] =
            [
                .wrongFormat, .easilyGuessed, .alreadySet, .damagedRecord, .newerRecord, .store, .sealer,
                .biometrics, .account, .logOutInApp, .invalidConfiguration,
            ].map { (code: PasscodeError.Code) in error(code) }
        errors += stores.map { error(.store, SecretStoreError(code: $0, message: words)) }
        errors += sealers.map { error(.sealer, PasscodeSealerError(code: $0, message: words)) }
        errors += biometrics.map { error(.biometrics, BiometricError(code: $0, message: words)) }
        errors += accounts.map { error(.account, PasscodeAccountError(code: $0, message: words)) }
        let violations: [PasscodeFormatViolation] = [
            .tooShort(minimum: 4), .tooLong(maximum: 12), .notADigit, .notASCII, .controlCharacter,
        ]
        errors += violations.map {
            PasscodeError(code: .wrongFormat, message: $0.description, violation: $0)
        }
        for error in errors {
            let text = strings.text(error)
            #expect(text.hasPrefix("«") && text.hasSuffix("»"), "\(error): \(text)")
        }
    }

    @Test("1.4: what is needed of a format is told with its number")
    func numbers() {
        let strings = PasscodeStrings.english
        #expect(strings.text(.tooShort(minimum: 4)) == "At least 4 characters are needed.")
        #expect(strings.text(.tooLong(maximum: 12)) == "At most 12 characters are allowed.")
        #expect(strings.text(.notADigit) == "Only digits are allowed.")
        let error = PasscodeError(code: .wrongFormat, message: "words", violation: .tooShort(minimum: 4))
        #expect(strings.text(error) == "At least 4 characters are needed.")
    }

    @Test("1.4, P-32: the lock screen")
    func lockScreen() async throws {
        let (store, service) = try failing()
        try await service.set(SecretBytes("834912"))
        let lock = AppLock(session: LockSession(service: service), strings: strings)
        await lock.start()
        await lock.lock()
        let screen = try #require(lock.lockScreen)
        bench.sealer.failNext(noMemory)
        type("834912", on: screen)
        #expect(try await message(screen) == strings.sealerOutOfMemory)
        store.failNext(.write, with: full)
        type("834912", on: screen)
        try await BoundedWait.until {
            screen.content.message?.text == strings.storeFull && !screen.content.isBusy
        }
        store.failNext(.remove, with: full)
        screen.send(.activate(.forgot))
        screen.send(.activate(.logOut))
        try await BoundedWait.until { await bench.host.signedOut.count == 1 }
        try await BoundedWait.until { !screen.content.isBusy }
        #expect(screen.content.message?.text == "«out: \(strings.storeFull)»")
    }

    @Test("1.4, P-5, P-33: over a store that stays damaged, a log-out that fails says so")
    func damagedStore() async throws {
        let (store, service) = try failing()
        try await service.set(SecretBytes("834912"))
        let error = SecretStoreError(code: .damaged, message: "the store is damaged")
        for operation in [SecretStoreOperation.read, .write, .remove] {
            for _ in 0..<1000 { store.failNext(operation, with: error) }
        }
        let lock = AppLock(session: LockSession(service: service), strings: strings)
        await lock.start()
        let screen = try #require(lock.lockScreen)
        #expect(try await message(screen) == strings.storeDamaged)
        screen.send(.activate(.forgot))
        screen.send(.activate(.logOut))
        try await BoundedWait.until { await bench.host.signedOut.count == 1 }
        try await BoundedWait.until { !screen.content.isBusy }
        #expect(screen.content.message?.text == "«out: \(strings.storeDamaged)»")
        #expect(lock.cover == .lockScreen)
    }

    @Test("1.4, P-33: only a log-out that could not remove the passcode is told as unfinished")
    func logOutFailed() {
        let english = PasscodeStrings.english
        let damaged = SecretStoreError(code: .damaged, message: "words")
        #expect(
            english.text(logOut: PasscodeError(code: .store, message: "words", cause: damaged))
                == "Logging out could not be finished. The storage of the passcode is damaged."
        )
        let elsewhere = PasscodeError(code: .logOutInApp, message: "words")
        #expect(english.text(logOut: elsewhere) == english.logOutInApp)
    }

    @Test("1.4, P-5: the lock screen over a damaged record")
    func damaged() async throws {
        try await bench.service().set(SecretBytes("834912"))
        try await bench.overwriteRecord("{}")
        let lock = AppLock(session: LockSession(service: try bench.service()), strings: strings)
        await lock.start()
        #expect(try await message(#require(lock.lockScreen)) == strings.recordDamaged)
    }

    @Test("1.4, P-34: setting and changing")
    func setting() async throws {
        let (store, service) = try failing()
        let effects = ScreenEffects(service: service, strings: strings)
        let set = effects.setPasscode(.create, status: try await service.status()) { _ in }
        store.failNext(.write, with: full)
        type("834912834912", on: set)
        #expect(try await message(set) == strings.storeFull)
        try await bench.service().set(SecretBytes("834912"))
        let change = effects.setPasscode(.change, status: try await service.status()) { _ in }
        bench.sealer.failNext(noMemory)
        type("834912", on: change)
        #expect(try await message(change) == strings.sealerOutOfMemory)
    }

    @Test("1.4, P-37: asking for the passcode, and the settings")
    func askingAndSettings() async throws {
        let (store, service) = try failing()
        try await service.set(SecretBytes("834912"))
        let effects = ScreenEffects(service: service, strings: strings)
        let ask = effects.askPasscode(
            status: try await service.status(),
            to: { passcode throws(PasscodeError) in try await service.remove(passcode) },
            finish: { _ in }
        )
        store.failNext(.write, with: full)
        type("834912", on: ask)
        #expect(try await message(ask) == strings.storeFull)
        let settings = effects.securitySettings { _ in }
        try await BoundedWait.until { !settings.content.isBusy }
        store.failNext(.write, with: full)
        settings.send(.choose(.timeout, 6))
        #expect(try await message(settings) == strings.storeFull)
    }

    @Test("1.4, P-36: the offer on first login")
    func offer() async throws {
        let (store, service) = try failing()
        let offer = ScreenEffects(service: service, strings: strings).firstSetUp { _ in }
        store.failNext(.write, with: full)
        offer.send(.activate(.setUpLater))
        #expect(try await message(offer) == strings.storeFull)
    }

    @Test("1.4, P-35: resetting, and settings whose account cannot be reached")
    func reset() async throws {
        let device = AccountBench().device()
        let service = try device.service()
        try await service.set(.first)
        device.line.setOffline(true)
        let effects = ScreenEffects(service: service, strings: strings)
        let reset = effects.resetPasscode(of: .random()) { _ in }
        type("111222", on: reset)
        type("270954270954", on: reset)
        #expect(try await message(reset) == strings.accountUnreachable)
        let settings = effects.securitySettings { _ in }
        #expect(try await message(settings) == strings.accountUnreachable)
    }

    @Test("P-37: what the passcode is asked for is said, in words that can be replaced")
    func purposes() async throws {
        func prompt(_ purpose: AskPasscodeScreen.Purpose, _ strings: PasscodeStrings = .english) -> String {
            AskPasscodeScreen(format: .standard, purpose: purpose, strings: strings).content.prompt
        }
        #expect(prompt(.confirm) == "Enter current passcode")
        #expect(prompt(.turnOff) == "Enter your passcode to turn it off")
        #expect(prompt(.enableBiometrics(.faceID)) == "Enter your passcode to turn on Face ID")
        #expect(prompt(.stated("To change the goal")) == "To change the goal")
        var german = PasscodeStrings.english
        german.toTurnOff = "Code eingeben, um ihn auszuschalten"
        #expect(prompt(.turnOff, german) == german.toTurnOff)
        let service = try bench.service()
        try await service.set(SecretBytes("834912"))
        let presenter = ScreenEffects(service: service, strings: german).askPasscode(
            status: try await service.status(),
            for: .turnOff,
            to: { passcode throws(PasscodeError) in try await service.remove(passcode) },
            finish: { _ in }
        )
        #expect(presenter.content.prompt == german.toTurnOff)
    }

    @Test("P-34: a wrong current passcode is told before a new one is asked for")
    func wrongCurrent() async throws {
        let service = try bench.service()
        try await service.set(SecretBytes("834912"))
        let change = ScreenEffects(service: service).setPasscode(.change, status: try await service.status())
        {
            _ in
        }
        type("270954", on: change)
        #expect(try await message(change) == "Incorrect passcode")
        #expect(change.content.prompt == "Enter current passcode")
        #expect(try await service.status().failures == 1)
    }
}
