/// Seals a key under a passcode, so that only the passcode gives it back.
///
/// What is stored is the sealed key; there is no hash of the passcode to compare with.
///
/// ## For callers
/// - Check and count before opening: a sealer knows no limits. Each call costs what the parameters say, in time
///   and memory.
/// - The passcode is at most 1,024 bytes; its format is not the sealer's business.
///
/// ## For implementers
/// - Derive with Argon2id (RFC 9106) under the recorded parameters and a fresh random 16-byte salt per seal,
///   then seal with authenticated encryption that also covers the context, algorithm, parameters and salt.
/// - Refuse a record whose parameters are outside ``Argon2Parameters/saneBounds`` before any derivation.
/// - Derive on threads of your own, a bounded number at a time, never on Swift's shared pool.
/// - Zero what was derived. Task cancellation may skip a derivation that has not begun, by throwing
///   ``PasscodeSealerErrorCode/cancelled``; it never turns into an answer.
public protocol PasscodeSealer: Sendable {
    /// The parameters that new seals get.
    var parameters: Argon2Parameters { get }

    /// Seals a key.
    ///
    /// - Parameters:
    ///   - key: 32 bytes.
    ///   - passcode: what opens it again.
    ///   - context: what the sealed key belongs to, such as a user; opening needs the same text.
    /// - Throws: ``PasscodeSealerError`` when the parameters are refused or memory is short.
    func seal(
        _ key: SecretBytes,
        under passcode: SecretBytes,
        context: String
    ) async throws(PasscodeSealerError) -> SealedKey

    /// Opens a sealed key.
    ///
    /// - Returns: the key, or ``SealOpening/wrongPasscode``.
    /// - Throws: ``PasscodeSealerError``: ``PasscodeSealerErrorCode/refusedParameters``,
    ///   ``PasscodeSealerErrorCode/unknownAlgorithm``, ``PasscodeSealerErrorCode/malformed`` before any
    ///   derivation; ``PasscodeSealerErrorCode/outOfMemory`` or ``PasscodeSealerErrorCode/systemFailure``
    ///   where it cannot be done.
    func open(
        _ sealed: SealedKey,
        with passcode: SecretBytes,
        context: String
    ) async throws(PasscodeSealerError) -> SealOpening

    /// Whether a passcode fits the salted hash of an app that kept one, for the take-over of such a record.
    ///
    /// - Returns: whether hex SHA-256(passcode + salt text) is the recorded hash, compared in constant time.
    /// - Throws: ``PasscodeSealerErrorCode/unknownAlgorithm`` by default.
    func matches(
        _ passcode: SecretBytes,
        _ legacy: LegacyPasscodeHash
    ) async throws(PasscodeSealerError) -> Bool
}

extension PasscodeSealer {
    /// Refuses: a sealer need not know old hashes.
    public func matches(
        _ passcode: SecretBytes,
        _ legacy: LegacyPasscodeHash
    ) async throws(PasscodeSealerError) -> Bool {
        throw PasscodeSealerError(
            code: .unknownAlgorithm,
            message: "this sealer cannot take over a hashed passcode"
        )
    }
}

/// What opening a sealed key gave.
public enum SealOpening: Sendable {
    /// The key.
    case opened(SecretBytes)
    /// The passcode does not open it.
    case wrongPasscode
}

/// The cost of an Argon2id derivation (RFC 9106, section 3.1).
public struct Argon2Parameters: Hashable, Sendable, Codable, CustomStringConvertible {
    /// Memory in KiB (m).
    public var memory: UInt32
    /// Passes over the memory (t).
    public var passes: UInt32
    /// Lanes (p), computed in parallel.
    public var lanes: UInt32

    /// A cost of these numbers, not yet checked.
    public init(memory: UInt32, passes: UInt32, lanes: UInt32) {
        self.memory = memory
        self.passes = passes
        self.lanes = lanes
    }

