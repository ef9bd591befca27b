/// Seals a key under a passcode. Only this passcode opens the sealed key. If the key was sealed with a
/// recovery passphrase, that passphrase opens the sealed key too.
///
/// Only the sealed key is stored. No hash of the passcode is stored.
///
/// ## For callers
/// - Before opening, check whether a try is allowed, and count the try. A sealer in software does not limit
///   tries, and each call costs the time and memory that the parameters state.
/// - Call ``readiness(of:context:)`` before the try is counted, because a failure of the hardware must not
///   cost the person a try.
/// - The passcode is 1 to 1,024 bytes. The sealer does not check its format.
///
/// ## For implementers
/// - Derive a key from the passcode with Argon2id (RFC 9106), ``parameters`` and a new random 16-byte salt
///   for each seal. Then seal with authenticated encryption that also covers the context, algorithm,
///   parameters and salt.
/// - Before any derivation, refuse a sealed key with parameters outside ``Argon2Parameters/saneBounds``.
/// - Run a limited number of derivations at a time, on threads of the sealer's own and never on Swift's shared pool.
/// - If the hardware counts tries itself, the count must not go down after a crash or after a backup was
///   restored. After the hardware's limit the sealer returns ``SealOpening/triesExhausted`` for every
///   passcode, even the right one. It throws a code of ``PasscodeSealerErrorCode/ofHardware`` only if the
///   passcode was not tried.
/// - The hardware counts the tries of each sealed key separately. Hardware with one count for all keys must
///   not be used, because one person could then lock out the others.
/// - Zero the derived key after use. A cancelled task may skip a derivation that has not begun, by throwing
///   ``PasscodeSealerErrorCode/cancelled``. A cancelled call never returns a result about a passcode that was
///   not tried.
public protocol PasscodeSealer: Sendable {
    /// The parameters of new seals.
    var parameters: Argon2Parameters { get }

    /// Whether a sealed key is weaker than the key that ``reseal(_:holding:under:context:)`` would make of it.
    /// The caller reseals a weaker key once the right passcode has opened the key.
    ///
    /// The default compares the sealed key's parameters with ``parameters``.
    func isOutdated(_ sealed: SealedKey) -> Bool

    /// Seals a key.
    ///
    /// - Parameters:
    ///   - key: the key, 32 bytes.
    ///   - passcode: the passcode that will open the key.
    ///   - context: the owner of the sealed key, such as a user; opening needs the same text.
    /// - Throws: ``PasscodeSealerError``: ``PasscodeSealerErrorCode/malformed`` for a key or passcode of a
    ///   wrong size, ``PasscodeSealerErrorCode/refusedParameters``, ``PasscodeSealerErrorCode/outOfMemory``,
    ///   ``PasscodeSealerErrorCode/systemFailure``, or a code of ``PasscodeSealerErrorCode/ofHardware``.
    func seal(
        _ key: SecretBytes,
        under passcode: SecretBytes,
        context: String
    ) async throws(PasscodeSealerError) -> SealedKey

    /// Seals an already sealed key again, for example when its passcode changes. By default this calls
    /// ``seal(_:under:context:)``.
    ///
    /// The old sealed key can still be opened until the caller has recorded the new sealed key and called
    /// ``settle(_:context:recorded:)``. A recovery passphrase or another means that opens the old sealed key
    /// also opens the new sealed key, unless the sealer was given another passphrase meanwhile.
    ///
    /// - Parameters:
    ///   - sealed: the old sealed key.
    ///   - key: the key in `sealed`.
    ///   - passcode: the passcode that will open the new sealed key.
    ///   - context: the context that ``seal(_:under:context:)`` was given.
    /// - Throws: the errors of ``seal(_:under:context:)``.
    func reseal(
        _ sealed: SealedKey,
        holding key: SecretBytes,
        under passcode: SecretBytes,
        context: String
    ) async throws(PasscodeSealerError) -> SealedKey

