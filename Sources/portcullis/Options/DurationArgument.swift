internal import ArgumentParser
internal import PasscodeLock

/// A duration as one types it: `15m`, `10s`, `1h30m`, `250ms`, or a number of seconds.
struct DurationArgument: ExpressibleByArgument {
    let duration: Duration

    init(_ duration: Duration) { self.duration = duration }

    init?(argument: String) {
        var total = Duration.zero
        var rest = argument[...]
        guard !rest.isEmpty else { return nil }
        while !rest.isEmpty {
            let digits = rest.prefix { $0.isASCII && $0.isNumber }
            let unit = rest.dropFirst(digits.count).prefix { $0.isASCII && $0.isLetter }
            rest = rest.dropFirst(digits.count + unit.count)
            guard let number = Int64(digits), number <= 1_000_000 else { return nil }
            switch unit {
            case "ms": total += .milliseconds(number)
            case "s": total += .seconds(number)
            case "" where rest.isEmpty && digits.count == argument.count: total = .seconds(number)
            case "m", "min": total += .seconds(number * 60)
            case "h": total += .seconds(number * 3600)
            case "d": total += .seconds(number * 86_400)
            default: return nil
            }
        }
        duration = total
    }

    var defaultValueDescription: String {
        let parts = duration.components
        return parts.seconds.isMultiple(of: 60) ? "\(parts.seconds / 60)m" : "\(parts.seconds)s"
    }
}

/// How long one may be away: a duration or `never`.
struct TimeoutArgument: ExpressibleByArgument {
    let timeout: LockTimeout

    init?(argument: String) {
        if argument == "never" {
            timeout = .never
        } else if let duration = DurationArgument(argument: argument)?.duration {
            timeout = .after(duration)
        } else {
            return nil
        }
    }
}
