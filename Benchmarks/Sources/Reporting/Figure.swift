/// A figure with its spread.
package struct Figure {
    /// The middle of the values, or the mean of the two in the middle.
    package let median: Double
    /// The least value.
    package let lowest: Double
    /// The greatest value.
    package let highest: Double

    /// - Returns: `nil` when there are no values.
    package init?(_ values: some Collection<Double>) {
        let sorted = values.sorted()
        guard let first = sorted.first, let last = sorted.last else { return nil }
        lowest = first
        highest = last
        median = (sorted[(sorted.count - 1) / 2] + sorted[sorted.count / 2]) / 2
    }

    /// The median with its spread, such as `9.24 ns (9.23–9.25)`.
    package func text(_ unit: Quantity) -> String {
        let scale = Scale(median, unit)
        return "\(scale.text(median)) (\(scale.number(lowest))–\(scale.number(highest)))"
    }
}