    /// Tells the sealer that the recorded sealed keys, which the caller keeps in its own store, may have
    /// changed. Call this method after a passcode was set, changed or removed, even if the change failed.
    ///
    /// A sealer in hardware keeps a part of each sealed key in the hardware. In this call the sealer
    /// deletes the parts of all keys that are not recorded, including the parts that a killed process left.
    /// The default implementation does nothing, because a sealer in software has nothing to delete.
    ///
    /// - Parameters:
    ///   - touched: the sealed keys that the change was about: the new keys, recorded or not, and the keys
    ///     that were recorded before.
    ///   - context: the context of the sealed keys.
    ///   - recorded: reads all sealed keys of the context that are recorded, also those of other sealers. A
    ///     key that was sealed and not yet settled may still become recorded. So the sealer calls this
    ///     closure and deletes parts only if `touched` contains the unsettled keys of all tasks and
    ///     processes. If the closure throws, nothing is deleted.
    /// - Throws: ``PasscodeSealerError`` with a code of ``PasscodeSealerErrorCode/ofHardware``, or the error of
    ///   `recorded`. After an error the next call tries to delete the same parts again.
    func settle(
        _ touched: [SealedKey],
        context: String,
        recorded: @Sendable () async throws(PasscodeSealerError) -> [SealedKey]
    ) async throws(PasscodeSealerError)

    /// Opens a sealed key with its recovery passphrase. This works even after the hardware has reached its
    /// limit of wrong passcodes.
    ///
    /// Wrong passphrases are not counted. ``RecoveryPassphrase`` has the rules for a passphrase.
    ///
    /// - Returns: the key, or ``SealOpening/wrongPasscode`` if the passphrase is wrong.
    /// - Throws: ``PasscodeSealerErrorCode/notRecoverable`` if the key was sealed without a recovery
    ///   passphrase; the errors of ``open(_:with:context:)``. The default implementation always throws
    ///   `notRecoverable`.
    func recover(
        _ sealed: SealedKey,
        with passphrase: SecretBytes,
        context: String
    ) async throws(PasscodeSealerError) -> SealOpening

    /// Whether a key was sealed with a recovery passphrase. The sealed key itself contains this fact, so the
    /// hardware is not accessed. The default is `false`.
    func isRecoverable(_ sealed: SealedKey) -> Bool

    /// Returns the hardware's count of wrong passcodes for a sealed key. A sealer in software returns `nil`,
    /// which is the default.
    ///
    /// - Throws: the errors of ``readiness(of:context:)``.
    func count(of sealed: SealedKey, context: String) async throws(PasscodeSealerError) -> HardwareCount?

    /// Returns whether the sealer can try a passcode on a sealed key now.
    ///
    /// The call does not count as a try and derives nothing. The default is ``SealReadiness/ready``, because
    /// a sealer in software is always ready.
    ///
    /// - Parameters:
    ///   - sealed: the sealed key.
    ///   - context: the same text as for ``open(_:with:context:)``.
    /// - Returns: ``SealReadiness/ready``, or ``SealReadiness/triesExhausted``.
    /// - Throws: ``PasscodeSealerError`` with a code of ``PasscodeSealerErrorCode/ofHardware``, or with a
    ///   code that ``open(_:with:context:)`` throws before any derivation.
    func readiness(of sealed: SealedKey, context: String) async throws(PasscodeSealerError) -> SealReadiness

    /// Opens a sealed key.
    ///
    /// - Returns: the key, or why the passcode did not open it.
    /// - Throws: ``PasscodeSealerError``: ``PasscodeSealerErrorCode/refusedParameters``,
    ///   ``PasscodeSealerErrorCode/unknownAlgorithm`` or ``PasscodeSealerErrorCode/malformed`` before any derivation;
    ///   ``PasscodeSealerErrorCode/outOfMemory`` or ``PasscodeSealerErrorCode/systemFailure`` if the derivation fails;
    ///   a code of ``PasscodeSealerErrorCode/ofHardware`` if the hardware cannot be used and no passcode was tried.
    func open(
        _ sealed: SealedKey,
        with passcode: SecretBytes,
        context: String
    ) async throws(PasscodeSealerError) -> SealOpening

