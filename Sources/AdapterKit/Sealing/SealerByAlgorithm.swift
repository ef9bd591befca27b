public import PortcullisCore

/// Several sealers as one: each sealed key is opened by the sealer whose algorithm it names, and new keys are sealed by one of
/// them.
public struct SealerByAlgorithm: PasscodeSealer {
    private let sealers: [String: any PasscodeSealer]
    private let first: any PasscodeSealer
    private let moves: Bool

    /// Sealers by the algorithms that their records name.
    ///
    /// - Parameters:
    ///   - first: the one that seals new keys.
    ///   - algorithm: what its records name.
    ///   - others: those that open what is there.
    ///   - moves: whether a key that is sealed anew goes to the first one, or stays with the one that it is with.
    public init(
        _ first: any PasscodeSealer,
        for algorithm: String,
        others: [String: any PasscodeSealer],
        moves: Bool = false
    ) {
        self.first = first
        self.moves = moves
        sealers = others.merging([algorithm: first]) { $1 }
    }

    /// Those of the one that seals new keys.
    public var parameters: Argon2Parameters { first.parameters }

    private func sealer(of sealed: SealedKey) throws(PasscodeSealerError) -> any PasscodeSealer {
        if let sealer = sealers[sealed.algorithm] { return sealer }
        throw PasscodeSealerError(code: .unknownAlgorithm, message: "the record's algorithm is not known")
    }

    /// Seals with the first one.
    public func seal(
        _ key: SecretBytes,
        under passcode: SecretBytes,
        context: String
    ) async throws(PasscodeSealerError) -> SealedKey {
        try await first.seal(key, under: passcode, context: context)
    }

    /// Seals with the first one or with the one that the key is with.
    public func reseal(
        _ sealed: SealedKey,
        holding key: SecretBytes,
        under passcode: SecretBytes,
        context: String
    ) async throws(PasscodeSealerError) -> SealedKey {
        let sealer = moves ? first : try sealer(of: sealed)
        return try await sealer.reseal(sealed, holding: key, under: passcode, context: context)
    }

    /// Tells those that what was touched is with.
    public func settle(
        _ touched: [SealedKey],
        context: String,
        recorded: @Sendable () async throws(PasscodeSealerError) -> [SealedKey]
    ) async throws(PasscodeSealerError) {
        for (algorithm, part) in Dictionary(grouping: touched, by: \.algorithm) {
            try await sealers[algorithm]?.settle(part, context: context, recorded: recorded)
        }
    }

    /// Asks the one that the key is with.
    public func recover(
        _ sealed: SealedKey,
        with passphrase: SecretBytes,
        context: String
    ) async throws(PasscodeSealerError) -> SealOpening {
        try await sealer(of: sealed).recover(sealed, with: passphrase, context: context)
    }

    /// Asks the one that the key is with.
    public func count(
        of sealed: SealedKey,
        context: String
    ) async throws(PasscodeSealerError) -> HardwareCount? {
        try await sealer(of: sealed).count(of: sealed, context: context)
    }

    /// Asks the one that the key is with.
    public func readiness(
        of sealed: SealedKey,
        context: String
    ) async throws(PasscodeSealerError) -> SealReadiness {
        try await sealer(of: sealed).readiness(of: sealed, context: context)
    }

    /// Opens with the one that the key is with.
    public func open(
        _ sealed: SealedKey,
        with passcode: SecretBytes,
        context: String
    ) async throws(PasscodeSealerError) -> SealOpening {
        try await sealer(of: sealed).open(sealed, with: passcode, context: context)
    }

    /// Asks the first one.
    public func matches(
        _ passcode: SecretBytes,
        _ legacy: LegacyPasscodeHash
    ) async throws(PasscodeSealerError) -> Bool {
        try await first.matches(passcode, legacy)
    }
}
