internal import PortcullisCore

/// The rules that every ``/PortcullisCore/PasscodeAccount`` must keep, as a list of clauses. The clauses
/// check the adapter and the server together.
///
/// Any test framework can run the clauses, and so can a plain program:
///
/// ```swift
/// @Test("X-3: keeps the contract", arguments: PasscodeAccountContract.allCases)
/// func contract(_ clause: PasscodeAccountContract) async throws {
///     try await clause.check(PasscodeAccountSubject { .init(account: try await signIn()) })
/// }
/// ```
public enum PasscodeAccountContract: String, ContractClause {
    /// An account without a passcode reports in every reply that it has none.
    case nothingAtFirst = "AC-01"
    /// The first passcode is accepted, and the status shows its revision.
    case sets = "AC-02"
    /// Setting a first passcode changes nothing if the account already has a passcode.
    case setsOnce = "AC-03"
    /// If a first passcode is sent twice with the same revision, it is set once.
    case repeatsSet = "AC-04"
    /// After a change the new passcode is right, and the old passcode is wrong.
    case changes = "AC-05"
    /// A change with a wrong passcode counts as a try and changes nothing.
    case refusesChange = "AC-06"
    /// If a change is sent twice with the same revision, it is made once.
    case repeatsChange = "AC-07"
    /// All requests that contain a passcode share one count of wrong passcodes.
    case countsAll = "AC-08"
    /// A right passcode clears the count of wrong passcodes.
    case clearsCount = "AC-09"
    /// Too many wrong passcodes start a delay, in which no passcode is checked.
    case throttles = "AC-10"
    /// If many tasks send wrong passcodes at once, all of them are counted.
    case countsConcurrent = "AC-11"
    /// Switching the passcode off removes the passcode, and the status shows the given revision.
    case switchesOff = "AC-12"
    /// Switching off with a wrong passcode counts as a try and changes nothing.
    case refusesSwitchOff = "AC-13"
    /// The status shows the timeout that was set last. Setting a timeout does not change the revision.
    case keepsTimeout = "AC-14"
    /// An invalid timeout is refused and changes nothing.
    case refusesTimeout = "AC-15"
    /// A passcode of a wrong format is refused and does not count as a try.
    case refusesFormat = "AC-16"
    /// A mailed code sets another passcode and clears the count of wrong passcodes.
    case resets = "AC-17"
    /// A code that was not mailed sets no passcode.
    case refusesCode = "AC-18"
    /// A code sets a passcode only once.
    case codeOnce = "AC-19"
    /// After five wrong codes even the right code sets no passcode.
    case codeTries = "AC-20"
    /// After fifteen minutes a code sets no passcode.
    case codeExpires = "AC-21"
    /// A code works only with the request that it was mailed for.
    case codeReplaced = "AC-22"
    /// Too many requests for a code are throttled.
    case limitsRequests = "AC-23"
    /// If many tasks use the same reset code at once, only one reset takes place.
    case concurrentResets = "AC-24"
    /// Without a session every call throws, and nothing changes.
    case signedOut = "AC-25"
    /// If the server cannot be reached, every call reports that the server is unreachable.
    case unreachable = "AC-26"
    /// If the reply is lost, a call that sets, changes or verifies a passcode reports an unknown outcome. The
    /// status then shows whether the passcode was set or changed.
    case lostAnswers = "AC-27"
    /// If the server fails, every call reports a failure of the server and changes nothing.
    case serverFailure = "AC-28"
    /// A call by a cancelled task takes effect, throws `outcomeUnknown`, or throws `cancelled` and changes
    /// nothing.
    case cancelledCalls = "AC-29"
    /// If an administrator disables passcodes, the status shows that passcodes are disabled, and no passcode
    /// can be set.
    case disabled = "AC-30"
    /// Another device of the person sees every change.
    case shares = "AC-31"
    /// If many tasks set a first passcode at once, only one of the passcodes is set.
    case concurrentSets = "AC-32"

