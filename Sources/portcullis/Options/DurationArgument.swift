internal import ArgumentParser
internal import PasscodeLock
internal import PortcullisCore

/// A duration as a person types it: `15m`, `10s`, `1h30m`, `250ms`, or a number of seconds.
struct DurationArgument: ExpressibleByArgument {
    let duration: Duration

    init(_ duration: Duration) { self.duration = duration }

    init?(argument: String) {
        guard let duration = Duration(shorthand: argument) else { return nil }
        self.duration = duration
    }

    var defaultValueDescription: String {
        let parts = duration.components
        return parts.seconds.isMultiple(of: 60) ? "\(parts.seconds / 60)m" : "\(parts.seconds)s"
    }
}

/// The length of the absence after which the app locks: at most 100 years, or `never`.
struct TimeoutArgument: ExpressibleByArgument {
    let timeout: LockTimeout

    init?(argument: String) {
        if argument == "never" {
            timeout = .never
        } else {
            guard let duration = Duration(shorthand: argument), duration <= LockTimeout.longest else {
                return nil
            }
            timeout = .after(duration)
        }
    }
}
