public import PortcullisCore
internal import Synchronization

/// A ``/PortcullisCore/PasscodeSealer`` for tests only: it keeps every rule of the port but protects nothing.
///
/// A few shifts and multiplications mix the key with passcode, salt and context. They replace Argon2id, which
/// would make tests slow. The key can be computed from a sealed key without the passcode. The sealed keys
/// name the algorithm ``FastPasscodeSealer/algorithm``, which no real sealer opens. Hashes of other apps are
/// checked as real sealers do, with SHA-256.
public final class FastPasscodeSealer: PasscodeSealer {
    /// The algorithm's name in the sealed keys.
    public static let algorithm = "insecure-test"

    struct State {
        var derivations = 0
        var questions = 0
        var failures: [PasscodeSealerError] = []
        var outage: PasscodeSealerError?
        /// The number of wrong tries in a row for each sealed key, by its salt.
        var wrongTries: [[UInt8]: Int] = [:]
        /// The keys that the recovery passphrase opens, with their contexts, by the salts of their sealed keys.
        var recoverable: [[UInt8]: (key: SecretBytes, context: String)] = [:]
        /// The salts of the sealed keys that were deleted from the hardware.
        var deleted: Set<[UInt8]> = []
    }

    /// The parameters that new sealed keys contain. They are checked, but do not change the cost.
    public let parameters: Argon2Parameters

    /// The number of wrong tries in a row after which the sealer refuses every passcode, as hardware does;
    /// `nil` for no limit, as in software.
    public let tryLimit: Int?

    /// The recovery passphrase of all keys that this sealer seals; `nil` for none. For recovery, the sealer
    /// keeps these keys in memory.
    public let recovery: SecretBytes?

    /// The gate that each derivation passes at its start. A test can close the gate, to act before a
    /// derivation.
    public let gate = Gate()

    let state = Mutex(State())

    /// Makes a sealer with these parameters.
    ///
    /// - Parameters:
    ///   - parameters: the parameters that new sealed keys contain.
    ///   - tryLimit: the number of wrong tries in a row after which the sealer refuses every passcode, as
    ///     hardware does; `nil` for no limit, as in software.
    ///   - recovery: the recovery passphrase of all keys that the sealer seals; `nil` for none.
    public init(
        parameters: Argon2Parameters = .owaspMinimum,
        tryLimit: Int? = nil,
        recovery: SecretBytes? = nil
    ) {
        self.parameters = parameters
        self.tryLimit = tryLimit
        self.recovery = recovery
    }

    /// The number of derivations so far, for sealing, opening and old hashes together.
    public var derivations: Int { state.withLock { $0.derivations } }

    /// The number of calls of ``readiness(of:context:)`` so far.
    public var questions: Int { state.withLock { $0.questions } }

    /// Makes the next derivation throw this error. If a test calls this method several times, each derivation
    /// throws one of the errors, in the order of the calls.
    public func failNext(_ error: PasscodeSealerError) { state.withLock { $0.failures.append(error) } }

    /// Makes all calls that need the hardware fail from now on, as if it were unusable.
    /// ``matches(_:_:)`` needs no hardware and still works.
    ///
    /// - Parameter outage: the error that these calls throw, with a code of
    ///   ``/PortcullisCore/PasscodeSealerErrorCode/ofHardware``; `nil` to end the outage.
    public func setOutage(_ outage: PasscodeSealerError?) { state.withLock { $0.outage = outage } }

    /// Seals a key: mixes the key with passcode, salt and context.
    public func seal(
        _ key: SecretBytes,
        under passcode: SecretBytes,
        context: String
    ) async throws(PasscodeSealerError) -> SealedKey {
        guard key.count == 32 else { throw malformed("a key has 32 bytes") }
        try check(parameters)
        try checkOutage()
        var generator = SystemRandomNumberGenerator()
        let salt = (0..<16).map { _ in UInt8.random(in: 0...255, using: &generator) }
        var mixer = try await derive(passcode, salt: salt, context: context, parameters: parameters)
        var sealed: [UInt8] = []
        key.withBytes { bytes in
            for index in bytes.indices { sealed.append(bytes[index] ^ mixer.next()) }
        }
        sealed += mixer.tag(over: sealed)
        if recovery != nil { state.withLock { $0.recoverable[salt] = (key, context) } }
        return SealedKey(algorithm: Self.algorithm, parameters: parameters, salt: salt, sealed: sealed)
    }

