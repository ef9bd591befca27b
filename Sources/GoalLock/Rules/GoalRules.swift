internal import AdapterKit
package import PortcullisCore

/// The rules of the goal lock. They apply an event to the state and return the effects to carry out.
///
/// The rules are pure functions, so that every case can be tested quickly. The service carries the effects
/// out.
package enum GoalRules: Sendable {
    /// An event of the goal lock.
    package enum Event: Sendable, Hashable {
        /// Time has passed, or something outside of the state has changed.
        case look
        /// The host reported the progress on a date. A date of `nil` means today.
        case progress(Double, of: CivilDate?)
        /// The progress cannot be read.
        case unreadableProgress
        /// Another goal was set.
        case goal(Double)
        /// Other apps were chosen.
        case selection(ShieldSelection)
        /// Another start of days was set.
        case dayStart(TimeOfDay)
        /// The lock was switched on, with this name of the goal. The guardian is the user of the
        /// ``GoalGate``; `nil`: there is no gate.
        case enable(title: String, guardian: UserID? = nil)
        /// The lock was switched off.
        case disable
    }

    /// An effect of the rules. Each effect except the notification can be repeated without harm.
    package enum Effect: Sendable, Hashable {
        /// Shield this selection.
        case apply(ShieldSelection)
        /// Lift the shield.
        case lift
        /// Make sure that the daily activity is monitored.
        case startActivity(ActivitySchedule)
        /// Make sure that the daily activity is not monitored.
        case stopActivity
        /// Notify the person that the apps are unlocked on this date.
        case notify(CivilDate)
    }

    /// The facts outside of the state that the rules need.
    package struct Circumstances: Sendable, Hashable {
        /// Whether the feature is paid for.
        package var isEntitled: Bool
        /// Whether apps may be shielded.
        package var authorization: ShieldAuthorization

        package init(isEntitled: Bool = true, authorization: ShieldAuthorization = .approved) {
            self.isEntitled = isEntitled
            self.authorization = authorization
        }
    }

    /// Applies an event to the state.
    ///
    /// - Parameters:
    ///   - event: the event. Its numbers are valid.
    ///   - record: the state. The call changes it to the new state.
    ///   - clocks: the clocks, read after the state was read.
    ///   - circumstances: the facts outside of the state.
    /// - Returns: the date, and the effects in order. The caller carries them out once the new state is
    ///   durable.
    package static func decide(
        _ event: Event,
        on record: inout GoalRecord,
        at clocks: Clocks,
        in circumstances: Circumstances
    ) -> (today: DayReading, effects: [Effect]) {
        // Every event first brings the state to the current date. A new start of days is stored even
        // earlier, because the current date depends on the start of days.
        if case .dayStart(let dayStart) = event { record.dayStart = dayStart }
        let today = record.turnDay(at: clocks)
        let date = today.date

        switch event {
        case .look, .dayStart: break
        // Progress of another date says nothing about today, so it is ignored.
        case .progress(let progress, let measured):
            record.isProgressUnreadable = false
            if measured ?? date == date { record.progress = progress }
        case .unreadableProgress: record.isProgressUnreadable = true
        case .goal(let goal): record.goal = goal
        case .selection(let selection): record.selection = selection
        case .enable(let title, let guardian):
            // A lock that is on keeps its guardian.
            if !record.isEnabled { record.guardian = guardian?.rawValue }
            record.isEnabled = true
            record.title = title
        case .disable:
            record.isEnabled = false
            record.guardian = nil
            record.granted.remove(date)
        }

        var effects: [Effect] = []
        let wasUp = record.isShielded(on: date, in: circumstances)
        if record.isEnabled, record.progress >= record.goal, record.granted.insert(date) {
            // If no app was shielded before, nothing changes for the person, so no notification is sent.
            if wasUp, record.notified.insert(date) { effects.append(.notify(date)) }
        }
        let isUp = record.isShielded(on: date, in: circumstances)
        effects.insert(isUp ? .apply(record.selection) : .lift, at: 0)
        let isMonitored = record.isEnabled && circumstances.isEntitled
        effects.append(isMonitored ? .startActivity(schedule(from: record.dayStart)) : .stopActivity)
        return (today, effects)
    }

    /// Returns the schedule of the daily activity: from the start of a day to the minute before the next
    /// start.
    package static func schedule(from dayStart: TimeOfDay) -> ActivitySchedule {
        let end = TimeOfDay(minutes: (dayStart.minutes + 1_439) % 1_440)
        return ActivitySchedule(start: dayStart, end: end, repeats: true)
    }

    package static func isValid(goal: Double) -> Bool { goal.isFinite && goal > 0 }

    package static func isValid(progress: Double) -> Bool { progress.isFinite && progress >= 0 }

    /// Whether days may start at this time. The latest possible start is 06:00, because a person regards any
    /// later time as part of the new day.
    package static func isValid(dayStart: TimeOfDay) -> Bool { dayStart.minutes <= 6 * 60 }
}

