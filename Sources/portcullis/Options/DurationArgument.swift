internal import ArgumentParser

/// A duration as an argument: `90s`, `15m`, `1h`, `250ms`, or a number of seconds.
struct DurationArgument: ExpressibleByArgument {
    let duration: Duration

    init(_ duration: Duration) { self.duration = duration }

    init?(argument: String) {
        let number = argument.prefix { $0.isASCII && $0.isNumber }
        guard let value = Int64(number), value <= 1_000_000_000 else { return nil }
        switch argument.dropFirst(number.count) {
        case "ms": duration = .milliseconds(value)
        case "", "s": duration = .seconds(value)
        case "m", "min": duration = .seconds(value * 60)
        case "h": duration = .seconds(value * 3600)
        case "d": duration = .seconds(value * 86_400)
        default: return nil
        }
    }

    var defaultValueDescription: String {
        let parts = duration.components
        if parts.attoseconds != 0 {
            return "\(parts.seconds * 1000 + parts.attoseconds / 1_000_000_000_000_000)ms"
        }
        return parts.seconds % 60 == 0 && parts.seconds > 0 ? "\(parts.seconds / 60)m" : "\(parts.seconds)s"
    }
}
