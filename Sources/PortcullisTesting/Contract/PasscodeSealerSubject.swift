public import PortcullisCore

/// What a ``PasscodeSealerContract`` looks at: sealers to be had, and the ways to disturb what they stand on.
public struct PasscodeSealerSubject: Sendable {
    /// A sealer with the ways to disturb it; a way that it does not have is `nil`, and the clauses that need it do not
    /// apply.
    public struct Place: Sendable {
        /// The sealer.
        public var sealer: any PasscodeSealer
        /// How many wrong passcodes in a row the hardware takes, 2 to 20; `nil`: it is software and takes any number.
        public var tryLimit: Int?
        /// Another sealer on the same ground, as another process has one.
        public var another: (@Sendable () async throws -> any PasscodeSealer)?
        /// Takes the hardware away (`true`), or gives it back (`false`).
        public var setMissing: (@Sendable (Bool) async throws -> Void)?
        /// A record of an older app whose passcode is `834912`: hex SHA-256 of the passcode and the salt's text.
        public var legacy: LegacyPasscodeHash

        /// A place of these parts.
        public init(
            sealer: any PasscodeSealer,
            tryLimit: Int? = nil,
            another: (@Sendable () async throws -> any PasscodeSealer)? = nil,
            setMissing: (@Sendable (Bool) async throws -> Void)? = nil,
            legacy: LegacyPasscodeHash = .contract
        ) {
            self.sealer = sealer
            self.tryLimit = tryLimit
            self.another = another
            self.setMissing = setMissing
            self.legacy = legacy
        }
    }

    let makePlace: @Sendable () async throws -> Place

    /// A sealer to be checked.
    ///
    /// - Parameter makePlace: makes a fresh one; each clause has one of its own.
    public init(_ makePlace: @escaping @Sendable () async throws -> Place) { self.makePlace = makePlace }
}

extension LegacyPasscodeHash {
    /// The hash of the passcode `834912` with the salt `c2FsdA==`, as `sha256sum` gives it.
    public static let contract = LegacyPasscodeHash(
        hexDigest: "4d3b3037cd745855768891baa761d2359961f464c70c3f77895bd8ac16b37050",
        salt: "c2FsdA=="
    )
}
