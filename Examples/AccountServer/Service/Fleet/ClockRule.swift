package import PortcullisCore

/// Whether this server's clock is near enough to those of the others for it to answer (SPEC F-3).
///
/// Delays, codes and sessions are measured by wall clocks, so a clock that is ahead would end them too early.
/// The rule reads no clock and no store: the caller passes in all times.
package struct ClockRule: Sendable, Hashable {
    /// How far a clock may be from the median of the live servers' clocks.
    package var limit: Duration

    /// The limits that a fleet may have.
    ///
    /// Two servers that answer may differ by twice the limit, and by what a look each second does not show.
    /// With a higher limit, a server would take sessions and codes that another one has just begun for those
    /// of a wrong clock, and would remove them.
    package static var limits: ClosedRange<Duration> {
        .seconds(1)...(WallClock.tolerance - .seconds(10)) / 2
    }

    /// A rule with this limit.
    package init(limit: Duration) { self.limit = limit }

    /// The reason why a server does not answer.
    package enum Objection: Sendable, Hashable, CustomStringConvertible {
        /// The clock is this far from the median of the live servers' clocks; ahead of it if above zero.
        case apart(Duration)
        /// There are two servers, and their clocks differ by this much. Which clock is wrong cannot be told.
        case disagreeing(Duration)
        /// There is one server, and the newest time in the store is this far ahead of its clock.
        case behindStore(Duration)
        /// The other servers' times could not be read lately, or this server could not tell its own time.
        case unknown

        /// The kinds of reasons, without the differences.
        package enum Kind: Sendable, Hashable {
            /// See ``Objection/apart(_:)``.
            case apart
            /// See ``Objection/disagreeing(_:)``.
            case disagreeing
            /// See ``Objection/behindStore(_:)``.
            case behindStore
            /// See ``Objection/unknown``.
            case unknown
        }

        /// The kind of this reason.
        package var kind: Kind {
            switch self {
            case .apart: .apart
            case .disagreeing: .disagreeing
            case .behindStore: .behindStore
            case .unknown: .unknown
            }
        }

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
    ///   - behind: how far the newest time in the store is ahead of this server's clock; at most zero if it
    ///     is not.
    /// - Returns: the reason; `nil` if the server may answer.
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

    /// Whether a newest time is wrong, the one in the store or the one that other servers have told: at least
    /// three servers agree about the time, and the newest time is further ahead than the clock of any server
    /// that answers. A wrong clock has left it.
    ///
    /// - Parameters:
    ///   - behind: how far the newest time is ahead of this server's clock.
    ///   - others: how far each other live server's clock is ahead of this one's.
    package func isWrong(newest behind: Duration, others: [Duration]) -> Bool {
        behind > margin && others.count >= 2
            && others.allSatisfy { (Duration.zero - limit...limit).contains($0) }
    }

    /// How much the clocks of two servers that both answer can differ. Delays are longer, and the lives of
    /// codes are shorter, by this margin, so that a client gains nothing by asking another server.
    package var margin: Duration { limit * 2 }
}

/// How far each other server's clock is ahead, by the message in which that server last told its time.
package struct ClockReadings: Sendable {
    private struct Reading: Sendable {
        var telling: Telling
        /// The server told its time between these two boot times of this server: those of the look before and
        /// of the look that found the telling.
        var earliest: Duration
        var latest: Duration
    }

    private var readings: [String: Reading] = [:]
    /// The boot time at which this server last asked for the tellings.
    private var asked: Duration
    /// This server's wall time at the start of the boot clock, as of the last look. It changes when the wall
    /// clock is set.
    private var offset: Duration
    /// The latest time that was told by a server whose clock was not too far ahead, in milliseconds since
    /// 1970.
    package private(set) var newest: Int64 = 0

    /// Makes readings without any server.
    ///
    /// - Parameters:
    ///   - begun: this server's time now.
    ///   - lifetime: how long a telling can be found after it was made. The first look may find the telling of
    ///     a server that was killed, for example of the one in whose place this server was started. A cluster
    ///     that had no leader keeps tellings for longer. A first look after that takes the clock of a killed
    ///     server for a wrong one, until its telling is gone.
    package init(begun: Moment, lifetime: Duration) {
        asked = begun.sinceBoot - lifetime
        offset = begun.wall - begun.sinceBoot
    }

    /// The message in which a server tells its time.
    package struct Telling: Sendable {
        /// The server.
        package var id: String
        /// The server's wall time in the message.
        package var wall: Duration
        /// The number of the message. Each message of a server has another number.
        package var number: Int64

        /// A telling of these parts.
        package init(id: String, wall: Duration, number: Int64) {
            (self.id, self.wall, self.number) = (id, wall, number)
        }
    }

    /// Notes what the live servers tell. Servers that are not among them are forgotten.
    ///
    /// A telling is compared with this server's clock. The telling may have been made at any time since the
    /// look before it was found, so the difference is known only as a range. The value of the range that is
    /// nearest to zero counts. The boot clock measures the range: a step of this server's wall clock moves
    /// it, and does not widen it.
    ///
    /// - Parameters:
    ///   - tellings: the tellings of the other servers.
    ///   - now: this server's time after the look.
    ///   - asked: this server's time before the look.
    ///   - limit: how far ahead a clock may be for its time to count for ``newest``. The time of a clock that
    ///     is further ahead would keep this server shut after the other server has ended.
    package mutating func note(
        _ tellings: [Telling],
        at now: Moment,
        asked: Moment,
        limit: Duration
    ) {
        offset = now.wall - now.sinceBoot
        var found: [String: Reading] = [:]
        for telling in tellings {
            if let known = readings[telling.id], known.telling.number == telling.number {
                found[telling.id] = known
                continue
            }
            let reading = Reading(telling: telling, earliest: self.asked, latest: now.sinceBoot)
            found[telling.id] = reading
            if ahead(reading) <= limit { newest = max(newest, WallClock.milliseconds(telling.wall)) }
        }
        readings = found
        self.asked = asked.sinceBoot
    }

    /// How far ``newest`` is ahead of a wall time.
    package func newestAhead(of wall: Duration) -> Duration {
        .milliseconds(newest - WallClock.milliseconds(wall))
    }

    /// Forgets ``newest`` if it is wrong. The next tellings tell a newest time again.
    ///
    /// - Parameters:
    ///   - rule: decides whether it is wrong.
    ///   - wall: this server's wall time.
    package mutating func forgetNewest(ifWrongBy rule: ClockRule, at wall: Duration) {
        if rule.isWrong(newest: newestAhead(of: wall), others: others) { newest = 0 }
    }

    /// How far each other server's clock is ahead of this server's.
    package var others: [Duration] { readings.values.map(ahead) }

    private func ahead(_ reading: Reading) -> Duration {
        let wall = reading.telling.wall - offset
        let (least, most) = (wall - reading.latest, wall - reading.earliest)
        return least > .zero ? least : (most < .zero ? most : .zero)
    }
}
