internal import Foundation

/// What values are.
package enum Quantity {
    /// Nanoseconds.
    case time
    /// Bytes.
    case bytes
    /// A number of things.
    case count
}

/// A unit that suits a value.
package struct Scale {
    private let name: String
    private let size: Double

    /// The unit of a number of nanoseconds, bytes or things.
    package init(_ value: Double, _ unit: Quantity) {
        (name, size) =
            switch unit {
            case .bytes: (" B", 1)
            case .count: ("", 1)
            case .time where value < 1e3: (" ns", 1)
            case .time where value < 1e6: (" µs", 1e3)
            case .time where value < 1e9: (" ms", 1e6)
            case .time: (" s", 1e9)
            }
    }

    /// The value with its unit.
    package func text(_ value: Double) -> String { "\(number(value))\(name)" }

    /// The value in this unit, without the unit.
    package func number(_ value: Double) -> String { threeDigits(value / size) }
}

/// A number with about three digits that count.
package func threeDigits(_ value: Double) -> String {
    let digits = value < 10 ? 2 : value < 100 ? 1 : 0
    return String(format: "%.\(digits)f", value)
}
