internal import PortcullisCore

/// The rules that every ``/PortcullisCore/PasscodeSealer`` must keep, as a list of clauses. Clauses about a
/// limit of tries, about missing hardware and about what is deleted in it apply only to sealers on hardware.
///
/// Any test framework can run the clauses, and so can a plain program:
///
/// ```swift
/// @Test("X-3: keeps the contract", arguments: PasscodeSealerContract.allCases)
/// func contract(_ clause: PasscodeSealerContract) async throws {
///     try await clause.check(PasscodeSealerSubject { .init(sealer: MySealer()) })
/// }
/// ```
public enum PasscodeSealerContract: String, ContractClause {
    /// The passcode that a key was sealed under opens the key any number of times.
    case opens = "PS-01"
    /// Every other passcode is reported as wrong.
    case wrongPasscode = "PS-02"
    /// A passcode may consist of arbitrary bytes.
    case anyBytes = "PS-03"
    /// Every byte of a passcode of 1 to 1,024 bytes matters. A passcode of another size is refused as
    /// malformed.
    case longest = "PS-04"
    /// A key that was sealed for one context does not open in another context.
    case bindsContext = "PS-05"
    /// A sealed key that was altered does not open.
    case bindsRecord = "PS-06"
    /// If one key is sealed twice, the two sealed keys differ.
    case freshSeals = "PS-07"
    /// A sealed key contains the parameters of the sealer that made it.
    case recordsParameters = "PS-08"
    /// A key that is not 32 bytes long is refused as malformed.
    case refusesKeys = "PS-09"
    /// A sealed key with parameters outside of the allowed range is refused.
    case refusesParameters = "PS-10"
    /// A sealed key of another algorithm or format is refused as unknown.
    case refusesStrangers = "PS-11"
    /// A sealed key whose salt or content has a wrong size is refused as malformed.
    case refusesShapes = "PS-12"
    /// The sealer reports that it is ready if a passcode can be tried. Reading the readiness does not count
    /// as a try.
    case ready = "PS-13"
    /// If many tasks call at once, each call gets its own result.
    case concurrentCalls = "PS-14"
    /// A call by a cancelled task returns the right result or throws.
    case cancelledCalls = "PS-15"
    /// Another instance of the sealer opens the sealed key.
    case another = "PS-16"
    /// A hash of an older app matches only its own passcode, or is refused as unknown.
    case legacy = "PS-17"
    /// After as many wrong passcodes as the hardware allows, the right passcode is refused too.
    case triesExhausted = "PS-18"
    /// A right passcode before the limit resets the count of wrong passcodes.
    case rightResets = "PS-19"
    /// Another instance shares the hardware's count of wrong passcodes.
    case countIsShared = "PS-20"
    /// Missing hardware is reported by the readiness and by each call that tries a passcode. While the
    /// hardware is missing, no try is counted.
    case missing = "PS-21"
    /// If many wrong passcodes come at once, the sealer tries at most as many as its limit allows.
    case concurrentTries = "PS-22"
    /// A resealed key opens with the new passcode only. The old sealed key opens until the change is settled.
    case reseals = "PS-23"
    /// Settling keeps the recorded keys, whether the change was recorded or not, and the keys of other
    /// contexts.
    case settles = "PS-24"
    /// Settling keeps the keys that another instance has sealed and not settled yet.
    case settleSparesPending = "PS-25"
    /// If the recorded keys cannot be read, settling deletes nothing and throws the error.
    case settleFails = "PS-26"
    /// After settling, hardware no longer opens the keys that are not recorded.
    case settleDeletes = "PS-27"
    /// The recovery passphrase opens a key, also at the limit of tries and after resealing. Wrong passphrases
    /// are not counted.
    case recovers = "PS-28"
    /// A key without a recovery passphrase is reported as not recoverable.
    case notRecoverable = "PS-29"
    /// Hardware returns its count of wrong passcodes and its limit. Reading the count does not change it.
    case counts = "PS-30"

