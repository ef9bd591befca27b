internal import PortcullisCore

/// The rules that every ``/PortcullisCore/ActivityScheduler`` must keep, as a list of clauses.
///
/// Any test framework can run the clauses, and so can a plain program:
///
/// ```swift
/// @Test("X-3: keeps the contract", arguments: ActivitySchedulerContract.allCases)
/// func contract(_ clause: ActivitySchedulerContract) async throws {
///     try await clause.check(
///         ActivitySchedulerSubject { clock in MyScheduler(clock: clock, executor: clock.executor) })
/// }
/// ```
///
/// A scheduler that starts tasks must run them on the executor that it is given. The suite can then tell a
/// late event from a task that has not run yet.
public enum ActivitySchedulerContract: String, ContractClause {
    /// An activity that is started inside its interval.
    case startInside = "AS-01"
    /// An activity that is started outside of its interval.
    case startOutside = "AS-02"
    /// An activity that is stopped inside its interval.
    case stopInside = "AS-03"
    /// An activity that is stopped outside of its interval, or that is not monitored.
    case stopOutside = "AS-04"
    /// Another schedule under a name in use.
    case replaces = "AS-05"
    /// An equal schedule under a name in use.
    case restarts = "AS-06"
    /// The list of monitored activities.
    case monitored = "AS-07"
    /// Schedules that are refused.
    case refusals = "AS-08"
    /// Days of 24 hours.
    case days = "AS-09"
    /// Intervals over midnight.
    case overnight = "AS-10"
    /// Intervals of a whole day.
    case wholeDay = "AS-11"
    /// Warnings of start and end.
    case warnings = "AS-12"
    /// A warning longer than the interval.
    case longWarning = "AS-13"
    /// A warning whose moment has passed when the activity is started.
    case lateWarning = "AS-14"
    /// A single interval, started inside it.
    case onceInside = "AS-15"
    /// A single interval, started before it.
    case onceLater = "AS-16"
    /// A single interval that the machine slept through.
    case onceMissed = "AS-17"
    /// A sleep over several intervals.
    case longSleep = "AS-18"
    /// A sleep through the moments of warnings.
    case missedWarnings = "AS-19"
    /// A day of 23 hours.
    case shortDay = "AS-20"
    /// A day of 25 hours.
    case longDay = "AS-21"
    /// Times inside a gap and an overlap.
    case gapAndOverlap = "AS-22"
    /// A whole interval inside a gap.
    case insideGap = "AS-23"
    /// A date that does not exist.
    case skippedDate = "AS-24"
    /// A clock set back a little.
    case setBackALittle = "AS-25"
    /// A clock set back far.
    case setBackFar = "AS-26"
    /// A clock set forward.
    case setForward = "AS-27"
    /// A change to a zone in which an interval of the same date is on.
    case zoneSameDate = "AS-28"
    /// A change to a zone in which another interval is on, or none.
    case zoneOtherDate = "AS-29"
    /// Several activities.
    case activitiesApart = "AS-30"
    /// Several readers of the events.
    case severalTakers = "AS-31"
    /// A reader that drops its stream.
    case droppedTaker = "AS-32"
    /// A reader that opens its stream late.
    case fromNowOn = "AS-33"
    /// A slow reader.
    case slowTaker = "AS-34"
    /// Starts and stops from many tasks.
    case concurrentChanges = "AS-35"
    /// Calls by cancelled tasks.
    case cancelledCalls = "AS-36"
    /// The time of the next event.
    case nextEvent = "AS-37"
    /// A schedule that needs a missing capability.
    case refusesUnsupported = "AS-38"

    /// Whether a scheduler on a more limited platform, such as a system's monitor, may declare the clause unsupported.
    public var mayBeUnsupported: Bool {
        switch self {
        // A system has its own rules for jumps of the clock and for the events that it keeps for a slow process.
        case .setBackALittle, .setBackFar, .setForward, .zoneSameDate, .zoneOtherDate, .insideGap,
            .skippedDate, .slowTaker:
            true
        default: false
        }
    }

    /// Whether the clause needs a clock that the test can move.
    var movesTime: Bool {
        switch self {
        case .startInside, .startOutside, .stopInside, .stopOutside, .restarts, .monitored, .refusals,
            .severalTakers, .droppedTaker, .fromNowOn, .slowTaker, .concurrentChanges, .cancelledCalls,
            .refusesUnsupported:
            false
        default: true
        }
    }

