public import PortcullisCore
internal import Synchronization

/// A ``/PortcullisCore/PasscodeSealer`` for tests only: it keeps every rule of the port but protects nothing.
///
/// The key is mixed with passcode, salt and context by a few shifts and multiplications, so that a test need not
/// pay for Argon2id. A sealed key can be opened without the passcode; its records carry the algorithm
/// ``FastPasscodeSealer/algorithm``, which no real sealer opens.
public final class FastPasscodeSealer: PasscodeSealer {
    /// The name that its records carry.
    public static let algorithm = "insecure-test"

    private struct State {
        var derivations = 0
        var questions = 0
        var failures: [PasscodeSealerError] = []
        var outage: PasscodeSealerError?
        /// The wrong tries in a row at each sealed key, by its salt.
        var wrongTries: [[UInt8]: Int] = [:]
    }

    /// The parameters that new seals get; recorded and checked, but nothing costs more for them.
    public let parameters: Argon2Parameters

    /// How many wrong tries in a row it takes, as hardware does; `nil`: any number, as software.
    public let tryLimit: Int?

    /// Holds derivations that have not begun, where a test wants to come in between.
    public let gate = Gate()

    private let state = Mutex(State())

    /// A sealer that records these parameters.
    ///
    /// - Parameters:
    ///   - parameters: what new seals record.
    ///   - tryLimit: how many wrong tries in a row it takes, as hardware does; `nil`: any number, as software.
    public init(parameters: Argon2Parameters = .owaspMinimum, tryLimit: Int? = nil) {
        self.parameters = parameters
        self.tryLimit = tryLimit
    }

    /// How many derivations were done, for sealing, opening and old hashes together.
    public var derivations: Int { state.withLock { $0.derivations } }

    /// How often it was asked whether it is ready.
    public var questions: Int { state.withLock { $0.questions } }

    /// Lets the next derivation fail; several failures come one after the other.
    public func failNext(_ error: PasscodeSealerError) { state.withLock { $0.failures.append(error) } }

    /// Lets every call fail from now on, as hardware that cannot be used; `nil` ends that.
    ///
    /// - Parameter outage: an error with a code of ``/PortcullisCore/PasscodeSealerErrorCode/ofHardware``.
    public func setOutage(_ outage: PasscodeSealerError?) { state.withLock { $0.outage = outage } }

    /// Whether its tries are exhausted; throws what ``setOutage(_:)`` set.
    public func readiness(
        of sealed: SealedKey,
        context: String
    ) async throws(PasscodeSealerError) -> SealReadiness {
        state.withLock { $0.questions += 1 }
        try checkOutage()
        try checkShape(sealed)
        return state.withLock { state in
            guard let tryLimit else { return .ready }
            return state.wrongTries[sealed.salt, default: 0] >= tryLimit ? .triesExhausted : .ready
        }
    }

    private func checkOutage() throws(PasscodeSealerError) {
        if let outage = state.withLock({ $0.outage }) { throw outage }
    }

    /// Mixes the key with passcode, salt and context.
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
        return SealedKey(algorithm: Self.algorithm, parameters: parameters, salt: salt, sealed: sealed)
    }

    /// Gives the key back, or says that the passcode, the context or the record is another.
    public func open(
        _ sealed: SealedKey,
        with passcode: SecretBytes,
        context: String
    ) async throws(PasscodeSealerError) -> SealOpening {
        try checkShape(sealed)
        try checkOutage()
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
        // Looked at and counted in one step, as hardware does: of tries that come at once none is too many.
        return state.withLock { state in
            if let tryLimit, state.wrongTries[sealed.salt, default: 0] >= tryLimit { return .triesExhausted }
            state.wrongTries[sealed.salt] = fits ? nil : state.wrongTries[sealed.salt, default: 0] + 1
            return fits ? .opened(key) : .wrongPasscode
        }
    }

    /// Refuses what is not one of its own records, before any derivation.
    private func checkShape(_ sealed: SealedKey) throws(PasscodeSealerError) {
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

    /// Whether a passcode fits a record made by ``legacyHash(of:salt:)``.
    public func matches(
        _ passcode: SecretBytes,
        _ legacy: LegacyPasscodeHash
    ) async throws(PasscodeSealerError) -> Bool {
        try await begin(passcode)
        return Self.legacyHash(of: passcode, salt: legacy.salt).hexDigest == legacy.hexDigest.lowercased()
    }

    /// A record as an app would have kept it, with a mixed text in the place of the SHA-256.
    public static func legacyHash(of passcode: SecretBytes, salt: String) -> LegacyPasscodeHash {
        var mixer = Mixer()
        passcode.withBytes { bytes in
            for index in bytes.indices { mixer.absorb(bytes[index]) }
        }
        for byte in salt.utf8 { mixer.absorb(byte) }
        let digits = Array("0123456789abcdef")
        let digest = (0..<64).map { _ in digits[Int(mixer.next() & 15)] }
        return LegacyPasscodeHash(hexDigest: String(digest), salt: salt)
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
        // Each part is preceded by its size, so that no two divisions of the same bytes mix alike.
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

/// A generator of bytes from what was put in; it is no cipher.
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
