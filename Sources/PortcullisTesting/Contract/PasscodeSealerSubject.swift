public import PortcullisCore

/// A sealer to be checked against ``PasscodeSealerContract``. The subject's function makes a sealer, together
/// with functions that change the sealer's surroundings.
public struct PasscodeSealerSubject: Sendable {
    /// A sealer, with functions that change its surroundings. A function that a test cannot provide is `nil`,
    /// and the clauses that need the function do not apply.
    public struct Place: Sendable {
        /// The sealer.
        public var sealer: any PasscodeSealer
        /// The number of wrong passcodes in a row after which the hardware refuses every passcode, from 2 to
        /// 20; `nil` for software, which has no limit.
        public var tryLimit: Int?
        /// The recovery passphrase with which the sealer seals keys; `nil` for none.
        public var recovery: SecretBytes?
        /// Makes another sealer on the same hardware, as another process does.
        public var another: (@Sendable () async throws -> any PasscodeSealer)?
        /// Removes the hardware (`true`), or restores it (`false`).
        public var setMissing: (@Sendable (Bool) async throws -> Void)?
        /// A record that an older app made for the passcode `834912`: the SHA-256 of the passcode followed by
        /// the salt's text, in hex.
        public var legacy: LegacyPasscodeHash

        /// Makes a place with this sealer and these functions.
        public init(
            sealer: any PasscodeSealer,
            tryLimit: Int? = nil,
            recovery: SecretBytes? = nil,
            another: (@Sendable () async throws -> any PasscodeSealer)? = nil,
            setMissing: (@Sendable (Bool) async throws -> Void)? = nil,
            legacy: LegacyPasscodeHash = .contract
        ) {
            self.sealer = sealer
            self.tryLimit = tryLimit
            self.recovery = recovery
            self.another = another
            self.setMissing = setMissing
            self.legacy = legacy
        }
    }

    let makePlace: @Sendable () async throws -> Place

    /// Makes a subject.
    ///
    /// - Parameter makePlace: makes a new sealer for each clause.
    public init(_ makePlace: @escaping @Sendable () async throws -> Place) { self.makePlace = makePlace }
}

extension LegacyPasscodeHash {
    /// The hash of the passcode `834912` with the salt `c2FsdA==`, as `sha256sum` computes it.
    public static let contract = LegacyPasscodeHash(
        hexDigest: "4d3b3037cd745855768891baa761d2359961f464c70c3f77895bd8ac16b37050",
        salt: "c2FsdA=="
    )
}
