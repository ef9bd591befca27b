import Foundation

/// A second reading of cron expressions, as plain as it can be: sets of numbers, and words looked at anew for every
/// date. It shares no code with what it checks and expects valid text of five to seven fields.
struct PlainExpression {
    let hasSeconds: Bool
    private let seconds: [Bool]
    private let minutes: [Bool]
    private let hours: [Bool]
    private let months: Set<Int>
    private let years: Set<Int>?
    private let dayWords: [String]
    private let weekdayWords: [String]
    private let needsBoth: Bool

    /// S-2: whether it names all hours.
    var isElapsed: Bool { hours.allSatisfy { $0 } }

    init(_ text: String) {
        var fields = text.uppercased().split(separator: " ").map(String.init)
        hasSeconds = fields.count > 5
        if !hasSeconds { fields.insert("0", at: 0) }
        let months = ["JAN", "FEB", "MAR", "APR", "MAY", "JUN", "JUL", "AUG", "SEP", "OCT", "NOV", "DEC"]
        for (place, name) in months.enumerated() {
            fields[4] = fields[4].replacingOccurrences(of: name, with: "\(place + 1)")
        }
        for (place, name) in ["SUN", "MON", "TUE", "WED", "THU", "FRI", "SAT"].enumerated() {
            fields[5] = fields[5].replacingOccurrences(of: name, with: "\(place)")
        }
        func flags(_ field: String, _ count: Int) -> [Bool] {
            let values = Self.values(field, 0, count - 1)
            return (0..<count).map { values.contains($0) }
        }
        seconds = flags(fields[0], 60)
        minutes = flags(fields[1], 60)
        hours = flags(fields[2], 24)
        self.months = Self.values(fields[4], 1, 12)
        years = fields.count == 7 && fields[6] != "*" ? Self.values(fields[6], 1970, 2399) : nil
        dayWords = fields[3].split(separator: ",").map(String.init)
        weekdayWords = fields[5].split(separator: ",").map(String.init)
        needsBoth =
            fields[3].hasPrefix("*") || fields[3] == "?" || fields[5].hasPrefix("*") || fields[5] == "?"
    }

    /// The numbers of a list of `*`, values, ranges and steps.
    private static func values(_ field: String, _ first: Int, _ last: Int) -> Set<Int> {
        var found: Set<Int> = []
        for item in field.split(separator: ",") {
            let halves = item.split(separator: "/")
            let ends = halves[0].split(separator: "-").compactMap { Int($0) }
            var run: [Int] = []
            if ends.isEmpty {
                run = Array(first...last)
            } else if ends.count == 1 {
                run = halves.count == 1 ? [ends[0]] : Array(ends[0]...last)
            } else {
                var number = ends[0]
                run = [number]
                while number != ends[1] {
                    number = number == last ? first : number + 1
                    run.append(number)
                }
            }
            let step = halves.count == 2 ? Int(halves[1]) ?? 1 : 1
            for place in stride(from: 0, to: run.count, by: step) { found.insert(run[place]) }
        }
        return found
    }

    /// Whether it names a time of day, in seconds from midnight.
    func matches(time: Int) -> Bool { hours[time / 3_600] && matches(withinHour: time % 3_600) }

    private func matches(withinHour second: Int) -> Bool { minutes[second / 60] && seconds[second % 60] }

    /// Whether it names a date.
    func matches(_ date: PlainDate) -> Bool {
        guard months.contains(date.month), years?.contains(date.year) ?? true else { return false }
        let day = dayWords.contains { matches(day: $0, date) }
        let weekday = weekdayWords.contains { matches(weekday: $0, date) }
        return needsBoth ? day && weekday : day || weekday
    }

    private func matches(day word: String, _ date: PlainDate) -> Bool {
        if word == "?" { return true }
        guard word.hasPrefix("L") || word.hasSuffix("W") else {
            return Self.values(word, 1, 31).contains(date.day)
        }
        let numbers = Int(word.filter(\.isNumber))
        let target = word.hasPrefix("L") ? date.length - (numbers ?? 0) : numbers ?? 0
        guard (1...date.length).contains(target) else { return false }
        guard word.hasSuffix("W") else { return date.day == target }
        // The nearest day of the month that is no Saturday or Sunday; of two, there is no choice to make.
        let workdays = (1...date.length).filter {
            ![0, 6].contains((date.weekday + $0 - date.day + 35) % 7)
        }
        return workdays.min { abs($0 - target) < abs($1 - target) } == date.day
    }

    private func matches(weekday word: String, _ date: PlainDate) -> Bool {
        if word == "?" { return true }
        let parts = word.split(separator: "#").map(String.init)
        if parts.count == 2 || word.hasSuffix("L") {
            guard (Int(word.prefix(1)) ?? 0) % 7 == date.weekday else { return false }
            guard let count = Int(parts.last ?? "") else { return date.day + 7 > date.length }
            return (date.day - 1) / 7 + 1 == count
        }
        // A week of eight days, of which the first and the last are Sundays; only a range that runs backwards has
        // to know that they are one.
        let ends = word.split(separator: "/")[0].split(separator: "-").compactMap { Int($0) }
        if ends.count == 2, ends[0] > ends[1] {
            let step = word.split(separator: "/").dropFirst().first ?? "1"
            let turned = "\(ends[0] % 7)-\(ends[1])/\(step)"
            return Self.values(turned, 0, 6).contains(date.weekday)
        }
        if ends.count == 1, word.contains("/") {
            let step = word.split(separator: "/")[1]
            return Self.values("\(ends[0] % 7)-6/\(step)", 0, 6).contains(date.weekday)
        }
        return Set(Self.values(word, 0, word.hasPrefix("*") ? 6 : 7).map { $0 % 7 }).contains(date.weekday)
    }
}

/// A date and what rules of a month want to know of it.
struct PlainDate: Hashable {
    var year: Int
    var month: Int
    var day: Int
    /// 0 for Sunday.
    var weekday: Int
    /// The number of days of the month.
    var length: Int

    /// The date after it, by the rules of the Gregorian calendar.
    var following: PlainDate {
        var date = self
        date.weekday = (weekday + 1) % 7
        date.day += 1
        guard date.day > length else { return date }
        date.day = 1
        date.month += 1
        if date.month > 12 {
            date.month = 1
            date.year += 1
        }
        let isLeap = date.year % 4 == 0 && (date.year % 100 != 0 || date.year % 400 == 0)
        date.length = [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31][date.month - 1]
        return date
    }

    /// The dates of 400 years from 2000-01-01 on, after which all repeats.
    static let cycle: [PlainDate] = {
        var dates = [PlainDate(year: 2000, month: 1, day: 1, weekday: 6, length: 31)]
        while dates.count < 146_097 { dates.append(dates[dates.count - 1].following) }
        return dates
    }()

    /// The day number of 2000-01-01.
    static let cycleStart = 10_957

    /// The date with a day number: days since 1970.
    init(number: Int) {
        let shifted = number - Self.cycleStart
        let place = ((shifted % 146_097) + 146_097) % 146_097
        self = Self.cycle[place]
        year += (shifted - place) / 146_097 * 400
    }

    init(year: Int, month: Int, day: Int, weekday: Int, length: Int) {
        self.year = year
        self.month = month
        self.day = day
        self.weekday = weekday
        self.length = length
    }
}
