internal import PortcullisCore

/// The rules that every ``/PortcullisCore/BiometricAuthenticator`` must keep, as a list of clauses.
///
/// Any test framework can run the clauses, and so can a plain program. The subject of this example has no
/// ``BiometricAuthenticatorSubject/Reader``, so only the clauses that need no reader apply:
///
/// ```swift
/// @Test("X-3: keeps the contract", arguments: BiometricAuthenticatorContract.allCases)
/// func contract(_ clause: BiometricAuthenticatorContract) async throws {
///     try await clause.check(BiometricAuthenticatorSubject { .init(authenticator: MyAuthenticator()) })
/// }
/// ```
///
/// A ``BiometricAuthenticatorSubject/Reader`` reports which prompt is shown, and causes a match, a failure
/// and other events at that prompt. Most clauses need a reader.
public enum BiometricAuthenticatorContract: String, ContractClause {
    /// With a finger or face enrolled, biometrics are available and have a name and a symbol.
    case available = "B-01"
    /// Switched-off hardware is reported as not available. After it is switched on, it works as before.
    case switchedOff = "B-02"
    /// If no finger or face is enrolled, the state, a prompt and the enrolling of a key report that none is
    /// enrolled.
    case noneEnrolled = "B-03"
    /// The enrolment digest stays the same while no finger or face is added or removed.
    case digestStays = "B-04"
    /// The enrolment digest changes when a finger or face is added.
    case digestChanges = "B-05"
    /// A match is a success. If the authenticator keeps keys, the match also releases the user's key.
    case match = "B-06"
    /// The prompt shows the given reason and button title.
    case texts = "B-07"
    /// A prompt without a match ends with `failed`. A match at the next prompt is a success.
    case noMatch = "B-08"
    /// A prompt that the person cancels reports that the person cancelled it.
    case userCancels = "B-09"
    /// A prompt that the system cancels reports that the system cancelled it.
    case systemCancels = "B-10"
    /// The button for the passcode ends the prompt, which reports that the passcode was chosen.
    case passcodeChosen = "B-11"
    /// After too many failures in a row biometrics are locked out.
    case lockOut = "B-12"
    /// A lock-out lasts until the passcode is entered.
    case lockOutLasts = "B-13"
    /// A match resets the count of failures.
    case countStartsAnew = "B-14"
    /// If the task that asked for a prompt is cancelled, the prompt is removed and ends as cancelled by the
    /// app.
    case taskCancelled = "B-15"
    /// A task that was cancelled before it asks for a prompt gets no prompt. A prompt of another task stays.
    case cancelledBefore = "B-16"
    /// A match releases no key if the task was cancelled before the match.
    case lateMatch = "B-17"
    /// Two tasks ask for a prompt at once. Each prompt then releases the key of its own user, or ends as
    /// cancelled by the system.
    case twoPrompts = "B-18"
    /// The availability can be read while a prompt is shown.
    case askedMeanwhile = "B-19"
    /// Switching off the hardware ends a prompt without success.
    case switchedOffMeanwhile = "B-20"
    /// If a user has no key, a match is not a success.
    case neverEnrolled = "B-21"
    /// A second key of a user replaces the first key.
    case enrolledAnew = "B-22"
    /// Each user has a separate key. Deleting the key of one user keeps the keys of other users.
    case usersApart = "B-23"
    /// A deleted key is not released any more.
    case forgotten = "B-24"
    /// Deleting a key that does not exist does nothing.
    case forgetUnknown = "B-25"
    /// A key that is deleted while a prompt is shown is not released.
    case forgottenMeanwhile = "B-26"
    /// A key that was kept before a finger or face was added is not released any more.
    case enrolmentChanged = "B-27"
    /// A key is not released if a finger or face is added while the prompt is shown.
    case changedMeanwhile = "B-28"
    /// If keys outlive an authenticator, a new authenticator releases the keys that an earlier one kept.
    case reopening = "B-29"
    /// A key is not released if a finger or face was added before the next start of the app.
    case changedBeforeReopening = "B-30"
    /// If a key cannot be kept, the call throws an error, and the user's earlier key stays.
    case failedEnroll = "B-31"
    /// If a key cannot be deleted, the call throws an error, and the key can be deleted later.
    case failedForget = "B-32"
    /// No error, message or description contains the key.
    case nothingTold = "B-33"
    /// If many tasks enroll keys at once, every key is kept.
    case concurrentEnrolments = "B-34"
    /// If many tasks ask for a prompt at once, all prompts end. Each prompt releases its own user's key or no
    /// key.
    case concurrentPrompts = "B-35"
    /// A call by a cancelled task either takes effect or throws.
    case cancelledCalls = "B-36"
    /// Hints come in order while the prompt is shown. No hint comes after the prompt has ended.
    case hints = "B-37"

    /// Checks the clause on an authenticator.
    ///
    /// - Returns: ``ContractResult/kept``, or the reason why the clause does not apply.
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
