import PortcullisTesting

/// One way in which an authenticator can be wrong.
enum BiometricFault: CaseIterable {
    case none, nameless, ofNoKind, deniesOthers
    case promptsWhileOff, dropsKeysWhenOff, seesNobody, refusesByAnotherName
    case digestOfPrompts, digestOfKeys, sameDigest
    case losesKeysEnd, keepsKeyBack, ownReason, ownTitle
    case releasesWithoutMatch, errorInsteadOfOutcome, noMessage
    case userCancelFails, systemIsUser, passcodeCancels
    case neverLocksOut, locksOutUnsaid, lockOutEndsByTime, lockOutEndsByAsking, lockOutStays, countsOn
    case matchesCancelled, ignoresCancellation, cancelsAsUser, leavesPromptUp, promptsCancelled,
        cancelledTakesPlace, opensLate
    case secondGetsFirstsOutcome, secondGetsFirstsKey, secondEndsFirstAsUser, bothGiveWay
    case holdsUpQuestions, staysUpWhenOff
    case opensWithoutKey, keepsFirstKey, sharesKeys, foldsNames
    case forgetsNothing, forgetsAll, refusesUnknown, takesKeyAtStart
    case keepsKeysOverChange, looksAtStart, reopensEmpty, revivesKeys, reopensOverChange
    case failsButReplaces, hidesFailedEnroll, hidesFailedForget
    case tellsInErrors, tellsInDescription, tellsInMessages
    case losesEnrolments, losesPrompts, cancelledEnrollLies, cancelledForgetLies
    case swallowsHints, hintsLate

    /// The clause that is meant to catch it.
    var clause: BiometricAuthenticatorContract? {
        switch self {
        case .none: nil
        case .nameless, .ofNoKind, .deniesOthers: .available
        case .promptsWhileOff, .dropsKeysWhenOff: .switchedOff
        case .seesNobody, .refusesByAnotherName: .noneEnrolled
        case .digestOfPrompts, .digestOfKeys: .digestStays
        case .sameDigest: .digestChanges
        case .losesKeysEnd, .keepsKeyBack: .match
        case .ownReason, .ownTitle: .texts
        case .releasesWithoutMatch, .errorInsteadOfOutcome, .noMessage: .noMatch
        case .userCancelFails: .userCancels
        case .systemIsUser: .systemCancels
        case .passcodeCancels: .passcodeChosen
        case .neverLocksOut, .locksOutUnsaid: .lockOut
        case .lockOutEndsByTime, .lockOutEndsByAsking, .lockOutStays: .lockOutLasts
        case .countsOn: .countStartsAnew
        case .matchesCancelled, .ignoresCancellation, .cancelsAsUser, .leavesPromptUp: .taskCancelled
        case .promptsCancelled, .cancelledTakesPlace: .cancelledBefore
        case .opensLate: .lateMatch
        case .secondGetsFirstsOutcome, .secondGetsFirstsKey, .secondEndsFirstAsUser, .bothGiveWay: .twoPrompts
        case .holdsUpQuestions: .askedMeanwhile
        case .staysUpWhenOff: .switchedOffMeanwhile
        case .opensWithoutKey: .neverEnrolled
        case .keepsFirstKey: .enrolledAnew
        case .sharesKeys, .foldsNames: .usersApart
        case .forgetsNothing: .forgotten
        case .forgetsAll, .refusesUnknown: .forgetUnknown
        case .takesKeyAtStart: .forgottenMeanwhile
        case .keepsKeysOverChange: .enrolmentChanged
        case .looksAtStart: .changedMeanwhile
        case .reopensEmpty, .revivesKeys: .reopening
        case .reopensOverChange: .changedBeforeReopening
        case .failsButReplaces, .hidesFailedEnroll: .failedEnroll
        case .hidesFailedForget: .failedForget
        case .tellsInErrors, .tellsInDescription, .tellsInMessages: .nothingTold
        case .losesEnrolments: .concurrentEnrolments
        case .losesPrompts: .concurrentPrompts
        case .cancelledEnrollLies, .cancelledForgetLies: .cancelledCalls
        case .swallowsHints, .hintsLate: .hints
        }
    }

    /// How the finding ends where a prompt, or a question, is stuck; `nil`: nothing is.
    var stuck: String? {
        switch self {
        case .ignoresCancellation: "a prompt whose task was cancelled did not end"
        case .leavesPromptUp: "a prompt whose task was cancelled stays up"
        case .promptsCancelled: "a prompt whose task was cancelled before did not end"
        case .holdsUpQuestions: "has to wait for the prompt"
        case .losesPrompts: "prompts at once some did not end"
        case .swallowsHints: "a hint did not come"
        default: nil
        }
    }
}