    /// The default and the least that new seals should have: OWASP's minimum for Argon2id, 19 MiB, t = 2, p = 1.
    public static let owaspMinimum = Argon2Parameters(memory: 19 * 1024, passes: 2, lanes: 1)

    /// What a record may say: up to 1 GiB, 32 passes and 16 lanes.
    ///
    /// The upper ends keep a forged record from using up the machine; the lower ends are what RFC 9106 allows
    /// (8 KiB for each lane, one pass).
    public static let saneBounds = (
        memory: UInt32(8)...1_048_576,
        passes: UInt32(1)...32,
        lanes: UInt32(1)...16
    )

    /// Whether the numbers are ones that RFC 9106 allows and ``saneBounds`` admits.
    public var isSane: Bool {
        Self.saneBounds.memory.contains(memory) && Self.saneBounds.passes.contains(passes)
            && Self.saneBounds.lanes.contains(lanes) && memory >= 8 * lanes
    }

    /// Whether a guess costs less than under `other`: less memory, or less memory × passes.
    public func isWeaker(than other: Argon2Parameters) -> Bool {
        memory < other.memory
            || UInt64(memory) * UInt64(passes) < UInt64(other.memory) * UInt64(other.passes)
    }

    /// `m=19456,t=2,p=1`.
    public var description: String { "m=\(memory),t=\(passes),p=\(lanes)" }
}

/// A key sealed under a passcode, with all that opening needs but the passcode.
public struct SealedKey: Hashable, Sendable, Codable {
    /// The version of this layout; 1.
    public var format: Int
    /// The name of derivation and cipher, such as `argon2id+aes256-gcm-siv`.
    public var algorithm: String
    /// The cost of the derivation.
    public var parameters: Argon2Parameters
    /// The random salt, 16 bytes.
    public var salt: [UInt8]
    /// Nonce, ciphertext and tag, as the algorithm arranges them.
    public var sealed: [UInt8]

    /// A sealed key of these parts.
    public init(
        format: Int = 1,
        algorithm: String,
        parameters: Argon2Parameters,
        salt: [UInt8],
        sealed: [UInt8]
    ) {
        self.format = format
        self.algorithm = algorithm
        self.parameters = parameters
        self.salt = salt
        self.sealed = sealed
    }
}

/// A record of an app that kept hex SHA-256(passcode + base64 salt).
public struct LegacyPasscodeHash: Hashable, Sendable, Codable {
    /// The hash: 64 hexadecimal digits, either case.
    public var hexDigest: String
    /// The salt's base64 text, which was hashed as it stands after the passcode.
    public var salt: String

    /// A record of these parts.
    public init(hexDigest: String, salt: String) {
        self.hexDigest = hexDigest
        self.salt = salt
    }
}

/// Why a ``PasscodeSealer`` could not work.
///
/// A wrong passcode is an answer, not an error.
public typealias PasscodeSealerError = CodedError<PasscodeSealerErrorCode>

/// The kinds of a ``PasscodeSealerError``, open for more.
public struct PasscodeSealerErrorCode: ErrorCode {
    /// The code's name.
    public let name: String

    /// A code of this name.
    public init(_ name: String) { self.name = name }

    /// The parameters are outside what is sane; nothing was derived.
    public static let refusedParameters = Self("refusedParameters")
    /// The record names an algorithm or a layout this sealer does not know.
    public static let unknownAlgorithm = Self("unknownAlgorithm")
    /// A part of the record or of the call has the wrong size.
    public static let malformed = Self("malformed")
    /// The memory that the parameters ask for could not be had.
    public static let outOfMemory = Self("outOfMemory")
    /// The task was cancelled before the derivation began.
    public static let cancelled = Self("cancelled")
    /// No sealer was configured.
    public static let unavailable = Self("unavailable")
    /// The library or system beneath failed; the message says how.
    public static let systemFailure = Self("systemFailure")
}
