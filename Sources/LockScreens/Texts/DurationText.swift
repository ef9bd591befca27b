/// Converts durations to text in a language.
public struct DurationText: Sendable {
    private let write: @Sendable (Duration) -> String

    /// Makes a converter from a function. The function must accept every duration, including zero and
    /// negative durations.
    public init(_ write: @escaping @Sendable (Duration) -> String) { self.write = write }

    /// Makes a converter to hours, minutes and seconds. The duration is rounded up: to whole minutes if it is
    /// longer than 59 seconds, otherwise to whole seconds. The rounded duration decides the units: hours and
    /// minutes from an hour on, minutes from a minute on, and otherwise seconds.
    ///
    /// - Parameters:
    ///   - hour: the word after the number of hours.
    ///   - minute: the word after the number of minutes.
    ///   - second: the word after the number of seconds.
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

    /// The text of a duration.
    public func callAsFunction(_ duration: Duration) -> String { write(duration) }
}