    /// Returns whether a passcode matches the salted hash that another app stored. This check is needed to
    /// take over the passcode from that app.
    ///
    /// The call counts no try. Before a hash is taken over, the caller asks about a random passcode of 32
    /// hexadecimal digits, to learn whether the sealer supports such hashes.
    ///
    /// - Returns: whether hex SHA-256(passcode + salt text) equals the recorded hash. The comparison takes
    ///   constant time.
    /// - Throws: ``PasscodeSealerErrorCode/unknownAlgorithm`` by default.
    func matches(
        _ passcode: SecretBytes,
        _ legacy: LegacyPasscodeHash
    ) async throws(PasscodeSealerError) -> Bool
}

extension PasscodeSealer {
    /// The default: whether the sealed key's parameters are weaker than ``parameters``.
    public func isOutdated(_ sealed: SealedKey) -> Bool { sealed.parameters.isWeaker(than: parameters) }

    /// The default: ``SealReadiness/ready``, as for every sealer in software.
    public func readiness(
        of sealed: SealedKey,
        context: String
    ) async throws(PasscodeSealerError) -> SealReadiness { .ready }

    /// The default: calls ``seal(_:under:context:)``.
    public func reseal(
        _ sealed: SealedKey,
        holding key: SecretBytes,
        under passcode: SecretBytes,
        context: String
    ) async throws(PasscodeSealerError) -> SealedKey {
        try await seal(key, under: passcode, context: context)
    }

    /// The default: does nothing.
    public func settle(
        _ touched: [SealedKey],
        context: String,
        recorded: @Sendable () async throws(PasscodeSealerError) -> [SealedKey]
    ) async throws(PasscodeSealerError) {}

    /// The default: throws ``PasscodeSealerErrorCode/notRecoverable``.
    public func recover(
        _ sealed: SealedKey,
        with passphrase: SecretBytes,
        context: String
    ) async throws(PasscodeSealerError) -> SealOpening {
        throw PasscodeSealerError(code: .notRecoverable, message: "the passcode has no recovery passphrase")
    }

    /// The default: returns `false`.
    public func isRecoverable(_ sealed: SealedKey) -> Bool { false }

    /// The default: returns `nil`, as for every sealer in software.
    public func count(
        of sealed: SealedKey,
        context: String
    ) async throws(PasscodeSealerError) -> HardwareCount? { nil }

    /// The default: throws ``PasscodeSealerErrorCode/unknownAlgorithm``. A sealer need not support old hashes.
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

/// The result of opening a sealed key.
public enum SealOpening: Sendable {
    /// The passcode or the recovery passphrase was right; this is the key.
    case opened(SecretBytes)
    /// The passcode or the recovery passphrase does not open the sealed key.
    case wrongPasscode
    /// The hardware has reached its limit of wrong passcodes. It no longer tries any passcode, not even the
    /// right one.
    case triesExhausted
}

/// Whether a sealer can try a passcode on a sealed key.
public enum SealReadiness: Sendable, Hashable {
    /// A passcode can be tried.
    case ready
    /// The hardware has reached its limit of wrong passcodes. It no longer tries any passcode, not even the
    /// right one.
    case triesExhausted
}

/// The number of wrong passcodes in a row that hardware has counted, and its limit.
public struct HardwareCount: Sendable, Hashable {
    /// The name of the hardware's kind, such as `tpm2`.
    public var kind: String
    /// The number of wrong passcodes since the last right one.
    public var failures: Int
    /// The number of wrong passcodes after which the hardware tries no passcode any more.
    public var limit: Int

    /// Makes a count from these numbers.
    public init(kind: String, failures: Int, limit: Int) {
        (self.kind, self.failures, self.limit) = (kind, failures, limit)
    }
}
