internal import PortcullisCore

extension BiometricAuthenticatorContract {
    /// The clause's requirement in one sentence.
    public var prose: String {
        switch self {
        case .available:
            "if a finger or face is enrolled, the device is available, and its kind has a name and a symbol"
        case .switchedOff:
            "when switched off, the state, a prompt and enrolling report notAvailable; switching on restores all"
        case .noneEnrolled: "with no finger or face enrolled, the state, a prompt and enrolling report that"
        case .digestStays:
            "the digest changes neither by prompts, nor by keys, nor by switching off, as long as the enrolment is the same"
        case .digestChanges: "the digest changes when a finger or face is added"
        case .match:
            "a match is a success; it has the whole key if the device releases keys, and no key if it only asserts"
        case .texts: "the prompt shows the given reason and the given title of the button"
        case .noMatch:
            "a failed prompt ends in failed, with a message, and a match in the next prompt is a success"
        case .userCancels: "a prompt that the person cancels ends in cancelled by the user"
        case .systemCancels: "a prompt that the system cancels ends in cancelled by the system"
        case .passcodeChosen: "the passcode button ends the prompt in passcode chosen"
        case .lockOut:
            "several failures in a row lock the device out; the state and prompts report that, and no prompt is shown"
        case .lockOutLasts:
            "a lock-out lasts until the passcode was entered, whatever is called and however long it takes"
        case .countStartsAnew: "a match resets the count of failures"
        case .taskCancelled:
            "cancelling the task ends the prompt soon, in cancelled by the app, and does not affect the next prompt"
        case .cancelledBefore:
            "a prompt of a task that is already cancelled ends in cancelled by the app, and does not affect a shown prompt"
        case .lateMatch: "a match after the cancellation is no success"
        case .twoPrompts:
            "of two prompts at once each match is a success of one, with its user's key; a prompt that gives way is cancelled by the system"
        case .askedMeanwhile: "a shown prompt does not delay a call for the state"
        case .switchedOffMeanwhile:
            "a prompt that is shown when the device is switched off ends without success"
        case .neverEnrolled: "a match for a user without a key is no success"
        case .enrolledAnew: "enrolling a user's key again replaces the earlier key"
        case .usersApart: "each user gets the own key, and removing one user's key keeps the others"
        case .forgotten: "a removed key is not released any more, and a new key can be enrolled"
        case .forgetUnknown: "removing the key of a user who has none does nothing, and is no error"
        case .forgottenMeanwhile: "a key that is removed while the prompt is shown is not released"
        case .enrolmentChanged:
            "after a finger or face was added no earlier key is released, and a key that is enrolled again is"
        case .changedMeanwhile:
            "a key is not released if a finger or face was added while the prompt was shown"
        case .reopening: "a new instance releases the enrolled keys, and no removed key"
        case .changedBeforeReopening:
            "a new instance releases no key if a finger or face was added before it was made"
        case .failedEnroll: "failing to store a key is an error, and the earlier key is still released"
        case .failedForget: "failing to remove a key is an error, and the key can be removed by another call"
        case .nothingTold: "no error, message or description shows the key"
        case .concurrentEnrolments: "of keys that many tasks enrol at once, each is stored for its user"
        case .concurrentPrompts:
            "prompts of many tasks at once all end, none with the match or the key of another"
        case .cancelledCalls:
            "a cancelled task's call that stores or removes a key either takes effect or throws"
        case .hints: "hints come in order while the prompt is shown, and none after its end"
        }
    }

    /// The reason why the clause does not apply: the authenticator lacks a feature, or the test cannot cause
    /// an event. If the clause applies, the result is `nil`.
    func reasonNotToApply(to probe: BiometricAuthenticatorProbe) -> String? {
        let missing = events.subtracting(probe.place.reader?.events ?? []).map(\.rawValue).sorted()
        if let missing = missing.first { return "\(missing) cannot be brought about in a test" }
        if needsKey, probe.binding == .assertion { return "it asserts and releases no key" }
        return reasonOfPlace(probe)
    }

    private func reasonOfPlace(_ probe: BiometricAuthenticatorProbe) -> String? {
        let place = probe.place
        switch self {
        case .switchedOff, .switchedOffMeanwhile:
            return place.setSwitchedOn == nil ? "it cannot be switched off in a test" : nil
        case .noneEnrolled:
            return place.clearEnrolment == nil ? "none can be taken away in a test" : nil
        case .digestStays: return probe.digestAtFirst == nil ? "it does not tell who is enrolled" : nil
        case .digestChanges where probe.digestAtFirst == nil: return "it does not tell who is enrolled"
        case .digestChanges, .enrolmentChanged, .changedMeanwhile, .changedBeforeReopening:
            if place.changeEnrolment == nil { return "none can be enrolled in a test" }
            if self == .changedBeforeReopening, place.reopen == nil { return "it is not made anew" }
            return nil
        case .lockOut, .lockOutLasts, .countStartsAnew:
            return place.reader?.failuresToLockOut == nil ? "it is not locked out in a test" : nil
        case .reopening: return place.reopen == nil ? "it is not made anew" : nil
        case .failedEnroll, .failedForget:
            return place.failNext == nil ? "it cannot be made to fail in a test" : nil
        case .hints: return place.reader?.give == nil ? "no hints can be brought about in a test" : nil
        default: return nil
        }
    }

    /// The events that the test must cause at a prompt to check the clause.
    private var events: Set<BiometricAuthenticatorSubject.PromptEvent> {
        switch self {
        case .available, .switchedOff, .noneEnrolled, .digestChanges, .forgetUnknown: []
        case .digestStays, .noMatch, .countStartsAnew: [.match, .noMatch]
        case .lockOut, .lockOutLasts: [.match, .noMatch]
        case .userCancels: [.match, .userCancels]
        case .systemCancels: [.match, .systemCancels]
        case .passcodeChosen: [.match, .choosesPasscode]
        default: [.match]
        }
    }

    /// Whether the clause applies only to authenticators that keep keys.
    private var needsKey: Bool {
        switch self {
        case .neverEnrolled, .enrolledAnew, .usersApart, .forgotten, .forgottenMeanwhile: true
        case .enrolmentChanged, .changedMeanwhile, .reopening, .changedBeforeReopening: true
        case .failedEnroll, .failedForget, .concurrentEnrolments, .cancelledCalls: true
        default: false
        }
    }
}
