import PortcullisCore
import Testing

@Suite("Unavailable (X-1)", .timeLimit(.minutes(5)))
struct UnavailableTests {
    let nothing = Unavailable()
    let key = SecretBytes(copying: [1])

    @Test("X-1: without a store nothing is read, written or listed, and its streams end")
    func store() async throws {
        let name = try SecretName("n", in: SecretNamespace("s"))
        #expect(nothing.capabilities as SecretStoreCapabilities == [])
        for call in [
            { _ = try await nothing.read(name) },
            { try await nothing.write(key, to: name, accessibility: .afterFirstUnlock) },
            { try await nothing.remove(name) }, { _ = try await nothing.names(in: name.namespace) },
        ] as [() async throws -> Void] {
            let error = await #expect(throws: SecretStoreError.self) { try await call() }
            #expect(error?.code == .unavailable)
        }
        for await _ in nothing.changes(in: name.namespace) { Issue.record("a signal") }
    }

    @Test("X-1: without biometrics nothing is available, and dropping a key is harmless")
    func biometrics() async throws {
        let found = await nothing.availability(for: .device)
        #expect(found == .none && found.state == .notAvailable && found.binding == .assertion)
        let error = await #expect(throws: BiometricError.self) {
            try await nothing.enroll(key, for: .device)
        }
        #expect(error?.code == .notAvailable)
        let outcome = await nothing.authenticate(user: .device, reason: "", fallbackTitle: "")
        guard case .notAvailable = outcome else {
            Issue.record("\(outcome)")
            return
        }
        try await nothing.forget(.device)
    }

    @Test("X-1: without a shield controller the right is denied, in no words of its own, and nothing is shut")
    func shield() async throws {
        let denial = await nothing.authorization
        // The texts of the goal lock say how to go on, in the person's language.
        #expect(denial == .denied(howToAllow: nil))
        #expect(await nothing.requestAuthorization() as ShieldAuthorization == denial)
        let error = await #expect(throws: ShieldError.self) {
            try await nothing.apply(ShieldSelection(apps: [AppToken("a")]), as: ShieldName("s"))
        }
        #expect(error?.code == .unavailable)
        try await nothing.clear(ShieldName("s"))
        #expect(await nothing.coverage() == ShieldCoverage())
        #expect(await nothing.catalogue() == nil)
    }

    @Test("X-1: without a scheduler nothing is started, and its streams end")
    func scheduler() async throws {
        let noon = try #require(TimeOfDay(hour: 12, minute: 0))
        let error = await #expect(throws: ActivitySchedulerError.self) {
            try await nothing.start("a", schedule: ActivitySchedule(start: noon, end: noon, repeats: true))
        }
        #expect(error?.code == .unavailable)
        await nothing.stop(["a"])
        #expect(await nothing.monitored().isEmpty)
        #expect(nothing.capabilities as ActivitySchedulerCapabilities == [])
        for await _ in nothing.events() { Issue.record("an event") }
    }

    @Test("X-1: without a notifier nothing is delivered; without a sealer nothing is sealed")
    func others() async throws {
        #expect(await !(nothing.requestAuthorization() as Bool))
        let note = LockNotification(id: "a", title: "b", body: "c")
        let error = await #expect(throws: NotifierError.self) { try await nothing.deliver(note) }
        #expect(error?.code == .unavailable)
        await nothing.withdraw(["a"])

        #expect(nothing.parameters == .owaspMinimum)
        let sealed = SealedKey(algorithm: "a", parameters: .owaspMinimum, salt: [], sealed: [])
        for call in [
            { _ = try await nothing.seal(key, under: key, context: "c") },
            { _ = try await nothing.open(sealed, with: key, context: "c") },
            { _ = try await nothing.matches(key, LegacyPasscodeHash(hexDigest: "", salt: "")) },
        ] as [() async throws -> Void] {
            let error = await #expect(throws: PasscodeSealerError.self) { try await call() }
            #expect(error?.code == .unavailable)
        }
    }
}
