import PasscodeLock
import PortcullisCore
import PortcullisTesting
import Synchronization
import Testing

@Suite("Passcode service (P-1 … P-9)")
struct PasscodeServiceTests {
    private let right = SecretBytes("834912")
    private let wrong = SecretBytes("270954")
    private let other = SecretBytes("619283")

    @Test("P-1: set, verify, change and remove, with one key all the way")
    func wholeLife() async throws {
        let bench = Bench()
        let service = try bench.service()
        #expect(try await service.status().isSet == false)

        let set = try await service.set(right)
        #expect(try await service.status().isSet)
        guard case .right(let verified) = try await service.verify(right) else {
            Issue.record("the right passcode was refused")
            return
        }
        #expect(verified.key!.matches(set.key!))
        #expect(try await service.verify(wrong).isRight == false)

        #expect(try await service.change(from: right, to: other).isRight)
        #expect(try await service.verify(right).isRight == false)
        guard case .right(let changed) = try await service.verify(other) else {
            Issue.record("the new passcode was refused")
            return
        }
        #expect(changed.key!.matches(set.key!), "what the key protects outlives a change of passcode")

        #expect(try await service.remove(wrong).isRight == false)
        #expect(try await service.remove(other).isRight)
        #expect(try await service.status().isSet == false)
    }

    @Test("P-1: a value of the wrong format is an error, costs nothing and stores nothing")
    func wrongFormat() async throws {
        let bench = Bench()
        let service = try bench.service()
        for text in ["12345", "1234567", "12345x", "١٢٣٤٥٦", ""] {
            #expect(
                await code { () async throws(PasscodeError) in try await service.set(SecretBytes(text)) }
                    == .wrongFormat
            )
        }
        #expect(try await bench.record() == nil)

