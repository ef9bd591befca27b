/// Seals a key under a passcode, so that only the passcode gives it back.
///
/// What is stored is the sealed key; there is no hash of the passcode to compare with.
///
/// ## For callers
/// - Check and count before opening: a sealer in software knows no limits, and each call costs what the parameters
///   say, in time and memory.
/// - Ask ``readiness(of:context:)`` before a try is counted: what hardware says of itself is no person's fault.
/// - The passcode is 1 to 1,024 bytes; its format is not the sealer's business.
///
/// ## For implementers
/// - Derive with Argon2id (RFC 9106) under the recorded parameters and a fresh random 16-byte salt per seal,
///   then seal with authenticated encryption that also covers the context, algorithm, parameters and salt.
/// - Refuse a record whose parameters are outside ``Argon2Parameters/saneBounds`` before any derivation.
/// - Derive on threads of your own, a bounded number at a time, never on Swift's shared pool.
/// - A sealer on hardware that counts tries itself gives no try back, whatever is killed or restored. Once it has
///   counted its limit it answers ``SealOpening/triesExhausted`` to every passcode, also to the right one. It throws a
///   code of ``PasscodeSealerErrorCode/ofHardware`` only where it has tried no passcode.
/// - It counts for each sealed key by itself: a try at one takes none from another. Hardware with one count for all must
///   not be used, because one person would lock out the others.
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
    /// - Throws: ``PasscodeSealerError``: ``PasscodeSealerErrorCode/malformed`` for a key or passcode of another size,
    ///   ``PasscodeSealerErrorCode/refusedParameters``, ``PasscodeSealerErrorCode/outOfMemory``,
    ///   ``PasscodeSealerErrorCode/systemFailure``, or a code of ``PasscodeSealerErrorCode/ofHardware``.
    func seal(
        _ key: SecretBytes,
        under passcode: SecretBytes,
        context: String
    ) async throws(PasscodeSealerError) -> SealedKey

    /// Whether a passcode can be tried at a sealed key now.
    ///
    /// It costs no try and derives nothing. A sealer in software is always ready, which is the default.
    ///
    /// - Parameters:
    ///   - sealed: what a passcode is to be tried at.
    ///   - context: as ``open(_:with:context:)`` will get it.
    /// - Returns: ``SealReadiness/ready``, or ``SealReadiness/triesExhausted``.
    /// - Throws: ``PasscodeSealerError`` with a code of ``PasscodeSealerErrorCode/ofHardware``, or as
    ///   ``open(_:with:context:)`` does before any derivation.
    func readiness(of sealed: SealedKey, context: String) async throws(PasscodeSealerError) -> SealReadiness

    /// Opens a sealed key.
    ///
    /// - Returns: the key, or why the passcode did not open it.
    /// - Throws: ``PasscodeSealerError``: ``PasscodeSealerErrorCode/refusedParameters``,
    ///   ``PasscodeSealerErrorCode/unknownAlgorithm``, ``PasscodeSealerErrorCode/malformed`` before any
    ///   derivation; ``PasscodeSealerErrorCode/outOfMemory`` or ``PasscodeSealerErrorCode/systemFailure``
    ///   where it cannot be done; a code of ``PasscodeSealerErrorCode/ofHardware`` where the hardware cannot be used, and
    ///   no passcode was tried.
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
    /// ``SealReadiness/ready``: software is.
    public func readiness(
        of sealed: SealedKey,
        context: String
    ) async throws(PasscodeSealerError) -> SealReadiness { .ready }

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
    /// The hardware has counted as many wrong passcodes as it takes: it tries none any more, not even the right one.
    case triesExhausted
}

/// Whether a passcode can be tried at a sealed key.
public enum SealReadiness: Sendable, Hashable {
    /// It can.
    case ready
    /// The hardware has counted as many wrong passcodes as it takes: it tries none any more, not even the right one.
    case triesExhausted
}
