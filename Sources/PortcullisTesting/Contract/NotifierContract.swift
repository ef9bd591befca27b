internal import PortcullisCore

/// The rules that every ``/PortcullisCore/Notifier`` must keep, as a list of clauses. Clauses about times
/// apply only to a ``/PortcullisCore/SchedulingNotifier``.
///
/// Any test framework can run the clauses, and so can a plain program:
///
/// ```swift
/// @Test("X-3: keeps the contract", arguments: NotifierContract.allCases)
/// func contract(_ clause: NotifierContract) async throws {
///     try await clause.check(NotifierSubject { clock in
///         let notifier = MyNotifier(clock: clock)
///         return .init(notifier: notifier, delivered: { notifier.shown })
///     })
/// }
/// ```
public enum NotifierContract: String, ContractClause {
    /// A new notifier has no delivered and no pending notification.
    case nothingAtFirst = "N-01"
    /// A notification without a time is delivered at once.
    case now = "N-02"
    /// Notifications without a time are delivered in the order of the calls.
    case nowInOrder = "N-03"
    /// A notification whose time has passed is delivered at once.
    case pastDate = "N-04"
    /// A notification is delivered once, when the wall clock shows its time.
    case atDate = "N-05"
    /// Pending notifications are listed, soonest first, until they are delivered.
    case pending = "N-06"
    /// Notifications are delivered in the order of their times.
    case dueInOrder = "N-07"
    /// A new notification replaces a pending notification with the same id.
    case replaces = "N-08"
    /// A notification without a time removes a pending notification with the same id.
    case replacesNow = "N-09"
    /// A notification that was withdrawn before its time is never delivered.
    case cancels = "N-10"
    /// Withdrawing an id that is not pending changes nothing.
    case cancelsUnknown = "N-11"
    /// An id can be used again after it was withdrawn.
    case reused = "N-12"
    /// A notification is delivered once, even if the wall clock is set back and reaches the notification's
    /// time again.
    case atMostOnce = "N-13"
    /// Setting the wall clock forward delivers the due notifications in order.
    case setForward = "N-14"
    /// If the wall clock is set back, a pending notification waits until the clock shows its time.
    case setBack = "N-15"
    /// Notifications that came due while the machine slept are delivered in order.
    case asleep = "N-16"
    /// If many tasks deliver notifications at once, each notification is delivered once.
    case concurrentDeliveries = "N-17"
    /// If many notifications are scheduled at once under one id, only one of them is delivered.
    case concurrentReplacements = "N-18"
    /// A call by a cancelled task either takes effect or throws.
    case cancelledCalls = "N-19"
    /// If the program that receives the notifications accepts none for a while, calls do not wait for the
    /// program.
    case stuckReader = "N-20"
    /// Without permission a call throws, and nothing is delivered or pending.
    case forbidden = "N-21"
    /// A request for permission returns whether the notifier may deliver notifications.
    case authorization = "N-22"

    /// The clause's requirement in one sentence.
    public var prose: String {
        switch self {
        case .nothingAtFirst: "a fresh notifier has delivered nothing, and nothing is pending"
        case .now: "a notification without a time is delivered at once and unchanged"
        case .nowInOrder: "notifications without a time are delivered in the order of the calls"
        case .pastDate: "a notification whose time is now or has passed is delivered at once"
        case .atDate: "a notification is delivered once, when the wall clock shows its time, and not earlier"
        case .pending:
            "a notification that waits for its time is listed, soonest first, until it is delivered"
        case .dueInOrder: "notifications are delivered in the order of their times"
        case .replaces: "a notification under an id that is pending replaces the pending one"
        case .replacesNow: "a notification without a time removes the pending notification of its id"
        case .cancels:
            "a notification that was cancelled before its time is not delivered, and the others are"
        case .cancelsUnknown: "cancelling an id that is not pending changes nothing"
        case .reused: "the id of a cancelled notification can be used again"
        case .atMostOnce: "a notification is delivered once, even if the clock passes its time again"
        case .setForward:
            "if the wall clock is set forward, the notifications that are due are delivered in order"
        case .setBack: "if the wall clock is set back, a notification waits until the clock shows its time"
        case .asleep: "notifications that became due during sleep are delivered afterwards, in order"
        case .concurrentDeliveries: "notifications of many tasks at once are each delivered once"
        case .concurrentReplacements: "of many notifications scheduled at once under one id, one is delivered"
        case .cancelledCalls: "a cancelled task's call either takes effect or throws"
        case .stuckReader:
            "a reader that does not read delays no caller, and gets the notifications later, in order"
        case .forbidden:
            "without authorization delivering reports that, and no notification is delivered or pending"
        case .authorization: "the result of the request is whether delivering is authorized"
        }
    }

