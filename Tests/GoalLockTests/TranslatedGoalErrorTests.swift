import GoalLock
import LockScreens
import PortcullisCore
import PortcullisTesting
import Testing

/// Every text about an error is one that only a translation has; what a person reads comes from there.
@Suite("A translated app tells the goal lock's errors in its own words", .timeLimit(.minutes(5)))
@MainActor
struct TranslatedGoalErrorTests {
    private let words = "words of the error"
    private let strings: GoalStrings

    init() {
        var strings = GoalStrings.english
        let texts: [WritableKeyPath<GoalStrings, String>] = [
            \.goalInvalid, \.progressInvalid, \.dayStartInvalid, \.stateDamaged, \.stateNewer, \.storeFailed,
            \.storeFull, \.storeNotPermitted, \.storeBusy, \.storeLocked, \.storeUnreachable,
            \.storeUncertain,
            \.shieldFailed, \.schedulerFailed, \.notifierFailed, \.revoked,
        ]
        for (number, text) in texts.enumerated() { strings[keyPath: text] = "«\(number)»" }
        self.strings = strings
    }

    @Test("A-11: no code of an error is told in the error's own words, and each in those that fit it")
    func allCodes() {
        let stores: [(SecretStoreError.Code, String)] = [
            (.diskFull, strings.storeFull), (.notPermitted, strings.storeNotPermitted),
            (.readOnly, strings.storeNotPermitted),
            (.lockTimeout, strings.storeBusy), (.damaged, strings.stateDamaged),
            (.rolledBack, strings.stateDamaged), (.classLocked, strings.storeLocked),
            (.wrongKey, strings.storeLocked),
            (.newerFormat, strings.stateNewer), (.unreachable, strings.storeUnreachable),
            (.timedOut, strings.storeUnreachable), (.durabilityUnknown, strings.storeUncertain),
            (.outcomeUnknown, strings.storeUncertain), (.closed, strings.storeFailed),
            (.systemFailure, strings.storeFailed), (.init("exampleStore.odd"), strings.storeFailed),
            (.init("exampleStore.quota", like: .diskFull), strings.storeFull),
        ]
        for (code, text) in stores {
            let cause = SecretStoreError(code: code, message: words)
            #expect(strings.text(GoalError(code: .store, message: words, cause: cause)) == text, "\(code)")
        }
        let others: [(GoalError.Code, (any Error)?, String)] = [
            (.invalidGoal, nil, strings.goalInvalid), (.invalidProgress, nil, strings.progressInvalid),
            (.invalidDayStart, nil, strings.dayStartInvalid), (.damagedRecord, nil, strings.stateDamaged),
            (.newerRecord, nil, strings.stateNewer), (.store, nil, strings.storeFailed),
            (.shield, nil, strings.shieldFailed),
            (.shield, ShieldError(code: .systemFailure, message: words), strings.shieldFailed),
            (.shield, ShieldError(code: .notAuthorized, message: words), strings.revoked),
            (.scheduler, nil, strings.schedulerFailed), (.notifier, nil, strings.notifierFailed),
            (.init("another"), nil, strings.storeFailed),
        ]
        for (code, cause, text) in others {
            #expect(strings.text(GoalError(code: code, message: words, cause: cause)) == text, "\(code)")
        }
    }

    @Test("A-11: the settings")
    func settings() async throws {
        let bench = ServiceBench()
        _ = try await bench.enabled()
        let store = FailingSecretStore(InMemorySecretStore(bench.storage))
        let service = try bench.service(store: store, strings: strings)
        let settings = GoalScreenEffects(service: service, clock: bench.clock)
            .settings(pick: { _, _ in nil }, openPaywall: {}, finish: {})
        store.failNext(.read, with: SecretStoreError(code: .notPermitted, message: words))
        settings.handle(.appeared)
        try await BoundedWait.until { settings.content.message != nil && !settings.content.isBusy }
        #expect(settings.content.message?.text == strings.storeNotPermitted)
    }
}
