import LockScreens
import PasscodeLock
import PortcullisCore
import PortcullisTesting
import Testing

/// The code of the guide about other languages, as it shows it.
@Suite("Guides: translating", .timeLimit(.minutes(5)))
@MainActor
struct TranslationGuide {
    @Test("a lock whose texts are German")
    func german() async throws {
        let service = try guideService()
        var german = PasscodeStrings()
        german.enterPasscode = "Code eingeben"
        german.incorrect = "Falscher Code"
        german.tryAgainIn = "Neuer Versuch in %@"

        german.duration = DurationText(hour: "Std.", minute: "Min.", second: "Sek.")
        german.charactersEntered = PluralText { number in
            number == 1 ? "1 Zeichen eingegeben" : "\(number) Zeichen eingegeben"
        }

        german.biometricName = { kind in kind == .fingerprint ? "Fingerabdruck" : kind.displayName }
        german.notRecognised = "Nicht erkannt"

        german.storeFull = "Der Code wurde nicht gespeichert: Der Speicher ist voll."
        let full = PasscodeError(
            code: .store,
            message: "no space left",
            cause: SecretStoreError(code: .diskFull, message: "no space left")
        )
        print(german.text(full))
        #expect(german.text(full) == german.storeFull)
        #expect(german.tryAgain(in: .seconds(61)) == "Neuer Versuch in 2 Min.")
        #expect(german.entered(1) == "1 Zeichen eingegeben")

        let lock = AppLock(session: LockSession(service: service), strings: german)
        let effects = ScreenEffects(service: service, strings: german)
        try await service.set(SecretBytes(copying: "834912".utf8))
        await lock.start()
        await lock.lock()
        #expect(lock.lockScreen?.content.title == "Code eingeben")
        let ask = effects.askPasscode(
            status: try await service.status(),
            to: { _ in .notSet },
            finish: { _ in }
        )
        #expect(ask.content.title == "Code eingeben")

        let untranslated = Mirror(reflecting: german).children.filter { member in
            let english = Mirror(reflecting: PasscodeStrings.english).children.first {
                $0.label == member.label
            }
            return member.value is String && member.value as? String == english?.value as? String
        }
        print(untranslated.compactMap(\.label))
        #expect(untranslated.contains { $0.label == "setUpLater" })
        #expect(!untranslated.contains { $0.label == "incorrect" })
    }
}

/// A service of the guides, in memory.
func guideService() throws -> PasscodeService {
    try PasscodeService(
        user: .device,
        backends: Backends(
            secrets: InMemorySecretStore(),
            sealer: FastPasscodeSealer(),
            clock: ManualClock()
        ),
        session: InMemorySession(),
        configuration: PasscodeConfiguration(appName: "Ledger")
    )
}
