/// Calculations with dates of the proleptic Gregorian calendar. A day number is the number of days since
/// 1970-01-01.
///
/// The functions are inlinable, because schedules call them millions of times.
public enum Gregorian: Sendable {
    /// The number of days in 400 years. Dates and weekdays repeat after this number of days.
    public static let daysPerEra = 146_097

    /// A year, a month of 1 to 12 and a day of 1 to 31.
    @frozen
    public struct Date: Hashable, Sendable {
        /// The year; 0 is 1 BC.
        public var year: Int
        /// The month, 1 to 12.
        public var month: Int
        /// The day of the month, 1 to 31.
        public var day: Int

        /// Makes a date of these parts, which are not checked.
        @inlinable
        public init(year: Int, month: Int, day: Int) {
            self.year = year
            self.month = month
            self.day = day
        }
    }

    /// The date that has this day number.
    @inlinable
    public static func date(ofDay number: Int) -> Date {
        // For this calculation a year starts on 1 March, so that the leap day is its last day. An era is 400
        // such years.
        let shifted = number + 719_468
        let era = shifted.floored(by: 146_097)
        let dayOfEra = shifted - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let marchMonth = (5 * dayOfYear + 2) / 153
        let month = marchMonth < 10 ? marchMonth + 3 : marchMonth - 9
        return Date(
            year: yearOfEra + era * 400 + (month <= 2 ? 1 : 0),
            month: month,
            day: dayOfYear - (153 * marchMonth + 2) / 5 + 1
        )
    }

    /// The day number of a date. A day beyond the end of its month is counted as a day of the next month.
    @inlinable
    public static func dayNumber(year: Int, month: Int, day: Int) -> Int {
        let marchYear = month <= 2 ? year - 1 : year
        let era = marchYear.floored(by: 400)
        let yearOfEra = marchYear - era * 400
        let marchMonth = month > 2 ? month - 3 : month + 9
        let dayOfYear = (153 * marchMonth + 2) / 5 + day - 1
        let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
        return era * 146_097 + dayOfEra - 719_468
    }

    /// Whether a year has a 29 February.
    @inlinable
    public static func isLeap(_ year: Int) -> Bool {
        year & 3 == 0 && (year % 100 != 0 || year % 400 == 0)
    }

    /// The number of days in a month.
    @inlinable
    public static func length(ofMonth month: Int, in year: Int) -> Int {
        if month == 2 { return isLeap(year) ? 29 : 28 }
        // The odd months up to July and the even months from August on have 31 days.
        return 30 + ((month ^ (month >> 3)) & 1)
    }

    /// The weekday of a day number: 0 for Sunday to 6 for Saturday.
    @inlinable
    public static func weekday(ofDay number: Int) -> Int {
        let shifted = number + 4
        return shifted - shifted.floored(by: 7) * 7
    }
}
