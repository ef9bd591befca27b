/// The properties of a field: its values, their names, and the hints about mistakes.
struct FieldUnit: Sendable {
    let field: CronField
    let first: Int
    let last: Int
    /// The names of the values from `first` on, each with three lower-case letters.
    let names: [[UInt8]]

    static let second = FieldUnit(.second, 0...59)
    static let minute = FieldUnit(.minute, 0...59)
    static let hour = FieldUnit(.hour, 0...23)
    static let day = FieldUnit(.day, 1...31)
    static let month = FieldUnit(.month, 1...12, names: monthNames)
    static let weekday = FieldUnit(.weekday, 0...6, names: weekdayNames)
    static let year = FieldUnit(.year, 1...9_999)

    static let monthNames = [
        "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec",
    ]
    static let weekdayNames = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"]

    private init(_ field: CronField, _ values: ClosedRange<Int>, names: [String] = []) {
        self.field = field
        self.first = values.lowerBound
        self.last = values.upperBound
        self.names = names.map { Array($0.utf8) }
    }

    var count: Int { last - first + 1 }

    /// The first value of `*` with a step. Years are counted from 1970, so that `*/2` means the even years.
    func firstOfAll(by step: Int) -> Int {
        field == .year ? first + (1_970 - first) % step : first
    }

    /// The largest number that may be written in the field.
    var largest: Int { field == .weekday ? 7 : last }

    /// The value with a name of three letters, in upper or lower case; `nil` if no value has this name.
    func value(named letters: ArraySlice<UInt8>) -> Int? {
        guard letters.count == 3 else { return nil }
        let place = names.firstIndex { name in
            // The names are in lower case. The bit 0x20 turns an upper-case letter into its lower-case form.
            zip(name, letters).allSatisfy { $0 == $1 | 0x20 }
        }
        return place.map { $0 + first }
    }

    /// The hint for a number that is out of the field's range.
    func hint(for number: Int) -> String {
        switch (field, number) {
        case (.second, 60), (.minute, 60): "the last \(field) is 59; the next one starts at 0"
        case (.second, _), (.minute, _):
            "for longer pauses leave it 0 and use the next field, or write @every"
        case (.hour, 24): "midnight is 0"
        case (.hour, _): "hours are written 0 to 23, without a.m. and p.m."
        case (.day, 0): "the first day is 1; the last is L"
        case (.day, _): "the last day of every month is L"
        case (.month, 0): "January is 1 or JAN"
        case (.month, _): "December is 12 or DEC"
        case (.weekday, 1_000...): "a year is the last of seven fields, which begin with the second"
        case (.weekday, _): "Sunday is 0, 7 or SUN, Saturday is 6 or SAT"
        case (.year, _): "write a year such as 2030"
        }
    }

    /// A hint about the ways to write the field's values.
    var example: String {
        switch field {
        case .second, .minute, .hour:
            "write *, a number from \(first) to \(last), a range 1-5, or a step */10"
        case .day:
            "write *, a number from 1 to 31, L for the last day, or 15W for the workday nearest to the 15th"
        case .month: "write *, a number from 1 to 12, or JAN to DEC"
        case .weekday:
            "write *, a number from 0 to 7, SUN to SAT, 5L for the last Friday, or 5#2 for the second"
        case .year: "write *, or a year such as 2030"
        }
    }
}
