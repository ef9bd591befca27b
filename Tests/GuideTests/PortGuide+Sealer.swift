import AdapterKit
import PortcullisCore
import PortcullisTesting
import Testing

/// What a library of cryptography gives. All calls may block.
protocol Cipher: Sendable {
    /// Argon2id (RFC 9106), 32 bytes.
    func derive(_ passcode: SecretBytes, salt: [UInt8], cost: Argon2Parameters) throws -> SecretBytes
    /// Authenticated encryption of the key and of the data beside it: nonce, ciphertext and tag.
    func seal(_ key: SecretBytes, under derived: SecretBytes, beside data: [UInt8]) throws -> [UInt8]
    /// `nil` where the tag does not fit.
    func open(_ sealed: [UInt8], under derived: SecretBytes, beside data: [UInt8]) throws -> SecretBytes?
    /// How many bytes `seal` makes of 32.
    var sealedSize: Int { get }
}

struct CipherSealer: PasscodeSealer {
    private static let algorithm = "cipherSealer-argon2id+aead"
    let cipher: any Cipher
    var parameters = Argon2Parameters.owaspMinimum
    private let thread = WorkerThread()

    init(_ cipher: any Cipher) { self.cipher = cipher }

    func seal(
        _ key: SecretBytes,
        under passcode: SecretBytes,
        context: String
    ) async throws(PasscodeSealerError) -> SealedKey {
        guard key.count == 32 else { throw .init(code: .malformed, message: "a key has 32 bytes") }
        let salt = (0..<16).map { _ in UInt8.random(in: 0...255) }
        var record = SealedKey(algorithm: Self.algorithm, parameters: parameters, salt: salt, sealed: [])
        record.sealed = try await derive(record, passcode, context) { derived, data in
            try cipher.seal(key, under: derived, beside: data)
        }
        return record
    }

    func open(
        _ record: SealedKey,
        with passcode: SecretBytes,
        context: String
    ) async throws(PasscodeSealerError) -> SealOpening {
        guard record.format == 1, record.algorithm == Self.algorithm else {
            throw .init(code: .unknownAlgorithm, message: "the record is of another sealer")
        }
        guard record.salt.count == 16, record.sealed.count == cipher.sealedSize else {
            throw .init(code: .malformed, message: "a part of the record has another size")
        }
        let key = try await derive(record, passcode, context) { derived, data in
            try cipher.open(record.sealed, under: derived, beside: data)
        }
        return key.map { .opened($0) } ?? .wrongPasscode
    }

    private func derive<Answer: Sendable>(
        _ record: SealedKey,
        _ passcode: SecretBytes,
        _ context: String,
        _ use: @escaping @Sendable (_ derived: SecretBytes, _ data: [UInt8]) throws -> Answer
    ) async throws(PasscodeSealerError) -> Answer {
        let (cost, salt) = (record.parameters, record.salt)
        guard cost.isSane else { throw .init(code: .refusedParameters, message: "\(cost) is out of bounds") }
        guard (1...1_024).contains(passcode.count) else {
            throw .init(code: .malformed, message: "a passcode has 1 to 1,024 bytes")
        }
        if Task.isCancelled { throw .init(code: .cancelled, message: "the task was cancelled") }
        // The tag covers all of it. The parts before the context have no blanks, so that no two records join alike.
        let data = salt + Array("\(record.format) \(record.algorithm) \(cost) \(context)".utf8)
        return try await thread.run { () throws(PasscodeSealerError) in
            do { return try use(try cipher.derive(passcode, salt: salt, cost: cost), data) } catch {
                throw .init(code: .systemFailure, message: "no key was derived", cause: error)
            }
        }
    }
}

extension PasscodeSealerErrorCode {
    static let selfTestFailed = Self("cipherSealer.selfTestFailed")
}

@Suite("Guides: a sealer", .timeLimit(.minutes(5)))
struct SealerPortGuide {
    private static let subject = PasscodeSealerSubject {
        .init(sealer: CipherSealer(MyCipher()), another: { CipherSealer(MyCipher()) })
    }

