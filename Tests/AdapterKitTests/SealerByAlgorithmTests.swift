import AdapterKit
import PortcullisCore
import PortcullisTesting
import Testing

/// Which sealed keys are sealed again after a right passcode.
@Suite("A sealer for each algorithm (H-1, P-2)")
struct SealerByAlgorithmTests {
    private let weak = FastPasscodeSealer(parameters: Argon2Parameters(memory: 8, passes: 1, lanes: 1))
    private let strong = FastPasscodeSealer()

    private func sealed(as algorithm: String) async throws -> SealedKey {
        let passcode = SecretBytes(copying: Array("834912".utf8))
        var sealed = try await weak.seal(SecretBytes(randomCount: 32), under: passcode, context: "test")
        sealed.algorithm = algorithm
        return sealed
    }

    @Test("P-2: a key is outdated if its own sealer would seal it more strongly, whatever the first one does")
    func byItsOwnSealer() async throws {
        let sealer = SealerByAlgorithm(strong, for: "strong", others: ["weak": weak])
        #expect(try await !sealer.isOutdated(sealed(as: "weak")))
        #expect(try await sealer.isOutdated(sealed(as: "strong")))
        #expect(try await !sealer.isOutdated(sealed(as: "unknown")))
        let reversed = SealerByAlgorithm(weak, for: "weak", others: ["strong": strong])
        #expect(try await reversed.isOutdated(sealed(as: "strong")))
    }

    @Test("P-2: where keys move to the first sealer, that sealer decides")
    func byTheFirst() async throws {
        let sealer = SealerByAlgorithm(strong, for: "strong", others: ["weak": weak], moves: true)
        #expect(try await sealer.isOutdated(sealed(as: "weak")))
    }

    @Test("P-2: a hash of another app is checked by the first of the sealers that can check one")
    func hashes() async throws {
        let passcode = SecretBytes(copying: "834912".utf8)
        let hash = FastPasscodeSealer.legacyHash(of: passcode, salt: "c2FsdA==")
        let chip = SealerWithoutHashes(base: weak)
        let sealer = SealerByAlgorithm(chip, for: "chip", others: ["a": chip, "b": strong])
        #expect(try await sealer.matches(passcode, hash))
        #expect(try await !sealer.matches(SecretBytes(copying: "270954".utf8), hash))
        #expect(strong.derivations == 2)

        let preferring = SealerByAlgorithm(weak, for: "weak", others: ["strong": strong])
        #expect(try await preferring.matches(passcode, hash))
        #expect(strong.derivations == 2, "the first sealer has answered")
        weak.failNext(PasscodeSealerError(code: .outOfMemory, message: "none left"))
        let failure = await #expect(throws: PasscodeSealerError.self) {
            try await preferring.matches(passcode, hash)
        }
        #expect(failure?.code == .outOfMemory, "a failure is no reason to ask the next")
        #expect(strong.derivations == 2)

        let none = SealerByAlgorithm(chip, for: "chip", others: [:])
        let refusal = await #expect(throws: PasscodeSealerError.self) {
            try await none.matches(passcode, hash)
        }
        #expect(refusal?.code == .unknownAlgorithm)
    }
}

/// A sealer without support for hashes of other apps, as one on hardware is.
private struct SealerWithoutHashes: ForwardingPasscodeSealer {
    let base: FastPasscodeSealer
}