    /// The clause's requirement in one sentence.
    public var prose: String {
        switch self {
        case .nothingAtFirst: "without a passcode the status and each call report that there is none"
        case .sets: "after setting, the passcode is right, others are wrong, and the status has the revision"
        case .setsOnce: "if there is a passcode, setting reports that and changes nothing"
        case .repeatsSet: "a setting that is sent again with its revision is answered like the first one"
        case .changes:
            "after a change the new passcode is right, the old one is wrong, and the status has the revision"
        case .refusesChange: "a change with a wrong passcode is counted as a try and changes nothing else"
        case .repeatsChange: "a change that is sent again with its revision is answered like the first one"
        case .countsAll: "wrong passcodes of verifying, changing and switching off share one count"
        case .clearsCount: "a right passcode resets the count"
        case .throttles: "too many wrong passcodes cause a delay, during which no passcode is checked"
        case .countsConcurrent: "wrong passcodes that are sent at once are each counted"
        case .switchesOff: "after switching off there is no passcode, and the status has the given revision"
        case .refusesSwitchOff:
            "switching off with a wrong passcode is counted as a try and changes nothing else"
        case .keepsTimeout:
            "the status has the timeout that was stored last, and storing it makes no new revision"
        case .refusesTimeout: "an invalid timeout is refused and changes nothing"
        case .refusesFormat:
            "a passcode of a format that is not accepted is refused, and is not counted as a try"
        case .resets: "a mailed code sets another passcode and resets the count"
        case .refusesCode: "a code that was not mailed sets no passcode"
        case .codeOnce: "a code sets a passcode once only"
        case .codeTries: "after five tries the right code sets no passcode"
        case .codeExpires: "after fifteen minutes a code sets no passcode"
        case .codeReplaced: "a code sets no passcode with another request than its own"
        case .limitsRequests: "too many requests for a code are delayed, with the time to wait"
        case .concurrentResets: "of many resets at once with one code, one succeeds"
        case .signedOut: "without a session every call reports that, and nothing changes"
        case .unreachable: "without a connection every call reports that"
        case .lostAnswers:
            "a change whose answer is lost is reported as of unknown outcome, and the status shows the outcome"
        case .serverFailure: "a failure of the server is reported as such, and nothing has changed"
        case .cancelledCalls: "a cancelled task's call either takes effect or throws an error that is true"
        case .disabled:
            "if the administrator has switched passcodes off, the status shows that, and no passcode can be set"
        case .shares: "another device of the person sees what one device has changed"
        case .concurrentSets: "of several first passcodes at once, one is set"
        }
    }

    /// Checks the clause on an account.
    ///
    /// - Returns: ``ContractResult/kept``, or the reason why the clause does not apply.
    /// - Throws: ``ContractViolation`` when the account does not keep the clause.
    @discardableResult
    public func check(_ subject: PasscodeAccountSubject) async throws(ContractViolation) -> ContractResult {
        try await judge {
            let probe = PasscodeAccountProbe(try await subject.makePlace())
            if let reason = reasonNotToApply(to: probe.place) { return .notApplicable(reason) }
            try await run(probe)
            return .kept
        }
    }

    private func reasonNotToApply(to place: PasscodeAccountSubject.Place) -> String? {
        switch self {
        case .resets, .refusesCode, .codeOnce, .codeTries, .codeReplaced, .concurrentResets:
            place.mailedCode == nil ? "mail cannot be read in a test" : nil
        case .codeExpires:
            place.mailedCode == nil || place.advance == nil ? "mail cannot be read, or time not passed" : nil
        case .signedOut: place.endSession == nil ? "the session cannot be ended in a test" : nil
        case .unreachable, .lostAnswers, .serverFailure:
            place.inflict == nil ? "the line cannot be disturbed in a test" : nil
        case .disabled: place.disable == nil ? "there is no administrator in a test" : nil
        case .shares: place.other == nil ? "there is one device only" : nil
        default: nil
        }
    }

    private func run(_ probe: PasscodeAccountProbe) async throws {
        switch self {
        case .nothingAtFirst: try await probe.checkNothingAtFirst()
        case .sets: try await probe.checkSets()
        case .setsOnce: try await probe.checkSetsOnce()
        case .repeatsSet: try await probe.checkRepeatsSet()
        case .changes: try await probe.checkChanges()
        case .refusesChange: try await probe.checkRefusesChange()
        case .repeatsChange: try await probe.checkRepeatsChange()
        case .countsAll: try await probe.checkCountsAll()
        case .clearsCount: try await probe.checkClearsCount()
        case .throttles: try await probe.checkThrottles()
        case .countsConcurrent: try await probe.checkCountsConcurrent()
        case .switchesOff: try await probe.checkSwitchesOff()
        case .refusesSwitchOff: try await probe.checkRefusesSwitchOff()
        case .keepsTimeout: try await probe.checkKeepsTimeout()
        case .refusesTimeout: try await probe.checkRefusesTimeout()
        case .refusesFormat: try await probe.checkRefusesFormat()
        case .resets: try await probe.checkResets()
        case .refusesCode: try await probe.checkRefusesCode()
        case .codeOnce: try await probe.checkCodeOnce()
        case .codeTries: try await probe.checkCodeTries()
        case .codeExpires: try await probe.checkCodeExpires()
        case .codeReplaced: try await probe.checkCodeReplaced()
        case .limitsRequests: try await probe.checkLimitsRequests()
        case .concurrentResets: try await probe.checkConcurrentResets()
        case .signedOut: try await probe.checkSignedOut()
        case .unreachable: try await probe.checkUnreachable()
        case .lostAnswers: try await probe.checkLostAnswers()
        case .serverFailure: try await probe.checkServerFailure()
        case .cancelledCalls: try await probe.checkCancelledCalls()
        case .disabled: try await probe.checkDisabled()
        case .shares: try await probe.checkShares()
        case .concurrentSets: try await probe.checkConcurrentSets()
        }
    }
}