    @Test("X-3: keeps the contract", arguments: PasscodeSealerContract.allCases)
    func contract(_ clause: PasscodeSealerContract) async throws {
        let subject = PasscodeSealerSubject {
            .init(sealer: CipherSealer(MyCipher()), another: { CipherSealer(MyCipher()) })
        }
        try await clause.check(subject)
    }

    private typealias MyChip = FastPasscodeSealer

    @Test("X-3: a sealer on hardware keeps every clause", arguments: PasscodeSealerContract.allCases)
    func hardware(_ clause: PasscodeSealerContract) async throws {
        let passcode = SecretBytes(copying: "834912".utf8)
        let phrase = SecretBytes(copying: "orbit maple tundra".utf8)
        let subject = PasscodeSealerSubject {
            let chip = MyChip(tryLimit: 5, recovery: phrase)
            let missing = PasscodeSealerError(code: .hardwareMissing, message: "the chip is not there")
            return .init(
                sealer: chip,
                tryLimit: 5,
                recovery: phrase,
                another: { chip },
                setMissing: { isMissing in chip.setOutage(isMissing ? missing : nil) },
                legacy: MyChip.legacyHash(of: passcode, salt: "c2FsdA==")
            )
        }
        let result = try await clause.check(subject)
        #expect(
            result
                == (clause == .notRecoverable
                    ? .notApplicable("the sealer has a recovery passphrase") : .kept)
        )
    }

    @Test("X-3: a report without a test framework")
    func report() async throws {
        let subject = Self.subject
        let report = await ContractReport(of: PasscodeSealerContract.self) {
            clause throws(ContractViolation) in
            try await clause.check(subject)
        }
        print(report)
        #expect(report.isKept)
        #expect(
            report.notApplicable.map(\.id) == [
                "PS-17", "PS-18", "PS-19", "PS-20", "PS-21", "PS-22", "PS-27", "PS-28",
            ]
        )
    }

    @Test("X-3: a code of the adapter's own")
    func code() { #expect(!PasscodeSealerErrorCode.ofHardware.contains(.selfTestFailed)) }
}

/// It stands for Argon2id and a cipher, and protects nothing: a few shifts and multiplications.
private struct MyCipher: Cipher {
    private struct Mixer {
        private var state: UInt64 = 0xCBF2_9CE4_8422_2325

        mutating func absorb(_ bytes: [UInt8]) {
            for byte in [UInt8(truncatingIfNeeded: bytes.count)] + bytes {
                state = (state ^ UInt64(byte)) &* 0x0000_0100_0000_01B3
                state ^= state >> 29
            }
        }

        mutating func absorb(_ secret: SecretBytes) {
            absorb(secret.withBytes { bytes in bytes.indices.map { bytes[$0] } })
        }

        mutating func next(_ count: Int) -> [UInt8] {
            (0..<count).map { _ in
                state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
                return UInt8(truncatingIfNeeded: state >> 56)
            }
        }
    }

    let sealedSize = 48

    func derive(_ passcode: SecretBytes, salt: [UInt8], cost: Argon2Parameters) -> SecretBytes {
        var mixer = Mixer()
        mixer.absorb(passcode)
        mixer.absorb(salt + Array("\(cost)".utf8))
        return SecretBytes(copying: mixer.next(32))
    }

    func seal(_ key: SecretBytes, under derived: SecretBytes, beside data: [UInt8]) -> [UInt8] {
        var mixer = Mixer()
        mixer.absorb(derived)
        let mask = mixer.next(32)
        let mixed = key.withBytes { bytes in bytes.indices.map { bytes[$0] ^ mask[$0] } }
        mixer.absorb(mixed + data)
        return mixed + mixer.next(16)
    }

    func open(_ sealed: [UInt8], under derived: SecretBytes, beside data: [UInt8]) -> SecretBytes? {
        var mixer = Mixer()
        mixer.absorb(derived)
        let key = zip(sealed, mixer.next(32)).map { $0 ^ $1 }
        mixer.absorb(Array(sealed.prefix(32)) + data)
        return Array(sealed.suffix(16)) == mixer.next(16) ? SecretBytes(copying: key) : nil
    }
}