    /// The clause's requirement in one sentence.
    public var prose: String {
        switch self {
        case .opens: "the passcode under which a key was sealed opens the whole key, any number of times"
        case .wrongPasscode: "another passcode is a result and no error, however little it differs"
        case .anyBytes: "a passcode may have any bytes, such as zeros and bytes that are not text"
        case .longest:
            "all bytes of a passcode of 1 to 1,024 bytes count; a passcode of another size is malformed"
        case .bindsContext: "the passcode opens no key in another context"
        case .bindsRecord: "an altered sealed key opens with no passcode"
        case .freshSeals: "two seals of one key have different salts and contents, and neither shows the key"
        case .recordsParameters: "a seal records the sealer's parameters, and is opened with these"
        case .refusesKeys: "a key that does not have 32 bytes is malformed"
        case .refusesParameters: "a record whose parameters are out of bounds is refused"
        case .refusesStrangers: "a record of another algorithm or layout is reported as such"
        case .refusesShapes: "a record whose parts have wrong sizes is malformed"
        case .ready:
            "if a passcode can be tried, the sealer is ready, and the question does not count as a try"
        case .concurrentCalls: "calls of many tasks at once each get their own result"
        case .cancelledCalls: "a cancelled task's call has the right result, or reports the cancellation"
        case .another: "a key that one instance sealed is opened by another instance"
        case .legacy: "the hash of an older app accepts its passcode and no other, or is refused as unknown"
        case .triesExhausted:
            "after as many wrong passcodes as the hardware allows, the right passcode of this sealed key is refused too, and that of no other key"
        case .rightResets: "a right passcode before the limit resets the count of wrong passcodes"
        case .countIsShared: "another instance has the same count of wrong passcodes in the hardware"
        case .concurrentTries: "of many wrong passcodes at once no more are tried than the hardware allows"
        case .missing: "missing hardware is reported by the readiness and by each try, and no try is counted"
        case .reseals: "a resealed key opens with the new passcode only, and the old one until it is settled"
        case .settles: "settling keeps the recorded keys, and those of other contexts"
        case .settleSparesPending: "settling keeps the keys that another instance has not settled yet"
        case .settleFails:
            "if the recorded keys cannot be read, settling deletes nothing and throws the error"
        case .settleDeletes: "once settled, the keys that are not recorded no longer open in hardware"
        case .recovers:
            "the recovery passphrase opens a key, also at the limit and after resealing; wrong ones do not count"
        case .notRecoverable: "a key that was sealed without a recovery passphrase is not recoverable"
        case .counts: "hardware returns its count of wrong passcodes and its limit, and software no count"
        }
    }

    /// Checks the clause on a sealer.
    ///
    /// - Returns: ``ContractResult/kept``, or the reason why the clause does not apply.
    /// - Throws: ``ContractViolation`` when the sealer does not keep the clause.
    @discardableResult
    public func check(_ subject: PasscodeSealerSubject) async throws(ContractViolation) -> ContractResult {
        try await judge {
            let probe = PasscodeSealerProbe(try await subject.makePlace())
            if let reason = reasonNotToApply(to: probe.place) { return .notApplicable(reason) }
            try require((2...20).contains(probe.place.tryLimit ?? 2), "a limit of tries is 2 to 20")
            if case .legacy = self, try await !probe.knowsLegacy() {
                return .notApplicable("the sealer takes no hash over")
            }
            try await run(probe)
            return .kept
        }
    }

    private func reasonNotToApply(to place: PasscodeSealerSubject.Place) -> String? {
        switch self {
        case .triesExhausted, .rightResets, .concurrentTries:
            place.tryLimit == nil ? "the sealer counts no tries" : nil
        case .settleDeletes: place.tryLimit == nil ? "the sealer keeps nothing in hardware" : nil
        case .recovers: place.recovery == nil ? "the sealer has no recovery passphrase" : nil
        case .notRecoverable: place.recovery == nil ? nil : "the sealer has a recovery passphrase"
        case .countIsShared:
            place.tryLimit == nil
                ? "the sealer counts no tries" : place.another == nil ? "there is one instance only" : nil
        case .another: place.another == nil ? "there is one instance only" : nil
        case .missing: place.setMissing == nil ? "there is no hardware to be taken away" : nil
        default: nil
        }
    }

    private func run(_ probe: PasscodeSealerProbe) async throws {
        switch self {
        case .opens: try await probe.checkOpens()
        case .wrongPasscode: try await probe.checkWrongPasscode()
        case .anyBytes: try await probe.checkAnyBytes()
        case .longest: try await probe.checkLongest()
        case .bindsContext: try await probe.checkBindsContext()
        case .bindsRecord: try await probe.checkBindsRecord()
        case .freshSeals: try await probe.checkFreshSeals()
        case .recordsParameters: try await probe.checkRecordsParameters()
        case .refusesKeys: try await probe.checkRefusesKeys()
        case .refusesParameters: try await probe.checkRefusesParameters()
        case .refusesStrangers: try await probe.checkRefusesStrangers()
        case .refusesShapes: try await probe.checkRefusesShapes()
        case .ready: try await probe.checkReady()
        case .concurrentCalls: try await probe.checkConcurrentCalls()
        case .cancelledCalls: try await probe.checkCancelledCalls()
        case .another: try await probe.checkAnother()
        case .legacy: try await probe.checkLegacy()
        case .triesExhausted: try await probe.checkTriesExhausted()
        case .rightResets: try await probe.checkRightResets()
        case .countIsShared: try await probe.checkCountIsShared()
        case .missing: try await probe.checkMissing()
        case .concurrentTries: try await probe.checkConcurrentTries()
        case .reseals: try await probe.checkReseals()
        case .settles: try await probe.checkSettles()
        case .settleSparesPending: try await probe.checkSettleSparesPending()
        case .settleFails: try await probe.checkSettleFails()
        case .settleDeletes: try await probe.checkSettleDeletes()
        case .recovers: try await probe.checkRecovers()
        case .notRecoverable: try await probe.checkNotRecoverable()
        case .counts: try await probe.checkCounts()
        }
    }
}
