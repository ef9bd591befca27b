/// How a language writes how long something takes.
public struct DurationText: Sendable {
    private let write: @Sendable (Duration) -> String

    /// Durations as a function writes them; it gets any duration, also zero and less.
    public init(_ write: @escaping @Sendable (Duration) -> String) { self.write = write }

    /// Hours and minutes from an hour on, minutes from a minute on, else seconds; rounded up in that unit.
    ///
    /// - Parameters:
    ///   - hour: follows the number of hours.
    ///   - minute: follows the number of minutes.
    ///   - second: follows the number of seconds.
    public init(hour: String = "h", minute: String = "min", second: String = "s") {
        self.init { duration in
            let parts = duration.components
            let seconds = parts.seconds + (parts.attoseconds > 0 ? 1 : 0)
            if seconds < 60 { return "\(seconds) \(second)" }
            let minutes = (seconds - 1) / 60 + 1
            if minutes < 60 { return "\(minutes) \(minute)" }
            let rest = minutes % 60
            return rest == 0 ? "\(minutes / 60) \(hour)" : "\(minutes / 60) \(hour) \(rest) \(minute)"
        }
    }

    /// The duration in words.
    public func callAsFunction(_ duration: Duration) -> String { write(duration) }
}
