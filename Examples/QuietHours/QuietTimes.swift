internal import PortcullisCore

/// When it is quiet: from one time of day to another, on evenings of some weekdays.
struct QuietTimes: Sendable {
    var from: TimeOfDay
    /// The end; on the next day if it is before `from`. If both are equal, it is quiet all day.
    var to: TimeOfDay
    /// The weekdays on which quiet times begin. Times that begin on a Friday last into Saturday.
    var weekdays: Set<Weekday> = Set(Weekday.allCases)

    /// Whether it is quiet. The clock decides what the times of day are on days of 23 or 25 hours.
    func areQuiet(at wall: Duration, by clock: any LockClock) -> Bool {
        let end = clock.nextDayStart(after: wall, dayStart: to.sinceMidnight)
        let start = clock.nextDayStart(after: wall, dayStart: from.sinceMidnight)
        let began = clock.civilDate(at: wall, dayStart: from.sinceMidnight)
        // When clocks go forward, both times can fall into the skipped hour. Both then come at once, at the
        // end of that hour. Quiet times that would begin and end within the hour do not take place. Quiet
        // times that end there and begin again simply go on.
        let isQuiet = end == start ? to <= from : end < start
        return isQuiet && weekdays.contains(Weekday(of: began))
    }
}

/// A day of the week.
enum Weekday: Int, CaseIterable, Sendable {
    case sunday, monday, tuesday, wednesday, thursday, friday, saturday

    init(of date: CivilDate) {
        // Sakamoto's algorithm: the year begins in March, and `starts` tells where each month begins in it.
        let starts = [0, 3, 2, 5, 0, 3, 5, 1, 4, 6, 2, 4]
        let year = date.month < 3 ? date.year - 1 : date.year
        let number = year + year / 4 - year / 100 + year / 400 + starts[date.month - 1] + date.day
        self = Self.allCases[number % 7]
    }

    /// The short name, such as `Mon`.
    var name: String { ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"][rawValue] }

    /// The weekdays of a list such as `mon-thu,sun`; `nil` for anything else.
    static func list(_ text: String) -> Set<Weekday>? {
        var found: Set<Weekday> = []
        for part in text.lowercased().split(separator: ",", omittingEmptySubsequences: false) {
            let ends = part.split(separator: "-", omittingEmptySubsequences: false).map { end in
                allCases.first { $0.name.lowercased() == end }
            }
            guard let first = ends[0], ends.count <= 2, let last = ends[ends.count - 1] else { return nil }
            // A range may pass the end of the week, as sat-mon does.
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
