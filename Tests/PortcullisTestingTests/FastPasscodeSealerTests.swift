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
        case .wrongPasscode, .triesExhausted: false
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
        var newer = sealed
        newer.format = 2
        var (short, long) = (sealed, sealed)
        short.salt.removeLast()
        long.salt.append(0)
        var (cut, extended) = (sealed, sealed)
        cut.sealed.removeLast()
        extended.sealed.append(0)
        for (record, code) in [
            (insane, PasscodeSealerError.Code.refusedParameters), (foreign, .unknownAlgorithm),
            (newer, .unknownAlgorithm), (short, .malformed), (long, .malformed), (cut, .malformed),
            (extended, .malformed),
        ] {
            let error = await #expect(throws: PasscodeSealerError.self) { try await opens(record, passcode) }
            #expect(error?.code == code)
        }
        #expect(sealer.derivations == 1)
    }

    @Test(
        "P-2: a key of another size than 32 bytes, or under insane parameters, is refused before any derivation"
    )
    func refusesToSeal() async throws {
        for count in [0, 31, 33] {
            let error = await #expect(throws: PasscodeSealerError.self) {
                try await sealer.seal(SecretBytes(randomCount: count), under: passcode, context: "u")
            }
            #expect(error?.code == .malformed)
        }
        let insane = FastPasscodeSealer(parameters: Argon2Parameters(memory: 7, passes: 1, lanes: 1))
        let error = await #expect(throws: PasscodeSealerError.self) {
            try await insane.seal(key, under: passcode, context: "u")
        }
        #expect(error?.code == .refusedParameters)
        #expect(sealer.derivations == 0 && insane.derivations == 0)
    }

    @Test("P-2: records of an earlier build are understood")
    func lasting() async throws {
        let record = SealedKey(
            algorithm: FastPasscodeSealer.algorithm,
            parameters: .owaspMinimum,
            salt: Array(0..<16),
            sealed: [
                0xE5, 0x9F, 0xD7, 0x52, 0x87, 0xE2, 0x35, 0xB5, 0xEF, 0x25, 0xC9, 0x90,
                0x4E, 0x21, 0x2C, 0x6C, 0xE6, 0x5F, 0x20, 0x33, 0x09, 0xD5, 0x80, 0x8F,
                0x6A, 0xC6, 0x88, 0x85, 0x93, 0xA2, 0xA0, 0x3A, 0x2F, 0x4C, 0xFD, 0x8A,
                0x92, 0x60, 0xD8, 0xFC, 0x8B, 0xB6, 0x57, 0xB4, 0x54, 0xA0, 0x95, 0x68,
            ]
        )
        let opening = try await sealer.open(record, with: passcode, context: "account/1")
        guard case .opened(let opened) = opening else {
            Issue.record("the passcode was wrong")
            return
        }
        #expect(opened.matches(SecretBytes(copying: UInt8(1)...32)))
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

    @Test("a task that was cancelled before derives nothing, though the gate is open")
    func cancelledBefore() async throws {
        let (sealer, key, passcode) = (sealer, key, passcode)
        let task = Task {
            unsafe withUnsafeCurrentTask { task in unsafe task?.cancel() }
            _ = try await sealer.seal(key, under: passcode, context: "u")
        }
        let error = await #expect(throws: PasscodeSealerError.self) { try await task.value }
        #expect(error?.code == .cancelled && sealer.derivations == 0)
    }

    @Test(
        "P-2: an old hash is the SHA-256 that a real app stores, of one block or several",
        arguments: [
            (1, "ca978112ca1bbdcafac231b39a23dc4da786eff8147c4e72b9807785afee48bb"),
            (55, "9f4390f8d30c2dd92ec9f095b65e2b9ae9b0a925a5258e241c9f1e910f734318"),
            (56, "b35439a4ac6f0948b6d6f9e3c6af0f5f590ce20f1bde7090ef7970686ec6738a"),
            (63, "7d3e74a05d7db15bce4ad9ec0658ea98e3f06eeecf16b4c6fff2da457ddc2f34"),
            (64, "ffe054fe7ae0cb6dc65c3af9b61d5209f439851db43d0ba5997337df154668eb"),
            (200, "c2a908d98f5df987ade41b5fce213067efbcc21ef2240212a41e54b5e7c28ae5"),
        ]
    )
    func digest(count: Int, digest: String) async throws {
        // printf 'a…' | sha256sum
        let text = String(repeating: "a", count: count)
        let hash = FastPasscodeSealer.legacyHash(of: SecretBytes(copying: text.utf8), salt: "")
        #expect(hash.hexDigest == digest)
        let stored = LegacyPasscodeHash(hexDigest: digest, salt: String(text.dropFirst()))
        #expect(try await sealer.matches(SecretBytes(copying: "a".utf8), stored))
    }

    @Test("P-2: an old hash matches its passcode only")
    func legacy() async throws {
        let legacy = FastPasscodeSealer.legacyHash(of: passcode, salt: "c2FsdA==")
        #expect(legacy.hexDigest.count == 64)
        #expect(try await sealer.matches(passcode, legacy))
        #expect(try await !sealer.matches(SecretBytes(copying: "000000".utf8), legacy))
        let shouted = LegacyPasscodeHash(hexDigest: legacy.hexDigest.uppercased(), salt: legacy.salt)
        #expect(try await sealer.matches(passcode, shouted))
        let salted = LegacyPasscodeHash(hexDigest: legacy.hexDigest, salt: "c2FsdQ==")
        #expect(try await !sealer.matches(passcode, salted))
        #expect(sealer.derivations == 4)
    }
}