extension GoalRecord {
    /// Brings the state to the current date. On a new date the progress is reset to zero.
    package mutating func turnDay(at clocks: Clocks) -> DayReading {
        let today = DayReading(after: day, at: clocks, dayStart: dayStart)
        if day?.date != today.date { progress = 0 }
        day = today.mark
        return today
    }

    /// Returns the date of the lock's day to which a wall time belongs.
    ///
    /// If the person has set a later start of days today, the present day still began at the earlier start. A
    /// wall time between these two starts then belongs to the present day.
    package func date(of wall: Duration, at clocks: Clocks) -> CivilDate {
        let today = DayReading(after: day, at: clocks, dayStart: dayStart)
        func date(with start: TimeOfDay) -> CivilDate {
            clocks.calendar.civilDate(at: wall, dayStart: Duration(sinceMidnight: start))
        }
        let present = date(with: dayStart)
        guard present < today.date, let began = today.mark.dayStart, date(with: began) >= today.date else {
            return present
        }
        return today.date
    }

    /// Prepares this new state to replace an old state that could not be understood.
    ///
    /// Today and yesterday are recorded as notified, because the old state's list of notified dates is lost.
    /// A missing notification is better than a second one. Yesterday is included because a flight to
    /// the west can make it the current date again.
    package mutating func startAnew(at clocks: Clocks) {
        let today = turnDay(at: clocks).date.daysSinceEpoch
        for day in [today - 1, today] { notified.insert(CivilDate(daysSinceEpoch: day)) }
    }

    /// Whether a new day began during the time `waited` that ends now.
    package func dayBegan(within waited: Duration, at clocks: Clocks) -> Bool {
        let today = DayReading(after: day, at: clocks, dayStart: dayStart)
        let start = Duration(sinceMidnight: today.mark.dayStart ?? dayStart)
        let calendar = clocks.calendar
        return calendar.civilDate(at: today.wall, dayStart: start)
            != calendar.civilDate(at: today.wall - waited, dayStart: start)
    }

    /// The reason why the shield is down on a date; `nil` while it is up.
    package func reasonToLift(
        on date: CivilDate,
        in circumstances: GoalRules.Circumstances
    ) -> GoalStatus.Reason? {
        if !isEnabled { return .disabled }
        if !circumstances.isEntitled { return .notEntitled }
        switch circumstances.authorization {
        case .approved: break
        case .notDetermined: return .notAuthorized(howToAllow: nil)
        case .denied(let howToAllow): return .notAuthorized(howToAllow: howToAllow)
        }
        if selection.isEmpty { return .nothingSelected }
        return granted.contains(date) ? .reached : nil
    }

    fileprivate func isShielded(on date: CivilDate, in circumstances: GoalRules.Circumstances) -> Bool {
        reasonToLift(on: date, in: circumstances) == nil
    }
}