    /// Opens a sealed key. The passcode and the context must be those that were passed to
    /// ``seal(_:under:context:)``, and the sealed key must be unchanged.
    public func open(
        _ sealed: SealedKey,
        with passcode: SecretBytes,
        context: String
    ) async throws(PasscodeSealerError) -> SealOpening {
        try checkShape(sealed)
        try checkOutage()
        try checkKept(sealed)
        var mixer = try await derive(
            passcode,
            salt: sealed.salt,
            context: context,
            parameters: sealed.parameters
        )
        let mixed = sealed.sealed.prefix(32)
        let key = SecretBytes(capacity: 32) { output in
            for byte in mixed { output.append(byte ^ mixer.next()) }
        }
        let fits = mixer.tag(over: Array(mixed)) == Array(sealed.sealed.dropFirst(32))
        // The check and the count are one step, as in hardware, so that concurrent tries cannot exceed the
        // limit.
        return state.withLock { state in
            if let tryLimit, state.wrongTries[sealed.salt, default: 0] >= tryLimit { return .triesExhausted }
            state.wrongTries[sealed.salt] = fits ? nil : state.wrongTries[sealed.salt, default: 0] + 1
            return fits ? .opened(key) : .wrongPasscode
        }
    }

    /// Refuses malformed sealed keys and sealed keys of other sealers, before any derivation.
    func checkShape(_ sealed: SealedKey) throws(PasscodeSealerError) {
        guard sealed.format == 1, sealed.algorithm == Self.algorithm else {
            throw PasscodeSealerError(
                code: .unknownAlgorithm,
                message: "this sealer opens its own records only"
            )
        }
        try check(sealed.parameters)
        guard sealed.salt.count == 16, sealed.sealed.count == 32 + Mixer.tagSize else {
            throw malformed("the record's parts have the wrong size")
        }
    }

    /// Whether a passcode matches a hash of another app, such as ``legacyHash(of:salt:)`` makes.
    public func matches(
        _ passcode: SecretBytes,
        _ legacy: LegacyPasscodeHash
    ) async throws(PasscodeSealerError) -> Bool {
        try await begin(passcode)
        return Self.legacyHash(of: passcode, salt: legacy.salt).hexDigest == legacy.hexDigest.lowercased()
    }

    /// Makes the hash that another app would store: hex SHA-256(passcode + salt).
    public static func legacyHash(of passcode: SecretBytes, salt: String) -> LegacyPasscodeHash {
        let bytes = passcode.withBytes { bytes in bytes.indices.map { bytes[$0] } }
        return LegacyPasscodeHash(hexDigest: SHA256.hexDigest(of: bytes + Array(salt.utf8)), salt: salt)
    }

    private func malformed(_ message: String) -> PasscodeSealerError {
        PasscodeSealerError(code: .malformed, message: message)
    }

    private func check(_ parameters: Argon2Parameters) throws(PasscodeSealerError) {
        guard parameters.isSane else {
            throw PasscodeSealerError(
                code: .refusedParameters,
                message: "\(parameters) is outside the bounds"
            )
        }
    }

    private func begin(_ passcode: SecretBytes) async throws(PasscodeSealerError) {
        guard (1...1_024).contains(passcode.count) else { throw malformed("a passcode has 1 to 1,024 bytes") }
        guard await gate.pass(), !Task.isCancelled else {
            throw PasscodeSealerError(code: .cancelled, message: "cancelled before the derivation began")
        }
        let failure = state.withLock { state -> PasscodeSealerError? in
            guard state.failures.isEmpty else { return state.failures.removeFirst() }
            state.derivations += 1
            return nil
        }
        if let failure { throw failure }
    }

    private func derive(
        _ passcode: SecretBytes,
        salt: [UInt8],
        context: String,
        parameters: Argon2Parameters
    ) async throws(PasscodeSealerError) -> Mixer {
        try await begin(passcode)
        var mixer = Mixer()
        // Each part is preceded by its size, so that a different division of the same bytes gives another
        // result.
        passcode.withBytes { bytes in
            mixer.absorb(UInt8(truncatingIfNeeded: bytes.count))
            for index in bytes.indices { mixer.absorb(bytes[index]) }
        }
        for part in [salt, Array(context.utf8), Array("\(parameters)".utf8)] {
            mixer.absorb(UInt8(truncatingIfNeeded: part.count))
            for byte in part { mixer.absorb(byte) }
        }
        return mixer
    }
}

/// Mixes the input into a sequence of bytes. It is not a cipher.
private struct Mixer {
    static let tagSize = 16
    private var state: UInt64 = 0xCBF2_9CE4_8422_2325

    mutating func absorb(_ byte: UInt8) {
        state = (state ^ UInt64(byte)) &* 0x0000_0100_0000_01B3
        state ^= state >> 29
    }

    mutating func next() -> UInt8 {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return UInt8(truncatingIfNeeded: state >> 56)
    }

    mutating func tag(over bytes: [UInt8]) -> [UInt8] {
        for byte in bytes { absorb(byte) }
        return (0..<Self.tagSize).map { _ in next() }
    }
}
