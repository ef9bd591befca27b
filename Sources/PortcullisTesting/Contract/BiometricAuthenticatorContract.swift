internal import PortcullisCore

/// The rules that every ``/PortcullisCore/BiometricAuthenticator`` must keep, as a list of clauses.
///
/// Any test framework can run the clauses, and so can a plain program. If no test can act at the reader, only the
/// clauses that need no reader apply:
///
/// ```swift
/// @Test("X-3: keeps the contract", arguments: BiometricAuthenticatorContract.allCases)
/// func contract(_ clause: BiometricAuthenticatorContract) async throws {
///     try await clause.check(BiometricAuthenticatorSubject { .init(authenticator: MyAuthenticator()) })
/// }
/// ```
///
/// All other clauses need a ``BiometricAuthenticatorSubject/Reader``. It tells which prompt is shown, and
/// causes a match, a failure and other events at it.
public enum BiometricAuthenticatorContract: String, ContractClause {
    /// The availability with a finger or face enrolled.
    case available = "B-01"
    /// Hardware that is switched off and on.
    case switchedOff = "B-02"
    /// The availability with no finger or face enrolled.
    case noneEnrolled = "B-03"
    /// A digest while the enrolled fingers and faces stay the same.
    case digestStays = "B-04"
    /// A digest after a finger or face was added.
    case digestChanges = "B-05"
    /// A match.
    case match = "B-06"
    /// The texts of the prompt.
    case texts = "B-07"
    /// A failure, and a match at the next prompt.
    case noMatch = "B-08"
    /// A prompt that the person cancels.
    case userCancels = "B-09"
    /// A prompt that the system cancels.
    case systemCancels = "B-10"
    /// A person who chooses the passcode instead.
    case passcodeChosen = "B-11"
    /// Failures in a row.
    case lockOut = "B-12"
    /// How long a lock-out lasts.
    case lockOutLasts = "B-13"
    /// Failures with a match between them.
    case countStartsAnew = "B-14"
    /// A task that is cancelled while its prompt is shown.
    case taskCancelled = "B-15"
    /// A task that is cancelled before its prompt is shown.
    case cancelledBefore = "B-16"
    /// A match after the task was cancelled.
    case lateMatch = "B-17"
    /// A second prompt while another one is shown.
    case twoPrompts = "B-18"
    /// A call of `availability` while a prompt is shown.
    case askedMeanwhile = "B-19"
    /// Hardware that is switched off while a prompt is shown.
    case switchedOffMeanwhile = "B-20"
    /// A match of a user without a key.
    case neverEnrolled = "B-21"
    /// A second key for the same user.
    case enrolledAnew = "B-22"
    /// Keys of several users.
    case usersApart = "B-23"
    /// A key that was deleted.
    case forgotten = "B-24"
    /// Deleting a key that does not exist.
    case forgetUnknown = "B-25"
    /// A key that is deleted while a prompt is shown.
    case forgottenMeanwhile = "B-26"
    /// A key whose user added a finger or face later.
    case enrolmentChanged = "B-27"
    /// A finger or face that is added while a prompt is shown.
    case changedMeanwhile = "B-28"
    /// A key after the next start of the app.
    case reopening = "B-29"
    /// A finger or face that was added before the next start of the app.
    case changedBeforeReopening = "B-30"
    /// A key that could not be kept.
    case failedEnroll = "B-31"
    /// A key that could not be deleted.
    case failedForget = "B-32"
    /// The texts of errors, messages and descriptions.
    case nothingTold = "B-33"
    /// Keys that many tasks enroll at once.
    case concurrentEnrolments = "B-34"
    /// Prompts of many tasks at once.
    case concurrentPrompts = "B-35"
    /// Calls of cancelled tasks.
    case cancelledCalls = "B-36"
    /// The reader's hints to the person.
    case hints = "B-37"

    /// Checks the clause on an authenticator.
    ///
    /// - Returns: that the authenticator keeps the clause, or why the clause does not apply.
    /// - Throws: ``ContractViolation`` when the authenticator does not keep the clause.
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
