import PortcullisCore
import PortcullisTesting
import Synchronization

/// One way in which a sealer can be wrong.
enum SealerFault: CaseIterable {
    case none, losesKey, opensOnce, opensAnything, ignoresTail, readsText, cutsPasscode, takesLongPasscodes
    case ignoresContext, ignoresRecord, ignoresSalt, ignoresParameters, reusesSalt, showsKey,
        forgetsParameters
    case takesAnyKey, takesInsane, takesStrangers, takesNewer, takesAnyShape, questionIsATry, neverReady
    case mixesCalls, cancelledIsWrong, cancelledDrops, forgetsOthers, fitsAnyHash, ignoresSaltText
    case triesForEver, refusesWrongOnly, saysReady, countsTogether, neverResets, countsApart
    case missingIsWrong, missingCounts, missingIsReady, missingIsSystemFailure, triesRace
    case resealDropsOld, resealKeepsPasscode, settleDropsRecorded, settleDropsContexts, settleThrowsAtOthers
    case settleDropsPending, settleSwallows, settleDropsUnread, settleDoesNothing, settleDropsOldOnly
    case recoversAnything, recoversAnywhere, recoveryIsATry, recoveryIsLimited, resealDropsRecovery
    case claimsRecovery, recoveryIsWrong, countsNothing, countIsATry, limitIsWrong

    /// The clause that is meant to catch it.
    var clause: PasscodeSealerContract? {
        switch self {
        case .none: nil
        case .losesKey, .opensOnce: .opens
        case .opensAnything, .ignoresTail: .wrongPasscode
        case .readsText: .anyBytes
        case .cutsPasscode, .takesLongPasscodes: .longest
        case .ignoresContext: .bindsContext
        case .ignoresRecord, .ignoresSalt, .ignoresParameters: .bindsRecord
        case .reusesSalt, .showsKey: .freshSeals
        case .forgetsParameters: .recordsParameters
        case .takesAnyKey: .refusesKeys
        case .takesInsane: .refusesParameters
        case .takesStrangers, .takesNewer: .refusesStrangers
        case .takesAnyShape: .refusesShapes
        case .questionIsATry, .neverReady: .ready
        case .mixesCalls: .concurrentCalls
        case .cancelledIsWrong, .cancelledDrops: .cancelledCalls
        case .forgetsOthers: .another
        case .fitsAnyHash, .ignoresSaltText: .legacy
        case .triesForEver, .refusesWrongOnly, .saysReady, .countsTogether: .triesExhausted
        case .neverResets: .rightResets
        case .countsApart: .countIsShared
        case .triesRace: .concurrentTries
        case .missingIsWrong, .missingCounts, .missingIsReady, .missingIsSystemFailure: .missing
        case .resealDropsOld, .resealKeepsPasscode: .reseals
        case .settleDropsRecorded, .settleDropsContexts, .settleThrowsAtOthers: .settles
        case .settleDropsPending: .settleSparesPending
        case .settleSwallows, .settleDropsUnread: .settleFails
        case .settleDoesNothing, .settleDropsOldOnly: .settleDeletes
        case .recoversAnything, .recoversAnywhere, .recoveryIsATry, .recoveryIsLimited,
            .resealDropsRecovery:
            .recovers
        case .claimsRecovery, .recoveryIsWrong: .notRecoverable
        case .countsNothing, .countIsATry, .limitIsWrong: .counts
        }
    }
}

/// A sealer on hardware that takes so many wrong passcodes, right but for one fault. It keeps keys in memory.
final class FaultySealer: PasscodeSealer {
    static let tryLimit = 5

    /// What the hardware holds: it outlives each sealer.
    final class Hardware: Sendable {
        struct Kept {
            var key: SecretBytes
            var passcode: [UInt8]
            var context: String
            var record: SealedKey
            var isRecoverable: Bool
            var isPending = true
            var failures = 0
            var openings = 0
        }

        struct State {
            var kept: [Kept] = []
            var isMissing = false
            var under = 0
        }

        let state = Mutex(State())
    }

