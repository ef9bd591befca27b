import PasscodeLock
import PortcullisCore
import PortcullisTesting
import Testing

@Suite("What a service refuses to take over from another app (P-2)", .timeLimit(.minutes(5)))
struct TakeOverTests {
    private let bench = Bench()
    private let hash = FastPasscodeSealer.legacyHash(of: SecretBytes("834912"), salt: "c2FsdA==")

    /// A service of the bench's device with another sealer.
    private func service(_ sealer: any PasscodeSealer) throws -> PasscodeService {
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

    /// The error of taking a hash over; `nil` for none.
    private func failure(
        _ service: PasscodeService,
        _ hash: LegacyPasscodeHash? = nil,
        _ format: PasscodeFormat = .standard
    ) async -> PasscodeError? {
        do throws(PasscodeError) {
            try await service.takeOver(hash ?? self.hash, format: format)
            return nil
        } catch {
            return error
        }
    }

    @Test(
        "P-2: what is no hash is refused with the name of the part that is wrong",
        arguments: [
            ("abc", 8, 6, "the digest"), (String(repeating: "g", count: 64), 8, 6, "the digest"),
            (String(repeating: "\u{FF11}", count: 20) + "1111", 8, 6, "the digest"),
            (String(repeating: "a", count: 64), 1_025, 6, "the salt"),
            (String(repeating: "a", count: 64), 8, 3, "4 to 12 digits"),
        ]
    )
    func malformed(digest: String, salt: Int, digits: Int, part: String) async throws {
        let hash = LegacyPasscodeHash(hexDigest: digest, salt: String(repeating: "s", count: salt))
        let error = try await failure(bench.service(), hash, .digits(digits))
        #expect(error?.code == .invalidConfiguration)
        #expect(error?.message.contains(part) == true)
        #expect(try await bench.record() == nil)
    }

    @Test("P-2: a hash that the sealer could never check is not stored, and the app is told")
    func unsupported() async throws {
        for (sealer, reason) in [
            (ForeignSealer(), .unknownAlgorithm), (Unavailable(), .unavailable),
        ] as [(any PasscodeSealer, PasscodeSealerError.Code)] {
            let error = try await failure(service(sealer))
            #expect(error?.code == .sealer)
            #expect((error?.cause as? PasscodeSealerError)?.code == reason)
            #expect(try await bench.record() == nil)
        }
        #expect(try await failure(bench.service()) == nil)
        let second = try await failure(service(ForeignSealer()))
        #expect(second?.code == .alreadySet, "this is told before the sealer is asked")
        #expect(try await bench.service().verify(SecretBytes("834912")).isRight)
    }

    @Test("P-2: a sealer that refuses passcodes that are not text takes a hash over, too")
    func text() async throws {
        let service = try service(TextSealer())
        #expect(await failure(service) == nil)
        #expect(try await service.verify(SecretBytes("834912")).isRight)
    }

    @Test("P-2: a sealer that fails takes nothing over, counts no try, and can be asked again")
    func failing() async throws {
        let service = try bench.service()
        bench.sealer.failNext(PasscodeSealerError(code: .outOfMemory, message: "none left"))
        #expect(await failure(service)?.code == .sealer)
        #expect(try await bench.record() == nil)
        #expect(await failure(service) == nil)
        #expect(try await service.status().failures == 0)
    }
}

/// A sealer that refuses to compare bytes that are not text.
private struct TextSealer: ForwardingPasscodeSealer {
    let base = FastPasscodeSealer()

    func matches(
        _ passcode: SecretBytes,
        _ legacy: LegacyPasscodeHash
    ) async throws(PasscodeSealerError) -> Bool {
        let bytes = passcode.withBytes { bytes in bytes.indices.map { bytes[$0] } }
        guard String(validating: bytes, as: UTF8.self) != nil else {
            throw PasscodeSealerError(code: .malformed, message: "the passcode is not text")
        }
        return try await base.matches(passcode, legacy)
    }
}
