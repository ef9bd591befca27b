internal import AdapterKit
package import PortcullisCore

/// The rules of the goal lock: what an event makes of the state, and what has to be done then.
///
/// They wait for nothing and look nothing up, so that every case is a fast test; the service carries the
/// effects out.
package enum GoalRules: Sendable {
    /// What happens.
    package enum Event: Sendable, Hashable {
        /// Time passed, or something outside of the state changed.
        case look
        /// The person got so far on a date; `nil`: today.
        case progress(Double, of: CivilDate?)
        /// How far the person got cannot be read.
        case unreadableProgress
        /// There is another goal.
        case goal(Double)
        /// Other apps are chosen.
        case selection(ShieldSelection)
        /// Days start at another time.
        case dayStart(TimeOfDay)
        /// The lock was switched on, with the goal's name.
        case enable(title: String)
        /// The lock was switched off.
        case disable
    }

    /// What has to be done. Each can be done again without harm, but for the notification.
    package enum Effect: Sendable, Hashable {
        /// Shield these.
        case apply(ShieldSelection)
        /// Shield nothing.
        case lift
        /// See to it that the daily activity is monitored.
        case startActivity(ActivitySchedule)
        /// See to it that it is not.
        case stopActivity
        /// Tell the person that the apps of this date are unlocked.
        case notify(CivilDate)
    }

    /// What counts beside the state.
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

    /// Decides.
    ///
    /// - Parameters:
    ///   - event: what happened; its numbers are valid.
    ///   - record: the state, which becomes the new one.
    ///   - clocks: what the clocks showed after that state was read.
    ///   - circumstances: what counts beside the state.
    /// - Returns: the date, and what has to be done once the new state is durable, in order.
    package static func decide(
        _ event: Event,
        on record: inout GoalRecord,
        at clocks: Clocks,
        in circumstances: Circumstances
    ) -> (today: DayReading, effects: [Effect]) {
        // The date comes first, whatever happened; only when days start comes before it.
        if case .dayStart(let dayStart) = event { record.dayStart = dayStart }
        let today = record.turnDay(at: clocks)
        let date = today.date

        switch event {
        case .look, .dayStart: break
        // What was measured on another date says nothing about today.
        case .progress(let progress, let measured):
            record.isProgressUnreadable = false
            if measured ?? date == date { record.progress = progress }
        case .unreadableProgress: record.isProgressUnreadable = true
        case .goal(let goal): record.goal = goal
        case .selection(let selection): record.selection = selection
        case .enable(let title):
            record.isEnabled = true
            record.title = title
        case .disable:
            record.isEnabled = false
            record.granted.remove(date)
        }

        var effects: [Effect] = []
        let wasUp = record.isShielded(on: date, in: circumstances)
        if record.isEnabled, record.progress >= record.goal, record.granted.insert(date) {
            // No notification says that apps are unlocked which were not locked.
            if wasUp, record.notified.insert(date) { effects.append(.notify(date)) }
        }
        let isUp = record.isShielded(on: date, in: circumstances)
        effects.insert(isUp ? .apply(record.selection) : .lift, at: 0)
        let isMonitored = record.isEnabled && circumstances.isEntitled
        effects.append(isMonitored ? .startActivity(schedule(from: record.dayStart)) : .stopActivity)
        return (today, effects)
    }

    /// A day from its start to the minute before the next one's.
    package static func schedule(from dayStart: TimeOfDay) -> ActivitySchedule {
        let end = TimeOfDay(minutes: (dayStart.minutes + 1_439) % 1_440)
        return ActivitySchedule(start: dayStart, end: end, repeats: true)
    }

    package static func isValid(goal: Double) -> Bool { goal.isFinite && goal > 0 }

    package static func isValid(progress: Double) -> Bool { progress.isFinite && progress >= 0 }

    /// Up to 06:00: later, a person would take it for the next day.
    package static func isValid(dayStart: TimeOfDay) -> Bool { dayStart.minutes <= 6 * 60 }
}

extension GoalRecord {
    /// Begins another date if there is one: progress starts anew.
    package mutating func turnDay(at clocks: Clocks) -> DayReading {
        let today = DayReading(after: day, at: clocks, dayStart: dayStart)
        if day?.date != today.date { progress = 0 }
        day = today.mark
        return today
    }

    /// Takes the place of a state that could not be understood.
    ///
    /// It also held the dates of which the person was notified. A missing notification is better than a
    /// second one, so today counts as notified. So does yesterday, which a person who flies west meets
    /// once more.
    package mutating func startAnew(at clocks: Clocks) {
        let today = turnDay(at: clocks).date.daysSinceEpoch
        for day in [today - 1, today] { notified.insert(CivilDate(daysSinceEpoch: day)) }
    }

    /// Whether another day was still on some time ago, shorter than a day.
    package func dayBegan(within waited: Duration, at clocks: Clocks) -> Bool {
        let today = DayReading(after: day, at: clocks, dayStart: dayStart)
        let start = Duration(sinceMidnight: today.mark.dayStart ?? dayStart)
        let calendar = clocks.calendar
        return calendar.civilDate(at: today.wall, dayStart: start)
            != calendar.civilDate(at: today.wall - waited, dayStart: start)
    }

    /// Why shields are down on a date; `nil` when they are up.
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