    let parameters = Argon2Parameters(memory: 64, passes: 1, lanes: 1)
    static let phrase = SecretBytes(copying: "orbit maple tundra".utf8)
    let hardware: Hardware
    let fault: SealerFault
    let hasRecovery: Bool
    private let instance: Int

    init(_ fault: SealerFault, hardware: Hardware = Hardware(), hasRecovery: Bool, instance: Int = 0) {
        (self.fault, self.hardware, self.instance) = (fault, hardware, instance)
        self.hasRecovery = hasRecovery
    }

    static func subject(_ fault: SealerFault, hasRecovery: Bool) -> PasscodeSealerSubject {
        PasscodeSealerSubject {
            let hardware = Hardware()
            return .init(
                sealer: FaultySealer(fault, hardware: hardware, hasRecovery: hasRecovery),
                tryLimit: tryLimit,
                recovery: hasRecovery ? phrase : nil,
                another: { FaultySealer(fault, hardware: hardware, hasRecovery: hasRecovery, instance: 1) },
                setMissing: { isMissing in hardware.state.withLock { $0.isMissing = isMissing } }
            )
        }
    }

    func bytes(_ passcode: SecretBytes) -> [UInt8] {
        let bytes = passcode.withBytes { bytes in bytes.indices.map { bytes[$0] } }
        return switch fault {
        case .ignoresTail: Array(bytes.prefix(6))
        case .readsText: Array(String(decoding: bytes, as: UTF8.self).utf8)
        case .cutsPasscode: Array(bytes.prefix(512))
        default: bytes
        }
    }

    private func checkLength(_ passcode: SecretBytes) throws(PasscodeSealerError) {
        guard (1...1_024).contains(passcode.count) || fault == .takesLongPasscodes else {
            throw PasscodeSealerError(code: .malformed, message: "a passcode has 1 to 1,024 bytes")
        }
    }

    func checkHardware() throws(PasscodeSealerError) {
        guard hardware.state.withLock({ $0.isMissing }) else { return }
        let code: PasscodeSealerError.Code =
            fault == .missingIsSystemFailure ? .systemFailure : .hardwareMissing
        throw PasscodeSealerError(code: code, message: "no hardware")
    }

    func seal(
        _ key: SecretBytes,
        under passcode: SecretBytes,
        context: String
    ) async throws(PasscodeSealerError) -> SealedKey {
        guard key.count == 32 || fault == .takesAnyKey else {
            throw PasscodeSealerError(code: .malformed, message: "a key has 32 bytes")
        }
        try checkLength(passcode)
        try checkHardware()
        var generator = SystemRandomNumberGenerator()
        func random(_ count: Int) -> [UInt8] {
            (0..<count).map { _ in .random(in: 0...255, using: &generator) }
        }
        var record = SealedKey(
            algorithm: "faulty",
            parameters: parameters,
            salt: fault == .reusesSalt ? [UInt8](repeating: 1, count: 16) : random(16),
            sealed: random(40)
        )
        if fault == .forgetsParameters { record.parameters = .owaspMinimum }
        if fault == .showsKey {
            record.sealed = random(8) + key.withBytes { bytes in bytes.indices.map { bytes[$0] } }
        }
        let kept = Hardware.Kept(
            key: fault == .losesKey ? SecretBytes(randomCount: 32) : key,
            passcode: bytes(passcode),
            context: context,
            record: record,
            isRecoverable: hasRecovery
        )
        hardware.state.withLock { $0.kept.append(kept) }
        return record
    }

    func readiness(of sealed: SealedKey, context: String) async throws(PasscodeSealerError) -> SealReadiness {
        if fault != .missingIsReady { try checkHardware() }
        if fault == .neverReady { return .triesExhausted }
        return hardware.state.withLock { state in
            guard let index = state.kept.firstIndex(where: { $0.record == sealed }) else { return .ready }
            if fault == .questionIsATry { state.kept[index].failures += 1 }
            return state.kept[index].failures >= Self.tryLimit && fault != .saysReady
                ? .triesExhausted : .ready
        }
    }

