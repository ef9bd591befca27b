internal import GoalLock
internal import PortcullisCore

extension ToolFailure {
    /// An error of the goal lock.
    init(_ error: GoalError) {
        if let cause = error.cause as? SecretStoreError, let failure = ToolFailure(cause as any Error) {
            self = failure
            return
        }
        if let cause = error.cause as? ShieldError {
            self.init(cause)
            return
        }
        let exit: ToolExit =
            switch error.code {
            case .invalidGoal, .invalidProgress, .invalidDayStart: .usage
            case .damagedRecord, .damagedGuardian: .damaged
            case .newerRecord: .newerFormat
            default: .refused
            }
        self.init(error.message, exit)
    }

    /// An error of the shield.
    init(_ error: ShieldError) {
        if let cause = error.cause as? SecretStoreError, let failure = ToolFailure(cause as any Error) {
            self = failure
            return
        }
        self.init(error.message, error.code == .stateUnreadable ? .damaged : .refused)
    }
}
