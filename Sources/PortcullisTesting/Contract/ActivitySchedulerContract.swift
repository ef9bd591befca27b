internal import PortcullisCore

/// What every ``/PortcullisCore/ActivityScheduler`` keeps, clause by clause.
///
/// Run it from any test framework, or from none:
///
/// ```swift
/// @Test("X-3: keeps the contract", arguments: ActivitySchedulerContract.allCases)
/// func contract(_ clause: ActivitySchedulerContract) async throws {
///     try await clause.check(
///         ActivitySchedulerSubject { clock in MyScheduler(clock: clock, executor: clock.executor) })
/// }
/// ```
///
/// A scheduler with tasks of its own takes the executor they run on, so that the suite can tell an event that is
/// late from a task that has not had its turn.
public enum ActivitySchedulerContract: String, ContractClause {
    /// A start inside the interval.
    case startInside = "AS-01"
    /// A start outside the interval.
    case startOutside = "AS-02"
    /// A stop inside the interval.
    case stopInside = "AS-03"
    /// A stop of what is not on or not there.
    case stopOutside = "AS-04"
    /// Another schedule for a name in use.
    case replaces = "AS-05"
    /// The same schedule for a name in use.
    case restarts = "AS-06"
    /// The list of activities.
    case monitored = "AS-07"
    /// Schedules that are refused.
    case refusals = "AS-08"
    /// Plain days.
    case days = "AS-09"
    /// Intervals over midnight.
    case overnight = "AS-10"
    /// Intervals of a whole day.
    case wholeDay = "AS-11"
    /// Warnings of start and end.
    case warnings = "AS-12"
    /// A warning longer than the interval.
    case longWarning = "AS-13"
    /// A warning whose moment has passed at the start.
    case lateWarning = "AS-14"
    /// Once, started inside.
    case onceInside = "AS-15"
    /// Once, started before.
    case onceLater = "AS-16"
    /// Once, slept through.
    case onceMissed = "AS-17"
    /// A sleep over several intervals.
    case longSleep = "AS-18"
    /// A sleep over the moments of warnings.
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
    /// Another zone with the same date on.
    case zoneSameDate = "AS-28"
    /// Another zone with another interval on, or none.
    case zoneOtherDate = "AS-29"
    /// Several activities.
    case activitiesApart = "AS-30"
    /// Several takers.
    case severalTakers = "AS-31"
    /// A taker that goes away.
    case droppedTaker = "AS-32"
    /// A taker that comes late.
    case fromNowOn = "AS-33"
    /// A taker that is slow.
    case slowTaker = "AS-34"
    /// Starts and stops from many tasks.
    case concurrentChanges = "AS-35"
    /// Calls by cancelled tasks.
    case cancelledCalls = "AS-36"
    /// The time of the next event.
    case nextEvent = "AS-37"
    /// A schedule beyond the scheduler's capabilities.
    case refusesUnsupported = "AS-38"

    /// Whether a scheduler on a more limited platform, such as a system's monitor, may declare it
    /// unsupported.
    public var mayBeUnsupported: Bool {
        switch self {
        // A system has rules of its own for clocks that jump and for how much it keeps for a slow process.
        case .setBackALittle, .setBackFar, .setForward, .zoneSameDate, .zoneOtherDate, .insideGap,
            .skippedDate, .slowTaker:
            true
        default: false
        }
    }

    /// Whether time has to pass in it.
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
    /// - Returns: that it is kept, or why it does not apply.
    /// - Throws: ``ContractViolation`` when it is not kept, or when it is declared unsupported and may not be.
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

    /// Ends a clause that asks for what the scheduler does not claim: that is seen on the scheduler of the clause only.
    private struct MissingCapability: Error {
        let reason: String
    }

    /// Why the clause has nothing to ask of a scheduler with these capabilities; `nil` where it has.
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