        try await service.set(right)
        let before = try await bench.record()
        let derivations = bench.sealer.derivations
        for text in ["12345", "x", ""] {
            let value = SecretBytes(text)
            #expect(
                await code { () async throws(PasscodeError) in _ = try await service.verify(value) }
                    == .wrongFormat
            )
            #expect(
                await code { () async throws(PasscodeError) in
                    _ = try await service.change(from: right, to: value)
                } == .wrongFormat
            )
            #expect(
                await code { () async throws(PasscodeError) in _ = try await service.remove(value) }
                    == .wrongFormat
            )
        }
        #expect(try await bench.record()?.version == before?.version)
        #expect(bench.sealer.derivations == derivations)
    }

    @Test("P-1: a second first passcode is refused")
    func alreadySet() async throws {
        let service = try Bench().service()
        try await service.set(right)
        #expect(await code { () async throws(PasscodeError) in try await service.set(other) } == .alreadySet)
        #expect(try await service.verify(right).isRight)
    }

    @Test("P-1: a configuration with an impossible format is refused")
    func impossibleFormat() {
        var bench = Bench()
        bench.configuration.format = .digits(3)
        #expect(throws: PasscodeError.self) { try bench.service() }
    }

    @Test("P-1: a passcode keeps the format it was set with")
    func keepsFormat() async throws {
        var bench = Bench()
        bench.configuration.format = .digits(4)
        try await bench.service().set(SecretBytes("6173"))
        bench.configuration.format = .digits(6)
        let service = try bench.service()
        #expect(try await service.status().format == .digits(4))
        #expect(try await service.verify(SecretBytes("6173")).isRight)
        #expect(try await service.change(from: SecretBytes("6173"), to: right).isRight)
        #expect(try await service.status().format == .digits(6))
    }

    @Test("P-2: a record sealed under weaker parameters is sealed anew when it opens")
    func upgrades() async throws {
        let bench = Bench()
        let weak = FastPasscodeSealer(parameters: Argon2Parameters(memory: 4096, passes: 1, lanes: 1))
        func service(_ sealer: FastPasscodeSealer) throws -> PasscodeService {
            try PasscodeService(
                user: .ada,
                backends: Backends(
                    secrets: InMemorySecretStore(bench.storage),
                    sealer: sealer,
                    clock: bench.clock
                ),
                session: bench.host,
                configuration: bench.configuration
            )
        }
        let key = try await service(weak).set(right).key!
        #expect(try await bench.record()!.value.text.contains(#""memory":4096"#))
        _ = try await service(bench.sealer).verify(wrong)
        #expect(try await bench.record()!.value.text.contains(#""memory":4096"#), "not by a wrong one")
        _ = try await service(bench.sealer).verify(right)
        #expect(try await bench.record()!.value.text.contains(#""memory":19456"#))
        guard case .right(let proof) = try await service(bench.sealer).verify(right) else {
            Issue.record("the renewed record does not open")
            return
        }
        #expect(proof.key!.matches(key))
    }

    @Test("P-2: a right passcode is right, also when renewing what has aged fails; it is tried again")
    func renewalFails() async throws {
        let bench = Bench()
        let weak = FastPasscodeSealer(parameters: Argon2Parameters(memory: 4096, passes: 1, lanes: 1))
        let old = try PasscodeService(
            user: .ada,
            backends: Backends(secrets: InMemorySecretStore(bench.storage), sealer: weak, clock: bench.clock),
            session: bench.host,
            configuration: bench.configuration
        )
        try await old.set(right)
        let service = try bench.service(store: ThirdWriteRefusing(inner: InMemorySecretStore(bench.storage)))
        #expect(try await service.verify(right).isRight)
        #expect(try await bench.record()!.value.text.contains(#""memory":4096"#))
        #expect(try await bench.service().verify(right).isRight)
        #expect(try await bench.record()!.value.text.contains(#""memory":19456"#))
    }

    @Test("P-7: a clock set to another century leaves a record that can be read when it is put right")
    func wildClock() async throws {
        let bench = Bench()
        let service = try bench.service()
        try await service.set(right)
        for wall in [Duration.seconds(-10_000_000_000), .seconds(20_000_000_000)] {
            await bench.clock.setWall(wall)
            for _ in 0..<5 { _ = try await service.verify(wrong) }
            await bench.clock.setWall(.seconds(1_790_000_000))
            await bench.clock.advance(by: .seconds(3600 * 8))
            #expect(try await service.verify(right).isRight)
        }
    }

    @Test(
        "P-2: another app's hash verifies once and is then sealed; wrong tries are throttled like any other"
    )
    func takeOver() async throws {
        let bench = Bench()
        let service = try bench.service()
        try await service.takeOver(
            FastPasscodeSealer.legacyHash(of: right, salt: "c2FsdA=="),
            format: .standard
        )
        for _ in 0..<5 { _ = try await service.verify(wrong) }
        guard case .throttled = try await service.verify(right) else {
            Issue.record("the take-over was not throttled")
            return
        }
        await bench.clock.advance(by: .seconds(60))
        guard case .right(let first) = try await service.verify(right) else {
            Issue.record("the old passcode was refused")
            return
        }
        #expect(try await !bench.record()!.value.text.contains("legacy"))
        guard case .right(let second) = try await service.verify(right) else { return }
        #expect(first.key!.matches(second.key!))
    }

    @Test("P-2: what is no hash cannot be taken over")
    func takeOverOfNonsense() async throws {
        let service = try Bench().service()
        for digest in ["", "abc", String(repeating: "g", count: 64)] {
            let hash = LegacyPasscodeHash(hexDigest: digest, salt: "")
            #expect(
                await code { () async throws(PasscodeError) in
                    try await service.takeOver(hash, format: .standard)
                }
                    == .invalidConfiguration
            )
        }
    }

    @Test("P-3: all data of a user is one item, and removing leaves nothing in the store")
    func oneItem() async throws {
        let bench = Bench()
        let service = try bench.service()
        try await service.set(right)
        _ = try await service.enableBiometrics(right)
        try await service.setTimeout(.never)
        let store = InMemorySecretStore(bench.storage)
        #expect(try await store.names(in: PasscodeNames.records) == [PasscodeNames.record(of: .ada)])
        let stored = try await bench.record()
        #expect(stored?.accessibility == .afterFirstUnlockThisDeviceOnly)

        _ = try await service.remove(right)
        #expect(try await store.names(in: PasscodeNames.records).isEmpty)
        #expect(await bench.biometrics.key == nil, "nor a key with the authenticator")
    }

    @Test("P-4: the stored record holds neither the passcode nor a fast hash of it")
    func recordHoldsNoPasscode() async throws {
        let bench = Bench()
        try await bench.service().set(right)
        #expect(try await !bench.record()!.value.text.contains("834912"))
    }

    @Test("P-5: without a passcode verify answers so")
    func notSet() async throws {
        let service = try Bench().service()
        guard case .notSet = try await service.verify(right) else {
            Issue.record("verify did not say that none is set")
            return
        }
        guard case .notSet = try await service.remove(right) else {
            Issue.record("remove did not say that none is set")
            return
        }
    }

    @Test(
        "P-5: a damaged or newer record is an error, never \"no passcode\", and stays as it is",
        arguments: [
            ("", PasscodeError.Code.damagedRecord), ("{}", .damagedRecord),
            ("{\"version\":1}", .damagedRecord),
            ("garbage", .damagedRecord), ("{\"version\":99}", .newerRecord),
        ]
    )
    func damaged(text: String, expected: PasscodeError.Code) async throws {
        let bench = Bench()
        let service = try bench.service()
        try await bench.overwriteRecord(text)
        let before = try await bench.record()
        #expect(
            await code { () async throws(PasscodeError) in _ = try await service.verify(right) } == expected
        )
        #expect(await code { () async throws(PasscodeError) in _ = try await service.status() } == expected)
        #expect(await code { () async throws(PasscodeError) in _ = try await service.set(right) } == expected)
        #expect(
            await code { () async throws(PasscodeError) in _ = try await service.remove(right) } == expected
        )
        #expect(try await bench.record()?.version == before?.version)

        try await service.logOut()
        #expect(try await bench.record() == nil, "logging out is the way out")
    }

    @Test(
        "P-5: a record with numbers that nobody wrote is damaged, and never a crash",
        arguments: [
            (#""failures":0"#, #""failures":9223372036854775807"#), (#""failures":0"#, #""failures":-1"#),
            (#"{"digits":{"_0":6}}"#, #"{"digits":{"_0":0}}"#),
            (#""delays":["#, #""delays":[[-1,0],"#), (#""timeout":{"after""#, #""timeout":{"before""#),
        ]
    )
    func impossibleNumbers(part: String, replacement: String) async throws {
        let bench = Bench()
        let service = try bench.service()
        try await service.set(right)
        let text = try await bench.record()!.value.text
        try #require(text.contains(part), "\(text)")
        try await bench.overwriteRecord(text.replacing(part, with: replacement))
        #expect(
            await code { () async throws(PasscodeError) in _ = try await service.verify(right) }
                == .damagedRecord
        )
    }

    @Test("P-8: reject refuses easily guessed passcodes, for setting and changing")
    func rejectsWeak() async throws {
        var bench = Bench()
        bench.configuration.weakPasscodes = .reject
        let service = try bench.service()
        #expect(
            await code { () async throws(PasscodeError) in try await service.set(SecretBytes("123456")) }
                == .easilyGuessed
        )
        try await service.set(right)
        #expect(
            await code { () async throws(PasscodeError) in
                _ = try await service.change(from: right, to: SecretBytes("000000"))
            } == .easilyGuessed
        )
    }

    @Test("P-9: users share no state, and a full log-out clears one of them")
    func users() async throws {
        let bench = Bench()
        let (ada, bob) = (try bench.service(.ada), try bench.service(.bob))
        try await ada.set(right)
        try await bob.set(other)
        _ = try await ada.verify(wrong)
        #expect(try await bob.status().failures == 0)
        #expect(try await bob.verify(right).isRight == false)
        try await ada.clearAll()
        #expect(try await ada.status().isSet == false)
        #expect(try await bob.verify(other).isRight)
    }

    @Test("P-2: one user's record does not open as another's")
    func boundToUser() async throws {
        let bench = Bench()
        try await bench.service(.ada).set(right)
        let record = try await bench.record(.ada)!.value
        try await bench.overwriteRecord(record.text, of: .bob)
        #expect(try await bench.service(.bob).verify(right).isRight == false)
    }

    @Test("P-10, P-14: while the authenticator keeps its key, the passcode stays, and opens it")
    func keyThatStays() async throws {
        let bench = Bench()
        let service = try bench.service()
        try await service.set(right)
        guard case .right(let set) = try await service.enableBiometrics(right) else {
            Issue.record("the passcode is right")
            return
        }
        await bench.biometrics.failForgetting()
        await #expect(throws: PasscodeError.self) { try await service.remove(right) }
        #expect(try await service.status().failures == 0)
        guard case .right(let proof) = try await service.verify(right) else {
            Issue.record("the passcode stays")
            return
        }
        #expect(proof.key?.text == set.key?.text)
        await bench.biometrics.failForgetting(false)
        guard case .right(let last) = try await service.remove(right) else {
            Issue.record("the passcode is right")
            return
        }
        #expect(last.key?.text == set.key?.text)
        #expect(try await !service.status().isSet)
        #expect(await bench.biometrics.key == nil)
    }

    @Test("P-9: a log-out removes the passcode even if the authenticator keeps its key, and says so")
    func loggedOutBesideKey() async throws {
        let bench = Bench()
        let service = try bench.service()
        try await service.set(right)
        await bench.biometrics.failForgetting()
        let error = await #expect(throws: PasscodeError.self) { try await service.logOut() }
        #expect(error?.code == .biometrics)
        #expect(await bench.host.signedOut == [.ada])
        #expect(try await !service.status().isSet)
    }

    @Test("P-7, P-9: the action of the limit is told also where the authenticator keeps its key")
    func limitBesideKey() async throws {
        var bench = Bench()
        bench.configuration.throttle = .unlimited.afterFailures(1, .signOut)
        let service = try bench.service()
        try await service.set(right)
        await bench.biometrics.failForgetting()
        guard case .limitReached(.signOut) = try await service.verify(SecretBytes("270954")) else {
            Issue.record("the limit was not told")
            return
        }
        #expect(try await !service.status().isSet)
    }

    @Test("P-41: the note that a user was asked outlives removal and log-out, and is each user's own")
    func asked() async throws {
        let bench = Bench()
        let service = try bench.service()
        #expect(try await service.wasAsked() == false)
        try await service.noteAsked()
        try await service.set(right)
        _ = try await service.remove(right)
        try await service.logOut()
        #expect(try await bench.service().wasAsked())
        #expect(try await bench.service(.bob).wasAsked() == false)
    }

    @Test("P-40: a passcode is offered to a user who has none and was not asked, unless it is switched off")
    func offer() async throws {
        let service = try Bench().service()
        #expect(try await service.offersSetUp())
        #expect(try await service.offersSetUp(isEnabled: true))
        #expect(try await !service.offersSetUp(isEnabled: false))
        try await service.set(right)
        #expect(try await !service.offersSetUp(), "one is set")
        _ = try await service.remove(right)
        #expect(try await service.offersSetUp())
        try await service.noteAsked()
        #expect(try await !service.offersSetUp(), "the user was asked")
    }
}

