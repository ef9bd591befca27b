internal import PortcullisCore
internal import Synchronization

/// The sealed keys that one act has made, has found in the record or has taken out of it. If the record does
/// not hold one of these keys after the act, the sealer forgets that key.
final class SealsOfAct: Sendable {
    /// The seals of the act that the calling task carries out.
    @TaskLocal static var current: SealsOfAct?

    private typealias Seals = (made: [SealedKey], recorded: [SealedKey], replaced: [SealedKey])

    private let seals = Mutex<Seals>(([], [], []))

    /// Runs a closure as part of an act. All calls in the closure belong to the act.
    ///
    /// The closure stays on the caller's actor and does not move to Swift's shared pool. At the operating
    /// system's limit of processes and threads, the pool cannot start a thread, and the closure would wait. A
    /// lock that runs on a thread of its host would then leave the content uncovered (P-24).
    static func during<Answer>(
        _ seals: SealsOfAct,
        isolation: isolated (any Actor)? = #isolation,
        _ body: () async throws(PasscodeError) -> Answer
    ) async throws(PasscodeError) -> Answer {
        let result: Result<Answer, PasscodeError> = await $current.withValue(seals) {
            // Capturing the actor makes the closure run on it.
            _ = isolation
            do throws(PasscodeError) { return .success(try await body()) } catch { return .failure(error) }
        }
        return try result.get()
    }

    /// The sealed keys about which the sealer is asked after the act. If the act has made no sealed key and
    /// has taken none out of the record, the list is empty.
    var touched: [SealedKey] {
        let (made, recorded, replaced) = seals.withLock { ($0.made, $0.recorded, $0.replaced) }
        return made.isEmpty ? replaced : made + recorded + replaced.filter { !recorded.contains($0) }
    }

    func made(_ sealed: SealedKey) { seals.withLock { $0.made.append(sealed) } }

    /// Remembers the sealed keys of a record that this act may replace or remove.
    func found(_ record: PasscodeRecord?) {
        guard let record else { return }
        seals.withLock { $0.recorded += record.sealedKeys }
    }

    /// Notes that this act replaces a record. If the new record lacks a sealed key of the old record, the
    /// sealer is asked after the act, even if the act makes no sealed key.
    ///
    /// The old record may hold the sealed key of an act whose answer from the account is not known yet. This
    /// key is not noted, even if no record is left. Another service may be sending that act, and may still
    /// write the act's key to a later record.
    func replaced(_ old: PasscodeRecord?, by new: PasscodeRecord?) {
        let kept = new?.sealedKeys ?? []
        guard let old, !old.sealedKeys.allSatisfy({ kept.contains($0) }) else { return }
        let unanswered = old.account?.act?.candidate
        seals.withLock { $0.replaced += old.sealedKeys.filter { $0 != unanswered } }
    }

    /// Notes that all data of the passcode is removed. No sealed key of the record is needed any more.
    func erased(_ record: PasscodeRecord?) { seals.withLock { $0.replaced += record?.sealedKeys ?? [] } }
}

extension PasscodeRecord {
    /// The algorithm of the sealed key that the passcode opens; `nil` if the record has no sealed key.
    var algorithm: String? {
        guard case .sealed(let sealed) = credential else { return nil }
        return sealed.algorithm
    }

    /// All sealed keys in the record: the key of the credential, and the key of an act whose answer is not
    /// known yet.
    var sealedKeys: [SealedKey] {
        var keys: [SealedKey] = []
        if case .sealed(let sealed) = credential { keys.append(sealed) }
        if let candidate = account?.act?.candidate { keys.append(candidate) }
        return keys
    }
}

/// The sealed keys of earlier acts. After these acts, the sealer failed to forget the keys that the record
/// no longer holds.
final class UnsettledSeals: Sendable {
    private let seals = Mutex<[SealedKey]>([])

    /// Removes and returns the sealed keys.
    func take() -> [SealedKey] {
        seals.withLock { seals in
            defer { seals = [] }
            return seals
        }
    }

    /// Keeps sealed keys for the next call of ``take()``.
    func keep(_ left: [SealedKey]) {
        seals.withLock { seals in
            for sealed in left where !seals.contains(sealed) { seals.append(sealed) }
        }
    }
}
