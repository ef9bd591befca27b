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
/// If a scheduler starts tasks, it must run them on the executor that it is given. Each move of the clock
/// waits until that executor is idle. An event that has not come by then is late.
public enum ActivitySchedulerContract: String, ContractClause {
    /// Starting an activity inside its interval gives the start event at once.
    case startInside = "AS-01"
    /// Starting an activity outside of its interval gives no event.
    case startOutside = "AS-02"
    /// Stopping an activity inside its interval gives the end event at once.
    case stopInside = "AS-03"
    /// Stopping an activity outside of its interval, or an unknown activity, gives no event.
    case stopOutside = "AS-04"
    /// Starting a monitored activity again with another schedule replaces the old schedule.
    case replaces = "AS-05"
    /// Starting a monitored activity again with an equal schedule ends the interval and starts it again.
    case restarts = "AS-06"
    /// `monitored()` returns the monitored activities and their schedules.
    case monitored = "AS-07"
    /// A schedule is refused if its warning time is zero or less, or 24 hours or more.
    case refusals = "AS-08"
    /// On an ordinary day each start and each end comes once, in order and at its time.
    case days = "AS-09"
    /// An interval whose end is before its start ends on the next day.
    case overnight = "AS-10"
    /// An interval whose end equals its start lasts a whole day.
    case wholeDay = "AS-11"
    /// A warning comes before each start and each end, earlier by the schedule's warning time.
    case warnings = "AS-12"
    /// If the warning time is longer than the interval, the warning of the end comes right after the start.
    case longWarning = "AS-13"
    /// A warning comes at once if its time has passed when the activity is started.
    case lateWarning = "AS-14"
    /// If an activity without repeats is started inside its interval, the interval takes place once.
    case onceInside = "AS-15"
    /// If an activity without repeats is started before its interval, the interval takes place once.
    case onceLater = "AS-16"
    /// If the machine sleeps through the only interval of an activity without repeats, the interval does not
    /// take place.
    case onceMissed = "AS-17"
    /// After the machine has slept through several intervals, only the present interval starts.
    case longSleep = "AS-18"
    /// A warning that came due while the machine slept still comes. If the start or end that the warning
    /// announces has also come due, the warning does not come.
    case missedWarnings = "AS-19"
    /// On a day of 23 hours an interval that contains the skipped hour is an hour shorter.
    case shortDay = "AS-20"
    /// On a day of 25 hours an interval that contains the repeated hour is an hour longer.
    case longDay = "AS-21"
    /// A time that the clocks skip means the instant at which they go forward. A time that the clocks show
    /// twice means its first instant.
    case gapAndOverlap = "AS-22"
    /// If the clocks skip the whole interval, start and end come together.
    case insideGap = "AS-23"
    /// On a date that the zone skips, start and end come together.
    case skippedDate = "AS-24"
    /// After the clock was set back by up to three hours, no event is repeated.
    case setBackALittle = "AS-25"
    /// If the clock is set back by more than three hours, to a time before the running interval, the interval
    /// ends at once. The interval's events come again at their times.
    case setBackFar = "AS-26"
    /// Setting the clock forward has the same effect as a sleep of the machine.
    case setForward = "AS-27"
    /// If the present time in a new zone is inside the running interval, on the same date, the interval
    /// continues. It ends at its end time in the new zone.
    case zoneSameDate = "AS-28"
    /// If the present time in a new zone is outside the running interval or on another date, the interval
    /// ends. If another interval contains the present time, that interval starts.
    case zoneOtherDate = "AS-29"
    /// Each of several activities has its events at its own times.
    case activitiesApart = "AS-30"
    /// Each of several readers gets every event exactly once.
    case severalTakers = "AS-31"
    /// If one reader drops its stream, the other readers still get every event.
    case droppedTaker = "AS-32"
    /// A stream yields only events that happen after it was opened.
    case fromNowOn = "AS-33"
    /// A slow reader loses no event.
    case slowTaker = "AS-34"
    /// If many tasks start and stop an activity at once, its start and end events alternate.
    case concurrentChanges = "AS-35"
    /// After a call by a cancelled task, the state of an activity matches its events. The activity is
    /// monitored if its last event is a start. With any other last event it is not monitored.
    case cancelledCalls = "AS-36"
    /// The time that `monitored()` gives for an activity's next event is the time at which the event comes.
    case nextEvent = "AS-37"
    /// A schedule that needs a missing capability is refused.
    case refusesUnsupported = "AS-38"

    /// Whether a scheduler may declare the clause unsupported, because its platform cannot keep the clause.
    public var mayBeUnsupported: Bool {
        switch self {
        // An operating system's scheduler has its own rules for jumps of the clock, and for the events that
        // it keeps for a slow process.
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
    /// - Returns: ``ContractResult/kept``, or the reason why the clause does not apply.
    /// - Throws: ``ContractViolation`` when the scheduler does not keep the clause, or when
    ///   ``mayBeUnsupported`` is `false` and the subject declares the clause unsupported.
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

    /// The error that ends the check of a clause if the scheduler lacks a capability that the clause needs.
    /// The capabilities are known only after the check has made its scheduler.
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
