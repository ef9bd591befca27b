public import PortcullisCore

extension GoalStrings {
    /// What a person is told of an error: made from its code and its cause's, never from a message, which is in one
    /// language and for developers.
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
