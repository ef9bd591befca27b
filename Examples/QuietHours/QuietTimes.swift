internal import PortcullisCore

/// When it is quiet: from one time of day to another, on evenings of some weekdays.
struct QuietTimes: Sendable {
    var from: TimeOfDay
    /// Before `from`: on the next day. Equal: all day.
    var to: TimeOfDay
    /// On which quiet times begin; what began on a Friday lasts into Saturday.
    var weekdays: Set<Weekday> = Set(Weekday.allCases)

    /// The clock decides what the times of day are on days that are 23 or 25 hours long.
    func areQuiet(at wall: Duration, by clock: any LockClock) -> Bool {
        let end = clock.nextDayStart(after: wall, dayStart: to.sinceMidnight)
        let start = clock.nextDayStart(after: wall, dayStart: from.sinceMidnight)
        let began = clock.civilDate(at: wall, dayStart: from.sinceMidnight)
        // Where the clocks go forward both can fall into the hour that is left out, and then come at once, at its end. Quiet
        // times that would have begun and ended in it are none; those that end there and begin anew go on.
        let isQuiet = end == start ? to <= from : end < start
        return isQuiet && weekdays.contains(Weekday(of: began))
    }
}

/// A day of the week.
enum Weekday: Int, CaseIterable, Sendable {
    case sunday, monday, tuesday, wednesday, thursday, friday, saturday

    init(of date: CivilDate) {
        // Sakamoto's: a year that begins in March, and where each month begins in it.
        let starts = [0, 3, 2, 5, 0, 3, 5, 1, 4, 6, 2, 4]
        let year = date.month < 3 ? date.year - 1 : date.year
        let number = year + year / 4 - year / 100 + year / 400 + starts[date.month - 1] + date.day
        self = Self.allCases[number % 7]
    }

    /// `Mon`
    var name: String { ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"][rawValue] }

    /// The weekdays of a list such as `mon-thu,sun`; `nil` for anything else.
    static func list(_ text: String) -> Set<Weekday>? {
        var found: Set<Weekday> = []
        for part in text.lowercased().split(separator: ",", omittingEmptySubsequences: false) {
            let ends = part.split(separator: "-", omittingEmptySubsequences: false).map { end in
                allCases.first { $0.name.lowercased() == end }
            }
            guard let first = ends[0], ends.count <= 2, let last = ends[ends.count - 1] else { return nil }
            // Also over the week's end, as sat-mon.
            var day = first
            found.insert(day)
            while day != last {
                day = allCases[(day.rawValue + 1) % 7]
                found.insert(day)
            }
        }
        return found
    }
}

extension TimeOfDay {
    fileprivate var sinceMidnight: Duration { .seconds((hour * 60 + minute) * 60) }
}
