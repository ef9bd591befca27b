/// The part of the explanation about the times of the day.
struct TimeWords: Sendable {
    /// The largest number of times that are listed one by one.
    private static let fewTimes = 6
    /// The largest number of ranges of hours that are listed.
    private static let fewSpans = 3

    private let sets: FieldSets
    private let seconds: [Int]
    private let minutes: [Int]
    private let hours: [Int]
    private let secondPattern: ValuePattern
    private let minutePattern: ValuePattern
    private let hourPattern: ValuePattern

    init(_ sets: FieldSets) {
        self.sets = sets
        seconds = Array(Bits(sets.seconds))
        minutes = Array(Bits(sets.minutes))
        hours = Array(Bits(sets.hours))
        secondPattern = ValuePattern(sets.seconds, .second)
        minutePattern = ValuePattern(sets.minutes, .minute)
        hourPattern = ValuePattern(sets.hours, .hour)
    }

    /// Whether the times are whole hours with equal pauses, so that one pause such as `Every 6 hours`
    /// describes them. The pause over midnight must be as long as the others.
    var isEvenOverDay: Bool {
        guard case .even = hourPattern else { return false }
        return seconds == [0] && minutes == [0]
    }

    var text: String {
        if seconds.count == 1, minutes.count == 1, !sets.isElapsed { return onceAnHour }
        if seconds == [0] { return withoutSeconds }
        return times ?? withSeconds
    }

    /// The list of all times, such as `At 04:30 and 16:30`; `nil` if there are too many.
    private var times: String? {
        let count = hours.count * minutes.count * seconds.count
        guard !sets.isElapsed, count <= Self.fewTimes else { return nil }
        let showsSeconds = seconds != [0]
        let all = hours.flatMap { hour in
            minutes.flatMap { minute in
                seconds.map { Words.clock(hour, minute, showsSeconds ? $0 : nil) }
            }
        }
        return "At \(Words.list(all))"
    }

    /// The ranges of hours; `nil` if there are too many, or if the expression names all 24 hours.
    private var spans: [ValueRun]? {
        let runs = ValueRun.runs(in: hours)
        return !sets.isElapsed && runs.count <= Self.fewSpans ? runs : nil
    }
}

// Times at whole minutes.
extension TimeWords {
    private var withoutSeconds: String {
        if minutes.count == 1 {
            return minutes[0] == 0 ? "Every hour" : "At minute \(minutes[0]) past every hour"
        }
        if let pause = Self.pause(minutePattern, .minute) { return oftenAnHour(pause) }
        if let times { return times }
        let part = Self.part(minutePattern, .minute, minutes)
        if hours.count == 1 {
            switch minutePattern {
            case .run: return "Every minute" + fromTo(hours[0])
            case .steps(_, _, let step): return "Every \(step) minutes" + fromTo(hours[0])
            default: break
            }
        }
        return "\(part) past \(pastHours)"
    }

    /// The words for an expression with one minute and one second, which fires once in each of its hours.
    private var onceAnHour: String {
        switch hourPattern {
        case .even(let step) where isEvenOverDay: return "Every \(step) hours"
        case .even(let step), .steps(_, _, let step):
            return "Every \(step) hours from \(clock(hours[0])) to \(clock(hours[hours.count - 1]))"
        case .all, .run, .list:
            // Ranges are used if there are more than three hours, few ranges, and no range of a single hour.
            // In all other cases a list is clearer.
            guard hours.count > 3, let spans, spans.allSatisfy({ $0.count > 1 }) else {
                return "At \(Words.list(hours.map(clock)))"
            }
            return "Every hour "
                + Words.list(spans.map { "from \(clock($0.first)) to \(clock($0.last))" })
        }
    }

    private func clock(_ hour: Int) -> String {
        Words.clock(hour, minutes[0], seconds[0] == 0 ? nil : seconds[0])
    }

    private func oftenAnHour(_ pause: String) -> String {
        if sets.isElapsed { return pause }
        let isScattered = hours.count > 1 && ValueRun.runs(in: hours).allSatisfy { $0.count == 1 }
        if minutes.count * hours.count <= (isScattered ? Self.fewTimes : 3), let times { return times }
        guard let spans else { return "\(pause) \(duringHours)" }
        let (first, last) = (minutes[0], minutes[minutes.count - 1])
        return "\(pause) "
            + Words.list(
                spans.map { "from \(Words.clock($0.first, first)) to \(Words.clock($0.last, last))" }
            )
    }