    /// Checks the clause on a scheduler.
    ///
    /// - Returns: that the scheduler keeps the clause, or why the clause does not apply.
    /// - Throws: ``ContractViolation`` when the scheduler does not keep the clause, or declares it
    ///   unsupported although it may not.
    @discardableResult
    public func check(
        _ subject: ActivitySchedulerSubject
    ) async throws(ContractViolation) -> ContractResult {
        if subject.unsupported.contains(self) {
            guard mayBeUnsupported else { throw violation("it may not be declared unsupported") }
            return .notApplicable("declared unsupported")
        }
        if movesTime, case .running = subject.time {
            return .notApplicable("the scheduler's time cannot be moved")
        }
        return try await judge {
            do {
                try await run(on: subject)
                return .kept
            } catch let missing as MissingCapability {
                return .notApplicable(missing.reason)
            }
        }
    }

    /// Ends a clause that needs a missing capability. The clause has to make its scheduler before it can know.
    private struct MissingCapability: Error {
        let reason: String
    }

    /// Why the clause does not apply to a scheduler with these capabilities; `nil` when it applies.
    private func reasonNotToApply(to can: ActivitySchedulerCapabilities) -> String? {
        switch self {
        case .warnings, .longWarning, .lateWarning, .missedWarnings:
            can.contains(.givesWarnings) ? nil : "the scheduler gives no warnings"
        case .onceInside, .onceLater, .onceMissed:
            can.contains(.takesOneShots) ? nil : "the scheduler repeats every activity"
        case .refusesUnsupported:
            can.isSuperset(of: [.givesWarnings, .takesOneShots]) ? "the scheduler can do all of it" : nil
        case .nextEvent: can.contains(.tellsNextEvent) ? nil : "the scheduler does not tell next events"
        default: nil
        }
    }

    private func run(on subject: ActivitySchedulerSubject) async throws {
        func probe(
            _ wall: Duration = ActivitySchedulerProbe.time(0, 8),
            _ zone: ManualZone = .utc
        ) async throws -> ActivitySchedulerProbe {
            let probe = try await ActivitySchedulerProbe(subject, at: wall, in: zone)
            if let reason = reasonNotToApply(to: probe.scheduler.capabilities) {
                throw MissingCapability(reason: reason)
            }
            return probe
        }
        let eve = ActivitySchedulerProbe.time(4, 12)
        switch self {
        case .startInside: try await probe().checkStartInside()
        case .startOutside: try await probe().checkStartOutside()
        case .stopInside: try await probe().checkStopInside()
        case .stopOutside: try await probe().checkStopOutside()
        case .replaces: try await probe().checkReplaces()
        case .restarts: try await probe().checkRestarts()
        case .monitored: try await probe().checkMonitored()
        case .refusals: try await probe().checkRefusals()
        case .days: try await probe().checkDays()
        case .overnight: try await probe().checkOvernight()
        case .wholeDay: try await probe().checkWholeDay()
        case .warnings: try await probe().checkWarnings()
        case .longWarning: try await probe().checkLongWarning()
        case .lateWarning: try await probe().checkLateWarning()
        case .onceInside: try await probe().checkOnceInside()
        case .onceLater: try await probe().checkOnceLater()
        case .onceMissed: try await probe().checkOnceMissed()
        case .longSleep: try await probe().checkLongSleep()
        case .missedWarnings: try await probe().checkMissedWarnings()
        case .shortDay: try await probe(eve, .contractSpring).checkShortDay()
        case .longDay: try await probe(eve, .contractAutumn).checkLongDay()
        case .gapAndOverlap:
            try await probe(eve, .contractSpring).checkGap()
            try await probe(eve, .contractAutumn).checkOverlap()
        case .insideGap: try await probe(eve, .contractSpring).checkInsideGap()
        case .skippedDate: try await probe(eve, .contractSkip).checkSkippedDate()
        case .setBackALittle: try await probe().checkSetBackALittle()
        case .setBackFar: try await probe().checkSetBackFar()
        case .setForward: try await probe().checkSetForward()
        case .zoneSameDate: try await probe().checkZoneSameDate()
        case .zoneOtherDate: try await probe().checkZoneOtherDate()
        case .activitiesApart: try await probe().checkActivitiesApart()
        case .severalTakers: try await probe().checkSeveralTakers()
        case .droppedTaker: try await probe().checkDroppedTaker()
        case .fromNowOn: try await probe().checkFromNowOn()
        case .slowTaker: try await probe().checkSlowTaker()
        case .concurrentChanges: try await probe().checkConcurrentChanges()
        case .cancelledCalls: try await probe().checkCancelledCalls()
        case .nextEvent: try await probe().checkNextEvent()
        case .refusesUnsupported: try await probe().checkRefusesUnsupported()
        }
    }
}
