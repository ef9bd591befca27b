/// Whether this server's clock is near enough to those of the others for it to answer (SPEC F-3).
///
/// Delays, codes and sessions are measured by wall clocks, so one that is ahead would end them too early. Pure: what the
/// others tell is handed in.
package struct ClockRule: Sendable, Hashable {
    /// How far a clock may be from the median of the live ones.
    package var limit: Duration

    /// A rule with this limit.
    package init(limit: Duration) { self.limit = limit }

    /// Why a server does not answer.
    package enum Objection: Sendable, Hashable, CustomStringConvertible {
        /// It is so far from the median of the live ones; ahead if more than zero.
        case apart(Duration)
        /// There are two, and they are so far from each other: which one is wrong cannot be told.
        case disagreeing(Duration)
        /// There is one, and the newest time in the store is so far ahead of it.
        case behindStore(Duration)
        /// What the others tell could not be read lately, or this server's time could not be told.
        case unknown

        /// The reason, for logs and answers.
        package var description: String {
            switch self {
            case .apart(let difference): "the clock is \(difference) from the median of the servers"
            case .disagreeing(let difference): "the clocks of the two servers differ by \(difference)"
            case .behindStore(let difference):
                "the clock is \(difference) behind the newest time in the store"
            case .unknown: "the other servers' clocks are not known"
            }
        }
    }

    /// Judges this server's clock.
    ///
    /// - Parameters:
    ///   - others: how far each other live server's clock is ahead of this one's.
    ///   - behind: how far the newest time in the store is ahead of this server's; zero or less where it is not.
    /// - Returns: `nil` where it may answer.
    package func objection(others: [Duration], behind: Duration) -> Objection? {
        switch others.count {
        case 0: return behind > limit ? .behindStore(behind) : nil
        case 1:
            let difference = others[0] < .zero ? .zero - others[0] : others[0]
            return difference > limit ? .disagreeing(difference) : nil
        default:
            let sorted = (others + [.zero]).sorted()
            let middle = sorted.count / 2
            let median = sorted.count % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2
            let apart = .zero - median
            return (apart < .zero ? median : apart) > limit ? .apart(apart) : nil
        }
    }

    /// How much two servers that both answer can differ: what a delay is lengthened and a code's life shortened by, so that
    /// no one gains by asking another server.
    package var margin: Duration { limit * 2 }
}

/// What is known of the other servers' clocks: how far each was ahead when it told its time last.
package struct ClockReadings: Sendable {
    private struct Reading: Sendable {
        var telling: Int64
        var ahead: Duration
    }

    private var readings: [String: Reading] = [:]
    /// The latest time that any server told, in milliseconds since 1970.
    package private(set) var newest: Int64 = 0

    /// Nothing known.
    package init() {}

    /// One server's telling.
    package struct Telling: Sendable {
        /// The server.
        package var id: String
        /// Its wall time when it told.
        package var wall: Duration
        /// The telling: another number is another telling.
        package var number: Int64

        /// A telling of these parts.
        package init(id: String, wall: Duration, number: Int64) {
            (self.id, self.wall, self.number) = (id, wall, number)
        }
    }

    /// Notes what the live servers tell; those that are not among them are forgotten.
    ///
    /// A telling is compared with this server's time when it is seen first. It may have been on its way since the time before
    /// was asked: so long the difference is not known to be, and the reading that is nearest to this server's clock counts.
    ///
    /// - Parameters:
    ///   - tellings: of the others.
    ///   - wall: this server's wall time now.
    ///   - since: this server's wall time when it was asked the time before.
    package mutating func note(_ tellings: [Telling], at wall: Duration, since: Duration) {
        var found: [String: Reading] = [:]
        for telling in tellings {
            newest = max(newest, WallClock.milliseconds(telling.wall))
            if let known = readings[telling.id], known.telling == telling.number {
                found[telling.id] = known
                continue
            }
            // The time of telling lies between `since` and `wall` by this server's clock.
            let (least, most) = (telling.wall - wall, telling.wall - since)
            let ahead: Duration = least > .zero ? least : (most < .zero ? most : .zero)
            found[telling.id] = Reading(telling: telling.number, ahead: ahead)
        }
        readings = found
    }

    /// How far each other server is ahead.
    package var others: [Duration] { readings.values.map(\.ahead) }
}
