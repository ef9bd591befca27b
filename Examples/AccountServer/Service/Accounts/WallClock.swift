/// What the wall clock tells, and what one that is set back leaves behind.
enum WallClock {
    /// Milliseconds since 1970.
    static func milliseconds(_ wall: Duration) -> Int64 {
        let (seconds, attoseconds) = wall.components
        return seconds * 1_000 + attoseconds / 1_000_000_000_000_000
    }

    /// Whether a moment that was noted lies further ahead than clocks are corrected in the normal course of things.
    ///
    /// Both in milliseconds since 1970. A minute is let pass: a small step back must not void what is fresh.
    static func isAhead(_ noted: Int64, of now: Int64) -> Bool { noted - now > 60_000 }
}
