import PortcullisCore
import PortcullisTesting
import Testing

@Suite("FastPasscodeSealer (X-4)", .timeLimit(.minutes(5)))
struct FastPasscodeSealerTests {
    let sealer = FastPasscodeSealer()
    let key = SecretBytes(randomCount: 32)
    let passcode = SecretBytes(copying: "834912".utf8)

    private func opens(_ sealed: SealedKey, _ passcode: SecretBytes, context: String = "u") async throws
        -> Bool
    {
        switch try await sealer.open(sealed, with: passcode, context: context) {
        case .opened(let opened): opened.matches(key)
        case .wrongPasscode: false
        }
    }

    @Test("P-2: only the passcode in its context gives the key back")
    func opensWithThePasscodeOnly() async throws {
        let sealed = try await sealer.seal(key, under: passcode, context: "u")
        #expect(try await opens(sealed, passcode))
        #expect(try await !opens(sealed, SecretBytes(copying: "834913".utf8)))
        #expect(try await !opens(sealed, passcode, context: "v"))
        #expect(sealed.algorithm == "insecure-test")
        #expect(sealer.derivations == 4)
    }

    @Test("P-2: a passcode has at most 1,024 bytes")
    func longPasscode() async throws {
        let longest = SecretBytes(randomCount: 1_024)
        #expect(try await opens(try await sealer.seal(key, under: longest, context: "u"), longest))
        await #expect(throws: PasscodeSealerError.self) {
            try await sealer.seal(key, under: SecretBytes(randomCount: 1_025), context: "u")
        }
    }

    @Test("P-2: a changed record never opens")
    func changedRecord() async throws {
        let sealed = try await sealer.seal(key, under: passcode, context: "u")
        for index in sealed.sealed.indices {
            var changed = sealed
            changed.sealed[index] ^= 1
            #expect(try await !opens(changed, passcode))
        }
        var cheaper = sealed
        cheaper.parameters.passes = 1
        #expect(try await !opens(cheaper, passcode))
    }

    @Test("P-2: a bad record is refused before any derivation")
    func refusesBeforeDeriving() async throws {
        let sealed = try await sealer.seal(key, under: passcode, context: "u")
        var insane = sealed
        insane.parameters.memory = .max
        var foreign = sealed
        foreign.algorithm = "argon2id+aes256-gcm-siv"
        var short = sealed
        short.salt.removeLast()
        for (record, code) in [
            (insane, PasscodeSealerError.Code.refusedParameters), (foreign, .unknownAlgorithm),
            (short, .malformed),
        ] {
            let error = await #expect(throws: PasscodeSealerError.self) { try await opens(record, passcode) }
            #expect(error?.code == code)
        }
        #expect(sealer.derivations == 1)
    }

    @Test("a scripted failure comes once")
    func scriptedFailure() async throws {
        sealer.failNext(PasscodeSealerError(code: .outOfMemory, message: "none left"))
        let error = await #expect(throws: PasscodeSealerError.self) {
            try await sealer.seal(key, under: passcode, context: "u")
        }
        #expect(error?.code == .outOfMemory)
        _ = try await sealer.seal(key, under: passcode, context: "u")
    }

    @Test("a closed gate holds a derivation until it opens; cancelling skips it")
    func gate() async throws {
        let sealed = try await sealer.seal(key, under: passcode, context: "u")
        sealer.gate.close()
        async let opening = opens(sealed, passcode)
        let cancelled = Task { try await sealer.open(sealed, with: passcode, context: "u") }
        await sealer.gate.waitForHeld(2)
        #expect(sealer.derivations == 1)
        cancelled.cancel()
        let error = await #expect(throws: PasscodeSealerError.self) { try await cancelled.value }
        #expect(error?.code == .cancelled)
        sealer.gate.open()
        #expect(try await opening)
    }

    @Test("P-2: an old hash matches its passcode only")
    func legacy() async throws {
        let legacy = FastPasscodeSealer.legacyHash(of: passcode, salt: "c2FsdA==")
        #expect(legacy.hexDigest.count == 64)
        #expect(try await sealer.matches(passcode, legacy))
        #expect(try await !sealer.matches(SecretBytes(copying: "000000".utf8), legacy))
    }
}
