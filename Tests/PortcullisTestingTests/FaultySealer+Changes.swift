import PortcullisCore
import PortcullisTesting
import Synchronization

extension FaultySealer {
    func reseal(
        _ sealed: SealedKey,
        holding key: SecretBytes,
        under passcode: SecretBytes,
        context: String
    ) async throws(PasscodeSealerError) -> SealedKey {
        let resealed = try await seal(key, under: passcode, context: context)
        hardware.state.withLock { state in
            guard let old = state.kept.firstIndex(where: { $0.record == sealed }),
                let new = state.kept.firstIndex(where: { $0.record == resealed })
            else { return }
            if fault == .resealDropsRecovery { state.kept[new].isRecoverable = false }
            if fault == .resealKeepsPasscode { state.kept[new].passcode = state.kept[old].passcode }
            if fault == .resealDropsOld { state.kept.remove(at: old) }
        }
        return resealed
    }

    func settle(
        _ touched: [SealedKey],
        context: String,
        recorded: @Sendable () async throws(PasscodeSealerError) -> [SealedKey]
    ) async throws(PasscodeSealerError) {
        if fault == .settleDoesNothing { return }
        try checkHardware()
        let isBusy = hardware.state.withLock { state in
            for index in state.kept.indices where touched.contains(state.kept[index].record) {
                state.kept[index].isPending = false
            }
            return state.kept.contains(where: \.isPending)
        }
        if isBusy, fault != .settleDropsPending {
            throw PasscodeSealerError(code: .hardwareBusy, message: "a key is not settled yet")
        }
        var keys: [SealedKey] = []
        do throws(PasscodeSealerError) { keys = try await recorded() } catch {
            if fault == .settleSwallows { return }
            guard fault == .settleDropsUnread else { throw error }
        }
        if fault == .settleThrowsAtOthers { for key in keys { try check(key) } }
        if fault == .settleDropsRecorded { keys.removeAll { $0 == touched.first } }
        let isUnread = fault == .settleDropsUnread && keys.isEmpty
        hardware.state.withLock { [keys] state in
            state.kept.removeAll { kept in
                guard kept.context == context || fault == .settleDropsContexts else { return false }
                if fault == .settleDropsOldOnly, kept.record == touched.first { return false }
                return !keys.contains(kept.record)
            }
        }
        if isUnread { throw PasscodeSealerError(code: .unavailable, message: "not read") }
    }

    func isRecoverable(_ sealed: SealedKey) -> Bool {
        fault == .claimsRecovery
            || hardware.state.withLock { state in
                state.kept.contains { $0.record == sealed && $0.isRecoverable }
            }
    }

    func recover(
        _ sealed: SealedKey,
        with passphrase: SecretBytes,
        context: String
    ) async throws(PasscodeSealerError) -> SealOpening {
        try check(sealed)
        try checkHardware()
        if !hasRecovery, fault == .recoveryIsWrong { return .wrongPasscode }
        let opening: SealOpening? = hardware.state.withLock { state in
            guard let index = state.kept.firstIndex(where: { $0.record == sealed && $0.isRecoverable })
            else { return nil }
            if fault == .recoveryIsLimited, state.kept[index].failures >= Self.tryLimit {
                return .triesExhausted
            }
            let isRight =
                (passphrase.matches(Self.phrase) || fault == .recoversAnything)
                && (state.kept[index].context == context || fault == .recoversAnywhere)
            if !isRight, fault == .recoveryIsATry { state.kept[index].failures += 1 }
            return isRight ? .opened(state.kept[index].key) : .wrongPasscode
        }
        if let opening { return opening }
        throw PasscodeSealerError(code: .notRecoverable, message: "no recovery passphrase")
    }

    func count(
        of sealed: SealedKey,
        context: String
    ) async throws(PasscodeSealerError) -> HardwareCount? {
        try checkHardware()
        return hardware.state.withLock { state in
            guard let index = state.kept.firstIndex(where: { $0.record == sealed }) else { return nil }
            if fault == .countIsATry { state.kept[index].failures += 1 }
            return HardwareCount(
                kind: "faulty",
                failures: fault == .countsNothing ? 0 : state.kept[index].failures,
                limit: fault == .limitIsWrong ? Self.tryLimit + 1 : Self.tryLimit
            )
        }
    }
}
