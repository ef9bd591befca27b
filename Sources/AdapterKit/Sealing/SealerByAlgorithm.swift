public import PortcullisCore

/// Combines several sealers. A sealed key names an algorithm, and the sealer of that algorithm opens the key.
/// One of the sealers seals new keys.
public struct SealerByAlgorithm: PasscodeSealer {
    private let sealers: [String: any PasscodeSealer]
    private let first: any PasscodeSealer
    /// The other sealers, in the order of their algorithms' names.
    private let others: [any PasscodeSealer]
    private let moves: Bool

    /// Makes a sealer that combines other sealers, each with the name of its algorithm.
    ///
    /// - Parameters:
    ///   - first: the sealer that seals new keys.
    ///   - algorithm: the name of the algorithm in the keys that `first` seals.
    ///   - others: the other sealers, which open existing keys, by the name of the algorithm in those keys.
    ///   - moves: whether `first` reseals existing keys. By default the sealer that made a sealed key reseals
    ///     it.
    public init(
        _ first: any PasscodeSealer,
        for algorithm: String,
        others: [String: any PasscodeSealer],
        moves: Bool = false
    ) {
        self.first = first
        self.others = others.filter { $0.key != algorithm }.sorted { $0.key < $1.key }.map(\.value)
        self.moves = moves
        sealers = others.merging([algorithm: first]) { $1 }
    }

    /// The parameters of the sealer that seals new keys.
    public var parameters: Argon2Parameters { first.parameters }

    private func sealer(of sealed: SealedKey) throws(PasscodeSealerError) -> any PasscodeSealer {
        if let sealer = sealers[sealed.algorithm] { return sealer }
        throw PasscodeSealerError(code: .unknownAlgorithm, message: "the record's algorithm is not known")
    }

    /// Seals a key with the first sealer.
    public func seal(
        _ key: SecretBytes,
        under passcode: SecretBytes,
        context: String
    ) async throws(PasscodeSealerError) -> SealedKey {
        try await first.seal(key, under: passcode, context: context)
    }

    /// Asks the sealer that would reseal a key whether the sealed key is outdated. The result is `false` if
    /// no sealer would reseal the key.
    public func isOutdated(_ sealed: SealedKey) -> Bool {
        (moves ? first : sealers[sealed.algorithm])?.isOutdated(sealed) ?? false
    }

    /// Reseals a key: with the first sealer if the initialiser's `moves` was `true`, otherwise with the
    /// sealer that made the sealed key.
    public func reseal(
        _ sealed: SealedKey,
        holding key: SecretBytes,
        under passcode: SecretBytes,
        context: String
    ) async throws(PasscodeSealerError) -> SealedKey {
        let sealer = moves ? first : try sealer(of: sealed)
        return try await sealer.reseal(sealed, holding: key, under: passcode, context: context)
    }

    /// Calls `settle` of each sealer that sealed at least one of the keys, with the keys of that sealer. If a
    /// sealer throws, the others are still called.
    public func settle(
        _ touched: [SealedKey],
        context: String,
        recorded: @Sendable () async throws(PasscodeSealerError) -> [SealedKey]
    ) async throws(PasscodeSealerError) {
        var failure: PasscodeSealerError?
        for (algorithm, part) in Dictionary(grouping: touched, by: \.algorithm) {
            do throws(PasscodeSealerError) {
                try await sealers[algorithm]?.settle(part, context: context, recorded: recorded)
            } catch {
                failure = failure ?? error
            }
        }
        if let failure { throw failure }
    }

    /// Opens a sealed key with its recovery passphrase, through the sealer that made the sealed key.
    public func recover(
        _ sealed: SealedKey,
        with passphrase: SecretBytes,
        context: String
    ) async throws(PasscodeSealerError) -> SealOpening {
        try await sealer(of: sealed).recover(sealed, with: passphrase, context: context)
    }

    /// Asks the sealer that made a sealed key whether the key was sealed with a recovery passphrase.
    public func isRecoverable(_ sealed: SealedKey) -> Bool {
        sealers[sealed.algorithm]?.isRecoverable(sealed) ?? false
    }

    /// Asks the sealer that made a sealed key how many wrong passcodes the hardware has counted.
    public func count(
        of sealed: SealedKey,
        context: String
    ) async throws(PasscodeSealerError) -> HardwareCount? {
        try await sealer(of: sealed).count(of: sealed, context: context)
    }

    /// Asks the sealer that made a sealed key whether a passcode can be tried now.
    public func readiness(
        of sealed: SealedKey,
        context: String
    ) async throws(PasscodeSealerError) -> SealReadiness {
        try await sealer(of: sealed).readiness(of: sealed, context: context)
    }

    /// Opens a sealed key with the sealer that made it.
    public func open(
        _ sealed: SealedKey,
        with passcode: SecretBytes,
        context: String
    ) async throws(PasscodeSealerError) -> SealOpening {
        try await sealer(of: sealed).open(sealed, with: passcode, context: context)
    }

    /// Asks a sealer that supports hashes of other apps whether a passcode matches such a hash. The first
    /// sealer is preferred. The others follow in the order of their algorithms' names.
    ///
    /// - Throws: ``/PortcullisCore/PasscodeSealerErrorCode/unknownAlgorithm`` if no sealer supports such
    ///   hashes; any other error of a sealer that was asked.
    public func matches(
        _ passcode: SecretBytes,
        _ legacy: LegacyPasscodeHash
    ) async throws(PasscodeSealerError) -> Bool {
        for sealer in [first] + others {
            do throws(PasscodeSealerError) {
                return try await sealer.matches(passcode, legacy)
            } catch {
                guard error.code == .unknownAlgorithm else { throw error }
            }
        }
        throw PasscodeSealerError(
            code: .unknownAlgorithm,
            message: "no sealer can take over a hashed passcode"
        )
    }
}
