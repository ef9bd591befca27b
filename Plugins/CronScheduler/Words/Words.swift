/// The English words of times and dates.
enum Words {
    static let months = [
        "January", "February", "March", "April", "May", "June", "July", "August", "September", "October",
        "November", "December",
    ]
    static let weekdays = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"]
    private static let ordinals = ["first", "second", "third", "fourth", "fifth"]

    static func month(_ number: Int) -> String { months[number - 1] }
    static func weekday(_ number: Int) -> String { weekdays[number] }
    /// The word for a number from 1 to 5, such as `second` for 2.
    static func ordinal(_ number: Int) -> String { ordinals[number - 1] }

    /// The short form of an ordinal number, such as `2nd` for 2.
    static func nth(_ number: Int) -> String {
        switch (number % 10, number % 100) {
        case (_, 11...13): "\(number)th"
        case (1, _): "\(number)st"
        case (2, _): "\(number)nd"
        case (3, _): "\(number)rd"
        default: "\(number)th"
        }
    }

    /// Joins items as in `a, b and c`.
    static func list(_ items: [String], _ last: String = "and") -> String {
        guard items.count > 1 else { return items.first ?? "" }
        return items.dropLast().joined(separator: ", ") + " \(last) " + items[items.count - 1]
    }

    /// Returns words such as `1 to 5` and `8`: three or more consecutive values are joined to a range.
    static func items(_ values: [Int], _ word: (Int) -> String) -> [String] {
        ValueRun.runs(in: values).flatMap { run in
            run.count >= 3
                ? ["\(word(run.first)) to \(word(run.last))"]
                : (run.first...run.last).map(word)
        }
    }

    static func twoDigits(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }

    /// A time of day, such as `04:30` or `04:30:15`.
    static func clock(_ hour: Int, _ minute: Int, _ second: Int? = nil) -> String {
        "\(twoDigits(hour)):\(twoDigits(minute))" + (second.map { ":\(twoDigits($0))" } ?? "")
    }
}
