internal import PortcullisCore
internal import Synchronization

/// The sealed keys that one act made or found recorded, for the sealer to be told of when it has ended.
final class SealsOfAct: Sendable {
    /// The act that the calling task is in.
    @TaskLocal static var current: SealsOfAct?

    private let seals = Mutex<(made: [SealedKey], recorded: [SealedKey])>(([], []))

    /// Carries a part of an act out, and all that it calls, on the caller's actor.
    ///
    /// A closure that took no part in the actor would go through Swift's shared pool, which has no thread where the user may
    /// have no more. A lock that its host runs on a thread of its own would wait there, uncovered (P-24).
    static func during<Answer>(
        _ seals: SealsOfAct,
        isolation: isolated (any Actor)? = #isolation,
        _ body: () async throws(PasscodeError) -> Answer
    ) async throws(PasscodeError) -> Answer {
        let result: Result<Answer, PasscodeError> = await $current.withValue(seals) {
            // The capture makes the closure a part of the actor.
            _ = isolation
            do throws(PasscodeError) { return .success(try await body()) } catch { return .failure(error) }
        }
        return try result.get()
    }

    var all: (made: [SealedKey], recorded: [SealedKey]) { seals.withLock { ($0.made, $0.recorded) } }

    func made(_ sealed: SealedKey) { seals.withLock { $0.made.append(sealed) } }

    /// A record was found that this act may replace or remove.
    func found(_ record: PasscodeRecord?) {
        guard let record else { return }
        seals.withLock { $0.recorded += record.sealedKeys }
    }
}

extension PasscodeRecord {
    /// What sealed the key that the passcode opens.
    var algorithm: String? {
        guard case .sealed(let sealed) = credential else { return nil }
        return sealed.algorithm
    }

    /// All sealed keys that are in it.
    var sealedKeys: [SealedKey] {
        var keys: [SealedKey] = []
        if case .sealed(let sealed) = credential { keys.append(sealed) }
        if let candidate = account?.act?.candidate { keys.append(candidate) }
        return keys
    }
}
