import ArgumentParser
import CronScheduler
import Foundation

/// A local date and time, without a zone.
struct LocalTime {
    private static let calendar = {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = .gmt
        return calendar
    }()

    /// Seconds since 1970-01-01T00:00 in local time.
    private var seconds: Int

    /// Reads `2026-03-29` or `2026-03-29T20:00`.
    init(_ text: String) throws {
        guard let match = text.wholeMatch(of: #/(\d{4})-(\d\d)-(\d\d)(?:T(\d\d):(\d\d))?/#) else {
            throw ValidationError("“\(text)” is no time such as 2026-03-29 or 2026-03-29T20:00")
        }
        let (_, year, month, day, hour, minute) = match.output
        let parts = DateComponents(
            year: Int(year),
            month: Int(month),
            day: Int(day),
            hour: hour.flatMap { Int($0) } ?? 0,
            minute: minute.flatMap { Int($0) } ?? 0
        )
        guard parts.isValidDate(in: Self.calendar), let date = Self.calendar.date(from: parts) else {
            throw ValidationError("there is no \(text)")
        }
        seconds = Int(date.timeIntervalSince1970)
    }

    private init(seconds: Int) { self.seconds = seconds }

    var nextDay: LocalTime { LocalTime(seconds: seconds + 86_400) }

    /// Seconds since 1970-01-01T00:00:00Z. A time that the clocks skip becomes the end of the gap.
    func second(in zone: ZoneRules) -> Int { zone.second(showing: seconds) }

    /// Formats a time as `2026-03-29T20:00:00+02:00`.
    static func iso8601(_ second: Int, in zone: ZoneRules) -> String {
        let style = Date.ISO8601FormatStyle(
            timeZoneSeparator: .colon,
            timeZone: TimeZone(secondsFromGMT: zone.offset(at: second)) ?? .gmt
        )
        return style.format(Date(timeIntervalSince1970: Double(second)))
    }

    /// Formats a time of day as `20:00`.
    static func time(_ second: Int, in zone: ZoneRules) -> String {
        String(iso8601(second, in: zone).dropFirst("2026-03-29T".count).prefix(5))
    }
}
