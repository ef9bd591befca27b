internal import GoalLock
internal import PortcullisCore
internal import ProcessShield
internal import ProgressSources

extension ToolFailure {
    /// Makes the failure for an error of the goal lock.
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

    /// Makes the failure for a source of progress that cannot be used.
    init(_ error: ProgressSourceError) {
        if error.code == .rootCommand {
            self.init("\(error.message): name an ordinary user with --account", .usage)
        } else {
            self.init("\(error.message)\(error.cause.map { ": \($0)" } ?? "")", .refused)
        }
    }

    /// Makes the failure for the name of an app or category that is unknown or cannot be shut.
    init(_ error: ShieldNameError) {
        let (mark, listed) = error.standing == .unknown ? (":", "there is") : (";", "can be")
        self.init("\(error.text)\(mark) `portcullis focus apps` lists what \(listed)", .usage)
    }

    /// Makes the failure for an error of the shield.
    init(_ error: ShieldError) {
        if let cause = error.cause as? SecretStoreError, let failure = ToolFailure(cause as any Error) {
            self = failure
            return
        }
        self.init(error.message, error.code == .stateUnreadable ? .damaged : .refused)
    }
}
