internal import Foundation
internal import PortcullisCore

/// The steps of a date and the six before it.
///
/// A phone and a watch count the same steps, so the sum of both would be too large. For each hour, only the
/// source with the largest count is used, because it cannot be told which steps only another source has
/// counted. A single source can be chosen instead.
struct StepWeek {
    private struct Slot: Hashable {
        var date: CivilDate
        var hour: StepSample.Hour?
    }

    /// The seven dates, the earliest first.
    let dates: [CivilDate]
    private let source: String?
    private var slots: [Slot: [String: Double]] = [:]
    private(set) var sources: Set<String> = []

    init(until date: CivilDate, source: String? = nil) {
        let last = Self.calendar.date(
            from: DateComponents(year: date.year, month: date.month, day: date.day, hour: 12)
        )
        dates = (0..<7).reversed().compactMap { back in
            let day = last.flatMap { Self.calendar.date(byAdding: .day, value: -back, to: $0) }
            return day.map(Self.civilDate)
        }
        self.source = source
    }

    /// Notes a count, if it belongs to one of the dates.
    mutating func add(_ sample: StepSample) {
        guard dates.contains(sample.date) else { return }
        sources.insert(sample.source)
        guard source == nil || source == sample.source else { return }
        slots[Slot(date: sample.date, hour: sample.hour), default: [:]][sample.source, default: 0] +=
            sample.steps
    }

    /// Refuses a chosen source that counted nothing. A mistyped source would give a week without a step.
    func checkSource() throws(UnknownSource) {
        guard let source, !sources.contains(source) else { return }
        throw UnknownSource(source: source, known: sources.filter { !$0.isEmpty }.sorted())
    }

    func steps(on date: CivilDate) -> Double {
        slots.reduce(0) { $1.key.date == date ? $0 + ($1.value.values.max() ?? 0) : $0 }
    }

    /// Formats a date as `Mon 2 Mar`.
    static func label(_ date: CivilDate) -> String {
        let weekdays = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
        let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
        let day = calendar.date(
            from: DateComponents(year: date.year, month: date.month, day: date.day, hour: 12)
        )
        let weekday = day.map { calendar.component(.weekday, from: $0) } ?? 1
        return "\(weekdays[weekday - 1]) \(date.day < 10 ? " " : "")\(date.day) \(months[date.month - 1])"
    }

    private static let calendar = {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = .gmt
        return calendar
    }()

    private static func civilDate(_ date: Date) -> CivilDate {
        let parts = calendar.dateComponents([.year, .month, .day], from: date)
        return CivilDate(year: parts.year ?? 0, month: parts.month ?? 0, day: parts.day ?? 0)
    }
}

/// The error for a chosen source that counted no steps in the week.
struct UnknownSource: Error, Equatable, CustomStringConvertible {
    var source: String
    /// The sources that counted steps.
    var known: [String]

    var description: String {
        let others = known.isEmpty ? "none is named" : "the sources are: \(known.joined(separator: ", "))"
        return "no steps of these days are by “\(source)”; \(others)"
    }
}
