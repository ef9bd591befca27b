/// Times of the wall clock, and a check for times that a wrong clock has left behind.
enum WallClock {
    /// Milliseconds since 1970.
    static func milliseconds(_ wall: Duration) -> Int64 {
        let (seconds, attoseconds) = wall.components
        return seconds * 1_000 + attoseconds / 1_000_000_000_000_000
    }

    /// How far ahead a noted moment may be. A small step back of the clock must not void fresh records, and
    /// neither must the clock of another server of the fleet.
    static var tolerance: Duration { .seconds(60) }

    /// Whether a noted moment is further ahead than a normal correction of the clock explains.
    ///
    /// Both times are in milliseconds since 1970.
    static func isAhead(_ noted: Int64, of now: Int64) -> Bool { noted - now > milliseconds(tolerance) }
}
