internal import PortcullisCore

extension BiometricAuthenticatorContract {
    /// The clause's requirement in one sentence.
    public var prose: String {
        switch self {
        case .available:
            "with a finger or face enrolled it is available, and its kind has a name and a symbol"
        case .switchedOff:
            "switched off, the state, a prompt and enrolling say not available; switched on, all is as before"
        case .noneEnrolled: "with none enrolled, the state, a prompt and enrolling say so"
        case .digestStays:
            "the digest stays the same through prompts, keys and switching off as long as none comes or goes"
        case .digestChanges: "the digest is another once one was added"
        case .match:
            "a match is a success, with the key whole where it releases one, and without where it asserts"
        case .texts: "the prompt shows the reason and the title of the button as they were given"
        case .noMatch: "a failure ends in failed, with a message, and the next match is a success"
        case .userCancels: "a prompt that the person takes away ends in cancelled by the user"
        case .systemCancels: "a prompt that the system takes away ends in cancelled by the system"
        case .passcodeChosen: "the button for the passcode ends the prompt in passcode chosen"
        case .lockOut: "failures in a row lock it out; the state and prompts say so, and no prompt is shown"
        case .lockOutLasts:
            "a lock-out lasts, whatever is asked and however long, until the passcode was entered"
        case .countStartsAnew: "a match starts the count of failures anew"
        case .taskCancelled:
            "cancelling the task takes the prompt away, and soon ends in cancelled by the app; the next one is as any"
        case .cancelledBefore:
            "a prompt of a task that was cancelled before ends in cancelled by the app, and leaves one that is up alone"
        case .lateMatch: "a match that comes after the cancellation opens nothing"
        case .twoPrompts:
            "of two prompts at once each match opens one, with its user's key; one that gives way ends by the system"
        case .askedMeanwhile: "a prompt that is up holds up no caller who asks what is available"
        case .switchedOffMeanwhile: "a prompt that is up when it is switched off ends, and opens nothing"
        case .neverEnrolled: "a match of a user for whom no key was given is no success"
        case .enrolledAnew: "a key that is given anew takes the place of the user's earlier one"
        case .usersApart: "each user gets the own key, and dropping one leaves the others"
        case .forgotten: "a key that was dropped is not released any more, and a new one can be given"
        case .forgetUnknown: "dropping where nothing is kept does nothing, and is no error"
        case .forgottenMeanwhile: "a key that is dropped while the prompt is up is not released"
        case .enrolmentChanged:
            "after another one was enrolled no key given before is released; one given anew is"
        case .changedMeanwhile: "a key is not released when one was enrolled while the prompt was up"
        case .reopening: "one that is made anew releases what was kept, and nothing that was dropped"
        case .changedBeforeReopening:
            "one that is made anew releases no key when one was enrolled meanwhile"
        case .failedEnroll:
            "a key that could not be kept is an error, and the one kept before is still released"
        case .failedForget: "a key that could not be dropped is an error, and can be dropped again"
        case .nothingTold: "no error, message or description tells the key"
        case .concurrentEnrolments: "keys that are given by many tasks at once are each kept for their user"
        case .concurrentPrompts: "prompts from many tasks at once all end, none with another's match or key"
        case .cancelledCalls:
            "a cancelled task's call that keeps or drops a key either takes effect or throws"
        case .hints: "hints come while the prompt is up, in order, and none after its end"
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