    func open(
        _ sealed: SealedKey,
        with passcode: SecretBytes,
        context: String
    ) async throws(PasscodeSealerError) -> SealOpening {
        try check(sealed)
        try checkLength(passcode)
        if hardware.state.withLock({ $0.isMissing }) {
            if fault == .missingIsWrong { return .wrongPasscode }
            if fault == .missingCounts { count(sealed) }
            try checkHardware()
        }
        if Task.isCancelled {
            if fault == .cancelledIsWrong { return .wrongPasscode }
            if fault == .cancelledDrops { hardware.state.withLock { $0.kept = [] } }
            throw PasscodeSealerError(code: .cancelled, message: "cancelled")
        }
        if fault == .mixesCalls {
            hardware.state.withLock { $0.under += 1 }
            for _ in 0..<50 { await Task.yield() }
            let isMixed = hardware.state.withLock { state in
                defer { state.under -= 1 }
                return state.under > 1
            }
            if isMixed { return .wrongPasscode }
        }
        if fault == .triesRace {
            let seen = hardware.state.withLock { state in
                state.kept.first { $0.record == sealed }.map(\.failures) ?? 0
            }
            for _ in 0..<50 { await Task.yield() }
            if seen < Self.tryLimit, bytes(passcode) != hardware.state.withLock({ $0.kept[0].passcode }) {
                hardware.state.withLock { $0.kept[0].failures += 1 }
                return .wrongPasscode
            }
        }
        let typed = bytes(passcode)
        return hardware.state.withLock { state in
            guard let index = state.kept.firstIndex(where: { isOf($0, sealed) }) else {
                return .wrongPasscode
            }
            if fault == .forgetsOthers, instance > 0 { return .wrongPasscode }
            let failures =
                fault == .countsTogether ? state.kept.map(\.failures).max() ?? 0 : state.kept[index].failures
            let isRight =
                (fault == .opensAnything || state.kept[index].passcode == typed)
                && (fault == .ignoresContext || state.kept[index].context == context)
            let isExhausted = failures >= Self.tryLimit
            if isExhausted, fault != .triesForEver, fault != .refusesWrongOnly || !isRight {
                return .triesExhausted
            }
            guard isRight else {
                if fault != .countsApart || instance == 0 { state.kept[index].failures += 1 }
                return .wrongPasscode
            }
            if fault != .neverResets { state.kept[index].failures = 0 }
            state.kept[index].openings += 1
            if fault == .opensOnce, state.kept[index].openings > 1 { return .wrongPasscode }
            return .opened(state.kept[index].key)
        }
    }

    private func count(_ sealed: SealedKey) {
        hardware.state.withLock { state in
            for index in state.kept.indices where state.kept[index].record == sealed {
                state.kept[index].failures += 1
            }
        }
    }

    private func isOf(_ kept: Hardware.Kept, _ sealed: SealedKey) -> Bool {
        var other = sealed
        if fault == .ignoresRecord { other.sealed = kept.record.sealed }
        if fault == .ignoresSalt { other.salt = kept.record.salt }
        if fault == .ignoresParameters { other.parameters = kept.record.parameters }
        if fault == .reusesSalt { other.salt = kept.record.salt }
        return other == kept.record
    }

    func check(_ sealed: SealedKey) throws(PasscodeSealerError) {
        guard sealed.algorithm == "faulty" || fault == .takesStrangers,
            sealed.format == 1 || fault == .takesNewer
        else {
            throw PasscodeSealerError(code: .unknownAlgorithm, message: "another sealer's")
        }
        guard sealed.parameters.isSane || fault == .takesInsane else {
            throw PasscodeSealerError(code: .refusedParameters, message: "not sane")
        }
        guard sealed.salt.count == 16 && sealed.sealed.count == 40 || fault == .takesAnyShape else {
            throw PasscodeSealerError(code: .malformed, message: "other sizes")
        }
    }

    func matches(
        _ passcode: SecretBytes,
        _ legacy: LegacyPasscodeHash
    ) async throws(PasscodeSealerError) -> Bool {
        if fault == .fitsAnyHash { return true }
        return passcode.matches(SecretBytes(copying: "834912".utf8))
            && (fault == .ignoresSaltText || legacy == .contract)
    }
}
