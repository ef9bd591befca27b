internal import AdapterKit
internal import Gcrypt
public import PortcullisCore
internal import Synchronization

/// Seals keys under passcodes with Argon2id and AES-256-GCM-SIV, both by libgcrypt.
///
/// The derivations run on the sealer's own threads, at most `concurrency` at a time. Further derivations
/// wait.
public final class GcryptPasscodeSealer: PasscodeSealer {
    /// The algorithm's name in the records that this sealer makes.
    public static let algorithm = "argon2id+aes256-gcm-siv"

    /// The allowed lengths of a passcode in bytes. libgcrypt refuses an empty passcode.
    private static let lengths = 1...1024

    /// The parameters that new seals get.
    public let parameters: Argon2Parameters

    private let workers: [WorkerThread]
    /// The number of derivations so far. It selects the next thread, so that the threads take turns.
    private let derivations = Atomic(0)

    /// Makes a sealer.
    ///
    /// - Parameters:
    ///   - parameters: the cost of new seals; not less than ``/PortcullisCore/Argon2Parameters/owaspMinimum``
    ///     outside tests.
    ///   - concurrency: how many derivations may run at once. Each needs the memory that its parameters name.
    public init(parameters: Argon2Parameters = .owaspMinimum, concurrency: Int = 2) {
        self.parameters = parameters
        workers = (0..<max(1, concurrency)).map { _ in WorkerThread() }
    }

    /// Starts the sealer's threads before the first derivation.
    ///
    /// A host calls this if it must verify passcodes later, at a time when the system may have no thread
    /// left.
    ///
    /// - Throws: `ThreadRefusal` if the system has no thread left.
    package func start() throws(ThreadRefusal) {
        for worker in workers { try worker.start() }
    }

    /// Seals a key; see ``/PortcullisCore/PasscodeSealer``.
    public func seal(
        _ key: SecretBytes,
        under passcode: SecretBytes,
        context: String
    ) async throws(PasscodeSealerError) -> SealedKey {
        guard key.count == 32, Self.lengths.contains(passcode.count) else {
            throw PasscodeSealerError(
                code: .malformed,
                message: "a key has 32 bytes, a passcode 1 to 1,024"
            )
        }
        var sealed = SealedKey(
            algorithm: Self.algorithm,
            parameters: parameters,
            salt: randomBytes(16),
            sealed: []
        )
        let binding = Self.binding(sealed, context)
        let (salt, parameters) = (sealed.salt, parameters)
        sealed.sealed = try await derive { () throws(PasscodeSealerError) in
            let wrapping = try Argon2.derive(passcode, salt: salt, parameters)
            let nonce = randomBytes(SealingKey.nonceSize)
            do {
                return nonce + (try Sealed.seal(key, under: wrapping, nonce: nonce, binding: binding))
            } catch {
                throw PasscodeSealerError(code: .systemFailure, message: "\(error)")
            }
        }
        return sealed
    }

    /// Opens a sealed key; see ``/PortcullisCore/PasscodeSealer``.
    public func open(
        _ sealed: SealedKey,
        with passcode: SecretBytes,
        context: String
    ) async throws(PasscodeSealerError) -> SealOpening {
        guard sealed.format == 1, sealed.algorithm == Self.algorithm else {
            throw PasscodeSealerError(code: .unknownAlgorithm, message: "the record's algorithm is not known")
        }
        guard sealed.parameters.isSane else {
            throw PasscodeSealerError(
                code: .refusedParameters,
                message: "Argon2id with \(sealed.parameters) is not allowed"
            )
        }
        guard sealed.salt.count == 16, sealed.sealed.count == 32 + SealingKey.overhead,
            Self.lengths.contains(passcode.count)
        else {
            throw PasscodeSealerError(
                code: .malformed,
                message: "a part of the record, or the passcode, has the wrong size"
            )
        }
        let binding = Self.binding(sealed, context)
        return try await derive { () throws(PasscodeSealerError) in
            let wrapping = try Argon2.derive(passcode, salt: sealed.salt, sealed.parameters)
            do {
                let key = try Sealed.open(
                    Array(sealed.sealed[SealingKey.nonceSize...]),
                    under: wrapping,
                    nonce: Array(sealed.sealed[..<SealingKey.nonceSize]),
                    binding: binding
                )
                return key.map(SealOpening.opened) ?? .wrongPasscode
            } catch {
                throw PasscodeSealerError(code: .systemFailure, message: "\(error)")
            }
        }
    }

    /// Checks a passcode against a legacy hash, in constant time. The hash is SHA-256 over the passcode
    /// followed by the text of the salt, and is recorded in hexadecimal digits.
    public func matches(
        _ passcode: SecretBytes,
        _ legacy: LegacyPasscodeHash
    ) async throws(PasscodeSealerError) -> Bool {
        guard let expected = Self.bytes(ofHex: legacy.hexDigest) else {
            throw PasscodeSealerError(
                code: .malformed,
                message: "the recorded hash is not 64 hexadecimal digits"
            )
        }
        do {
            let actual = try Digest.sha256(passcode, legacy.salt)
            return SecretBytes(copying: actual).matches(SecretBytes(copying: expected))
        } catch {
            throw PasscodeSealerError(code: .systemFailure, message: "\(error)")
        }
    }

    private static func bytes(ofHex text: String) -> [UInt8]? {
        let digits = text.utf8.map { Character(UnicodeScalar($0)).hexDigitValue }
        guard digits.count == 64, digits.allSatisfy({ $0 != nil }) else { return nil }
        return stride(from: 0, to: 64, by: 2).map { UInt8(digits[$0]! << 4 | digits[$0 + 1]!) }
    }

    /// Returns the data that a seal is bound to: context, algorithm and salt, each after its length, then the format
    /// and the parameters.
    private static func binding(_ sealed: SealedKey, _ context: String) -> [UInt8] {
        var bytes = Array("portcullis passcode".utf8)
        for part in [Array(context.utf8), Array(sealed.algorithm.utf8), sealed.salt] {
            bytes.append(UInt32(part.count))
            bytes += part
        }
        bytes.append(UInt32(truncatingIfNeeded: sealed.format))
        bytes.append(sealed.parameters.memory)
        bytes.append(sealed.parameters.passes)
        bytes.append(sealed.parameters.lanes)
        return bytes
    }

    /// Runs a derivation on one of the threads. If the task is cancelled before the derivation begins, the
    /// derivation is skipped.
    private func derive<Value: Sendable>(
        _ body: @escaping @Sendable () throws(PasscodeSealerError) -> Value
    ) async throws(PasscodeSealerError) -> Value {
        let cancelled = CancellationNote()
        let worker = workers[derivations.wrappingAdd(1, ordering: .relaxed).oldValue % workers.count]
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation {
                (continuation: CheckedContinuation<Result<Value, PasscodeSealerError>, Never>) in
                worker.enqueue {
                    continuation.resume(
                        returning: Result { () throws(PasscodeSealerError) in
                            if cancelled.isSet {
                                throw PasscodeSealerError(code: .cancelled, message: "the task was cancelled")
                            }
                            return try body()
                        }
                    )
                }
            }
        } onCancel: {
            cancelled.set()
        }
        return try result.get()
    }
}
