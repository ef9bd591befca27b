internal import GoalLock
internal import Logging
internal import PasscodeLock
internal import PortcullisCore

/// An event in the form for a log and a counter.
struct AuditEntry {
    /// The event's name. The set of names is small and fixed, because a counter has one value for each name.
    var name: String
    var level = Logger.Level.info
    var details: Logger.Metadata = [:]
}

extension PasscodeEvent.Kind {
    var entry: AuditEntry {
        switch self {
        case .tried: AuditEntry(name: "tried", level: .debug)
        case .right: AuditEntry(name: "right")
        case .wrong(let failures, let retryAfter):
            AuditEntry(
                name: "wrong",
                level: .warning,
                details: ["failures": "\(failures)", "retry-after": "\(retryAfter.components.seconds)"]
            )
        case .throttled(let retryAfter):
            AuditEntry(
                name: "throttled",
                level: .warning,
                details: ["retry-after": "\(retryAfter.components.seconds)"]
            )
        case .limitReached(let action):
            AuditEntry(name: "limit-reached", level: .error, details: ["action": "\(action.rawValue)"])
        case .triesExhausted: AuditEntry(name: "tries-exhausted", level: .error)
        case .locked: AuditEntry(name: "locked")
        case .unlocked(let method): AuditEntry(name: "unlocked", details: ["by": "\(method)"])
        case .set: AuditEntry(name: "set", level: .notice)
        case .changed: AuditEntry(name: "changed", level: .notice)
        case .reset: AuditEntry(name: "reset", level: .notice)
        case .removed: AuditEntry(name: "removed", level: .notice)
        case .biometricsEnabled: AuditEntry(name: "biometrics-enabled", level: .notice)
        case .biometricsDisabled: AuditEntry(name: "biometrics-disabled", level: .notice)
        case .failed(let act, let code):
            AuditEntry(name: "failed", level: .error, details: ["act": "\(act)", "code": "\(code)"])
        }
    }
}

extension GoalEvent.Kind {
    var entry: AuditEntry {
        switch self {
        case .enabled: AuditEntry(name: "enabled", level: .notice)
        case .disabled: AuditEntry(name: "disabled", level: .notice)
        case .shielded: AuditEntry(name: "shielded")
        case .lifted(let reason): AuditEntry(name: "lifted", details: ["reason": "\(reason)"])
        case .dayBegan(let date): AuditEntry(name: "day-began", details: ["date": "\(date)"])
        case .goalChanged(let goal): AuditEntry(name: "goal-changed", details: ["goal": "\(goal)"])
        case .selectionChanged(let apps, let categories):
            AuditEntry(
                name: "selection-changed",
                details: ["apps": "\(apps)", "categories": "\(categories)"]
            )
        case .dayStartChanged(let time): AuditEntry(name: "day-start-changed", details: ["time": "\(time)"])
        case .progressLost: AuditEntry(name: "progress-lost", level: .warning)
        case .progressFound: AuditEntry(name: "progress-found")
        case .failed(let code): AuditEntry(name: "failed", level: .error, details: ["code": "\(code)"])
        }
    }
}