/// A store whose disk is full after the two writes of a verify.
private final class ThirdWriteRefusing: SecretStore {
    private let inner: InMemorySecretStore
    private let writes = Mutex(0)

    init(inner: InMemorySecretStore) { self.inner = inner }

    var capabilities: SecretStoreCapabilities { inner.capabilities }

    func read(_ name: SecretName) async throws(SecretStoreError) -> StoredSecret? {
        try await inner.read(name)
    }

    func write(
        _ value: SecretBytes,
        to name: SecretName,
        accessibility: Accessibility,
        if precondition: WritePrecondition
    ) async throws(SecretStoreError) -> WriteOutcome {
        let number = writes.withLock { count in
            count += 1
            return count
        }
        if number > 2 { throw SecretStoreError(code: .diskFull, message: "no space is left") }
        return try await inner.write(value, to: name, accessibility: accessibility, if: precondition)
    }

    func remove(
        _ name: SecretName,
        if precondition: WritePrecondition
    ) async throws(SecretStoreError) -> RemoveOutcome {
        try await inner.remove(name, if: precondition)
    }

    func names(in namespace: SecretNamespace) async throws(SecretStoreError) -> [SecretName] {
        try await inner.names(in: namespace)
    }

    func changes(in namespace: SecretNamespace) -> AsyncStream<Void> { inner.changes(in: namespace) }
}
