internal import AdapterKit
package import PortcullisCore

/// A set of dates, stored as runs of consecutive days.
///
/// A person who reaches the goal every day needs one run, for any number of years. The number of runs is
/// limited, so that the record fits into an item of any store. A new run above the limit displaces the
/// earliest other run. A person who reaches the goal every other day reaches the limit after 22 years.
package struct DateSet: Sendable, Hashable {
    package static let limit = 4_000

    /// The runs, as days since 1970-01-01, in order. Between two runs at least one day is missing.
    private var runs: [ClosedRange<Int>] = []

    package init() {}

    /// The latest date; `nil` for an empty set.
    package var last: CivilDate? { runs.last.map { CivilDate(daysSinceEpoch: $0.upperBound) } }

    package func contains(_ date: CivilDate) -> Bool {
        let day = date.daysSinceEpoch
        let index = index(after: day)
        return index > 0 && runs[index - 1].contains(day)
    }

    /// The index of the first run that starts after a day.
    private func index(after day: Int) -> Int {
        var low = 0
        var high = runs.count
        while low < high {
            let middle = (low + high) / 2
            if runs[middle].lowerBound > day { high = middle } else { low = middle + 1 }
        }
        return low
    }

    /// Adds a date.
    ///
    /// - Returns: whether the date was new in the set.
    @discardableResult
    package mutating func insert(_ date: CivilDate) -> Bool {
        guard !contains(date) else { return false }
        let day = date.daysSinceEpoch
        let index = index(after: day)
        let joinsNext = index < runs.count && runs[index].lowerBound == day + 1
        let last = joinsNext ? runs[index].upperBound : day
        if index > 0, runs[index - 1].upperBound == day - 1 {
            runs[index - 1] = runs[index - 1].lowerBound...last
            if joinsNext { runs.remove(at: index) }
        } else if joinsNext {
            runs[index] = day...last
        } else {
            runs.insert(day...day, at: index)
            // Above the limit, the earliest run of dates is removed. The run of the new date is never
            // removed, because that date is usually today.
            if runs.count > Self.limit { runs.remove(at: index == 0 ? 1 : 0) }
        }
        return true
    }

    package mutating func remove(_ date: CivilDate) {
        let day = date.daysSinceEpoch
        let index = index(after: day) - 1
        guard index >= 0, runs[index].contains(day) else { return }
        let run = runs[index]
        var rest: [ClosedRange<Int>] = []
        if run.lowerBound < day { rest.append(run.lowerBound...(day - 1)) }
        if day < run.upperBound { rest.append((day + 1)...run.upperBound) }
        runs.replaceSubrange(index...index, with: rest)
        if runs.count > Self.limit { runs.removeFirst() }
    }
}

extension DateSet: Codable {
    /// The days, counted from 1970-01-01, that a stored set may contain. The range includes every date that a
    /// clock can show, and calculations with numbers in the range cannot overflow.
    private static let anyDay = -5_000_000...5_000_000

    /// Decodes the first and last day of each run.
    ///
    /// - Throws: `DecodingError` for values that no set could have encoded.
    package init(from decoder: any Decoder) throws {
        var container = try decoder.unkeyedContainer()
        while !container.isAtEnd {
            let first = try container.decode(Int.self)
            let last = try container.decode(Int.self)
            let isOrdered = runs.last.map { $0.upperBound + 1 < first } ?? true
            guard Self.anyDay.contains(first), Self.anyDay.contains(last), first <= last, isOrdered else {
                throw DecodingError.dataCorruptedError(in: container, debugDescription: "not a set of dates")
            }
            runs.append(first...last)
        }
    }

    /// Encodes the first and last day of each run.
    package func encode(to encoder: any Encoder) throws {
        var container = encoder.unkeyedContainer()
        for run in runs {
            try container.encode(run.lowerBound)
            try container.encode(run.upperBound)
        }
    }
}