    /// Checks the clause on a notifier.
    ///
    /// - Returns: ``ContractResult/kept``, or the reason why the clause does not apply.
    /// - Throws: ``ContractViolation`` when the notifier does not keep the clause.
    @discardableResult
    public func check(_ subject: NotifierSubject) async throws(ContractViolation) -> ContractResult {
        try await judge {
            let probe = try await NotifierProbe(subject)
            if let reason = reasonNotToApply(to: probe) { return .notApplicable(reason) }
            try await run(probe)
            return .kept
        }
    }

    private func reasonNotToApply(to probe: NotifierProbe) -> String? {
        if probe.scheduling == nil, needsTimes { return "it delivers at once only" }
        return switch self {
        case .atDate, .dueInOrder, .atMostOnce, .setForward, .setBack, .asleep:
            probe.manual == nil ? "the clock cannot be moved" : nil
        case .stuckReader: probe.place.setStuck == nil ? "the reader cannot be held in a test" : nil
        case .forbidden: probe.place.forbid == nil ? "the right cannot be taken away in a test" : nil
        default: nil
        }
    }

    /// Whether the clause applies only to a ``/PortcullisCore/SchedulingNotifier``.
    private var needsTimes: Bool {
        switch self {
        case .pastDate, .atDate, .pending, .dueInOrder, .replaces, .replacesNow, .cancels, .reused,
            .atMostOnce,
            .setForward, .setBack, .asleep, .concurrentReplacements:
            true
        case .nothingAtFirst, .now, .nowInOrder, .cancelsUnknown, .concurrentDeliveries, .cancelledCalls,
            .stuckReader, .forbidden, .authorization:
            false
        }
    }

    private func run(_ probe: NotifierProbe) async throws {
        switch self {
        case .nothingAtFirst: try await probe.checkNothingAtFirst()
        case .now: try await probe.checkNow()
        case .nowInOrder: try await probe.checkNowInOrder()
        case .pastDate: try await probe.checkPastDate()
        case .atDate: try await probe.checkAtDate()
        case .pending: try await probe.checkPending()
        case .dueInOrder: try await probe.checkDueInOrder()
        case .replaces: try await probe.checkReplaces()
        case .replacesNow: try await probe.checkReplacesNow()
        case .cancels: try await probe.checkCancels()
        case .cancelsUnknown: try await probe.checkCancelsUnknown()
        case .reused: try await probe.checkReused()
        case .atMostOnce: try await probe.checkAtMostOnce()
        case .setForward: try await probe.checkSetForward()
        case .setBack: try await probe.checkSetBack()
        case .asleep: try await probe.checkAsleep()
        case .concurrentDeliveries: try await probe.checkConcurrentDeliveries()
        case .concurrentReplacements: try await probe.checkConcurrentReplacements()
        case .cancelledCalls: try await probe.checkCancelledCalls()
        case .stuckReader: try await probe.checkStuckReader()
        case .forbidden: try await probe.checkForbidden()
        case .authorization: try await probe.checkAuthorization()
        }
    }
}
