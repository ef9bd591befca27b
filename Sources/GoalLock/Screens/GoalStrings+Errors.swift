public import PortcullisCore

extension GoalStrings {
    /// The text that describes an error to a person. It depends on the codes of the error and its cause. The
    /// error's own message is not shown, because it is in one language and for developers.
    public func text(_ error: GoalError) -> String {
        switch error.code {
        case .invalidGoal: goalInvalid
        case .invalidProgress: progressInvalid
        case .invalidDayStart: dayStartInvalid
        case .damagedRecord, .damagedGuardian: stateDamaged
        case .newerRecord: stateNewer
        case .store: text(store: (error.cause as? SecretStoreError)?.code.portable)
        case .shield: (error.cause as? ShieldError)?.code == .notAuthorized ? revoked : shieldFailed
        case .scheduler: schedulerFailed
        case .notifier: notifierFailed
        default: storeFailed
        }
    }

    private func text(store code: SecretStoreError.Code?) -> String {
        switch code {
        case .diskFull: storeFull
        case .notPermitted, .readOnly: storeNotPermitted
        case .lockTimeout: storeBusy
        case .damaged, .rolledBack: stateDamaged
        case .classLocked, .wrongKey: storeLocked
        case .newerFormat: stateNewer
        case .unreachable, .timedOut: storeUnreachable
        case .durabilityUnknown, .outcomeUnknown: storeUncertain
        default: storeFailed
        }
    }
}