    private func fromTo(_ hour: Int) -> String {
        " from \(Words.clock(hour, minutes[0])) to \(Words.clock(hour, minutes[minutes.count - 1]))"
    }
}

// Times with seconds.
extension TimeWords {
    private var withSeconds: String {
        let pause = Self.pause(secondPattern, .second)
        let (first, last) = (seconds[0], seconds[seconds.count - 1])
        if let pause, case .all = minutePattern {
            if sets.isElapsed { return pause }
            guard let spans else { return "\(pause) \(duringHours)" }
            return "\(pause) "
                + Words.list(
                    spans.map {
                        "from \(Words.clock($0.first, 0, first)) to \(Words.clock($0.last, 59, last))"
                    }
                )
        }
        let part = Self.part(secondPattern, .second, seconds)
        if case .all = minutePattern {
            let start = "\(part) of every minute"
            if sets.isElapsed { return start }
            guard let spans else { return "\(start) \(duringHours)" }
            return "\(start) "
                + Words.list(
                    spans.map { "from \(Words.clock($0.first, 0)) to \(Words.clock($0.last, 59))" }
                )
        }
        if let pause, minutes.count == 1, hours.count == 1 {
            let (hour, minute) = (hours[0], minutes[0])
            return "\(pause) from \(Words.clock(hour, minute, first)) to \(Words.clock(hour, minute, last))"
        }
        return "\(part) of \(ofMinutes) past \(pastHours)"
    }

    /// The minutes, in words that follow “of”.
    private var ofMinutes: String {
        switch minutePattern {
        case .all: "every minute"
        case .run(let first, let last): "every minute from \(first) to \(last)"
        case .even(let step), .steps(_, _, let step):
            "every \(Words.nth(step)) minute from \(minutes[0]) to \(minutes[minutes.count - 1])"
        case .list: Self.numbers(.minute, minutes)
        }
    }
}

// Words for minutes and seconds alike.
extension TimeWords {
    /// The words for equal pauses, such as `Every 15 minutes`; `nil` if the pauses differ.
    private static func pause(_ pattern: ValuePattern, _ unit: FieldUnit) -> String? {
        switch pattern {
        case .all: "Every \(unit.field)"
        case .even(let step): "Every \(step) \(unit.field)s"
        case .run, .steps, .list: nil
        }
    }

    /// The beginning of a sentence about minutes of the hour, or about seconds of the minute.
    private static func part(_ pattern: ValuePattern, _ unit: FieldUnit, _ values: [Int]) -> String {
        if let pause = pause(pattern, unit) { return pause }
        switch pattern {
        case .run(let first, let last): return "Every \(unit.field) from \(first) to \(last)"
        case .steps(let first, let last, let step):
            return "Every \(Words.nth(step)) \(unit.field) from \(first) to \(last)"
        default: return "At \(numbers(unit, values))"
        }
    }

    /// A list of values, such as `minutes 5, 10 to 20 and 35`.
    private static func numbers(_ unit: FieldUnit, _ values: [Int]) -> String {
        let items = Words.items(values) { "\($0)" }
        return "\(unit.field)\(values.count == 1 ? "" : "s") \(Words.list(items))"
    }

    /// The hours, in words that follow “past”.
    private var pastHours: String {
        let (first, last) = (Words.clock(hours[0], 0), Words.clock(hours[hours.count - 1], 0))
        switch hourPattern {
        case .all: return "every hour"
        case .run: return "every hour from \(first) to \(last)"
        case .even(let step), .steps(_, _, let step):
            return "every \(Words.nth(step)) hour from \(first) to \(last)"
        case .list: return Words.list(hours.map { Words.clock($0, 0) })
        }
    }

    /// The words for hours that are too scattered to be explained as ranges.
    private var duringHours: String {
        switch hourPattern {
        case .even(let step), .steps(_, _, let step):
            let (first, last) = (Words.clock(hours[0], 0), Words.clock(hours[hours.count - 1], 0))
            return "in every \(Words.nth(step)) hour from \(first) to \(last)"
        default: return "in the hours that begin at \(Words.list(hours.map { Words.clock($0, 0) }))"
        }
    }
}
