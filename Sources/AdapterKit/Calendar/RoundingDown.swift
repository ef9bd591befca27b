// Times before 1970 are negative. Swift's `/` rounds negative quotients up, towards zero. `floored` and
// `wholeSeconds` round down instead.

extension Int {
    /// The quotient by a positive divisor, rounded down.
    @inlinable
    package func floored(by divisor: Int) -> Int {
        let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
        return remainder < 0 ? quotient - 1 : quotient
    }
}

extension Duration {
    /// The number of whole seconds, rounded down.
    @inlinable
    package var wholeSeconds: Int {
        let (seconds, attoseconds) = components
        return Int(attoseconds < 0 ? seconds - 1 : seconds)
    }
}

extension Duration {
    /// This time if it is in the range, otherwise the nearer end of the range.
    package func clamped(to range: ClosedRange<Duration>) -> Duration {
        min(max(self, range.lowerBound), range.upperBound)
    }
}
