internal import PortcullisCore

/// What every ``/PortcullisCore/BiometricAuthenticator`` keeps, clause by clause.
///
/// Run it from any test framework, or from none. An authenticator whose reader no test can stand at is checked for what
/// can be seen without:
///
/// ```swift
/// @Test("X-3: keeps the contract", arguments: BiometricAuthenticatorContract.allCases)
/// func contract(_ clause: BiometricAuthenticatorContract) async throws {
///     try await clause.check(BiometricAuthenticatorSubject { .init(authenticator: MyAuthenticator()) })
/// }
/// ```
///
/// The rest needs a ``BiometricAuthenticatorSubject/Reader``: it tells which prompt is up, and lets a match, a failure
/// and the like happen at it.
public enum BiometricAuthenticatorContract: String, ContractClause {
    /// What there is.
    case available = "B-01"
    /// Hardware that is switched off and on.
    case switchedOff = "B-02"
    /// No finger or face enrolled.
    case noneEnrolled = "B-03"
    /// A digest while the enrolled fingers and faces stay the same.
    case digestStays = "B-04"
    /// A digest after a finger or face was added.
    case digestChanges = "B-05"
    /// The person shows up.
    case match = "B-06"
    /// What the prompt says.
    case texts = "B-07"
    /// Another person shows up.
    case noMatch = "B-08"
    /// A prompt that the person takes away.
    case userCancels = "B-09"
    /// A prompt that the system takes away.
    case systemCancels = "B-10"
    /// The passcode instead.
    case passcodeChosen = "B-11"
    /// Failures in a row.
    case lockOut = "B-12"
    /// How long a lock-out lasts.
    case lockOutLasts = "B-13"
    /// Failures with a match between them.
    case countStartsAnew = "B-14"
    /// A task that is cancelled while its prompt is up.
    case taskCancelled = "B-15"
    /// A task that is cancelled before its prompt comes.
    case cancelledBefore = "B-16"
    /// A match that comes after the cancellation.
    case lateMatch = "B-17"
    /// A second prompt while one is up.
    case twoPrompts = "B-18"
    /// A question while a prompt is up.
    case askedMeanwhile = "B-19"
    /// Hardware that is switched off while a prompt is up.
    case switchedOffMeanwhile = "B-20"
    /// A user for whom no key was given.
    case neverEnrolled = "B-21"
    /// Another key for the same user.
    case enrolledAnew = "B-22"
    /// Keys of several users.
    case usersApart = "B-23"
    /// A key that was dropped.
    case forgotten = "B-24"
    /// Dropping where nothing is kept.
    case forgetUnknown = "B-25"
    /// A key that is dropped while a prompt is up.
    case forgottenMeanwhile = "B-26"
    /// A key after a finger or face was added.
    case enrolmentChanged = "B-27"
    /// A finger or face that is added while a prompt is up.
    case changedMeanwhile = "B-28"
    /// A key at the next start.
    case reopening = "B-29"
    /// A finger or face that was added before the next start.
    case changedBeforeReopening = "B-30"
    /// A key that could not be kept.
    case failedEnroll = "B-31"
    /// A key that could not be dropped.
    case failedForget = "B-32"
    /// What errors, messages and descriptions say.
    case nothingTold = "B-33"
    /// Keys from many tasks.
    case concurrentEnrolments = "B-34"
    /// Prompts from many tasks.
    case concurrentPrompts = "B-35"
    /// Calls of cancelled tasks.
    case cancelledCalls = "B-36"
    /// What the reader asks the person to do.
    case hints = "B-37"

    /// Checks the clause on an authenticator.
    ///
    /// - Returns: that it is kept, or why it does not apply.
    /// - Throws: ``ContractViolation`` when it is not kept.
    @discardableResult
    public func check(
        _ subject: BiometricAuthenticatorSubject
    ) async throws(ContractViolation) -> ContractResult {
        try await judge {
            let probe = try await BiometricAuthenticatorProbe(subject)
            if let reason = reasonNotToApply(to: probe) { return .notApplicable(reason) }
            try await run(probe)
            return .kept
        }
    }

    private func run(_ probe: BiometricAuthenticatorProbe) async throws {
        switch self {
        case .available: try await probe.checkAvailable()
        case .switchedOff: try await probe.checkSwitchedOff()
        case .noneEnrolled: try await probe.checkNoneEnrolled()
        case .digestStays: try await probe.checkDigestStays()
        case .digestChanges: try await probe.checkDigestChanges()
        case .match: try await probe.checkMatch()
        case .texts: try await probe.checkTexts()
        case .noMatch: try await probe.checkNoMatch()
        case .userCancels: try await probe.checkCancelled(.userCancels, by: .user)
        case .systemCancels: try await probe.checkCancelled(.systemCancels, by: .system)
        case .passcodeChosen: try await probe.checkPasscodeChosen()
        case .lockOut: try await probe.checkLockOut()
        case .lockOutLasts: try await probe.checkLockOutLasts()
        case .countStartsAnew: try await probe.checkCountStartsAnew()
        case .taskCancelled: try await probe.checkTaskCancelled()
        case .cancelledBefore: try await probe.checkCancelledBefore()
        case .lateMatch: try await probe.checkLateMatch()
        case .twoPrompts: try await probe.checkTwoPrompts()
        case .askedMeanwhile: try await probe.checkAskedMeanwhile()
        case .switchedOffMeanwhile: try await probe.checkSwitchedOffMeanwhile()
        case .neverEnrolled: try await probe.checkNeverEnrolled()
        case .enrolledAnew: try await probe.checkEnrolledAnew()
        case .usersApart: try await probe.checkUsersApart()
        case .forgotten: try await probe.checkForgotten()
        case .forgetUnknown: try await probe.checkForgetUnknown()
        case .forgottenMeanwhile: try await probe.checkForgottenMeanwhile()
        case .enrolmentChanged: try await probe.checkEnrolmentChanged()
        case .changedMeanwhile: try await probe.checkChangedMeanwhile()
        case .reopening: try await probe.checkReopening()
        case .changedBeforeReopening: try await probe.checkChangedBeforeReopening()
        case .failedEnroll: try await probe.checkFailedEnroll()
        case .failedForget: try await probe.checkFailedForget()
        case .nothingTold: try await probe.checkNothingTold()
        case .concurrentEnrolments: try await probe.checkConcurrentEnrolments()
        case .concurrentPrompts: try await probe.checkConcurrentPrompts()
        case .cancelledCalls: try await probe.checkCancelledCalls()
        case .hints: try await probe.checkHints()
        }
    }
}
