internal import Foundation

// What the zone's clocks show.
extension ZoneRules {
    /// Seconds to add to UTC for the local time.
    ///
    /// - Parameter second: seconds since 1970-01-01T00:00:00Z.
    public func offset(at second: Int) -> Int { stretch(at: second).offset }

    /// The first second at which the local time is this: the end of the gap for one that clocks leave out, the
    /// first of two for one that they show twice.
    ///
    /// - Parameter local: seconds since 1970-01-01T00:00 by the clock on the wall.
    /// - Returns: seconds since 1970-01-01T00:00:00Z.
    public func second(showing local: Int) -> Int { firstSecond(reaching: local) }

    /// The name of a zone that somebody may have meant who wrote a name that does not exist: one that differs in
    /// capitals or separators only, or ends in the same place.
    ///
    /// - Returns: `nil` when there is none.
    public static func name(near name: String) -> String? {
        let key = key(name)
        guard !key.isEmpty else { return nil }
        let known = TimeZone.knownTimeZoneIdentifiers
        if let same = known.first(where: { Self.key($0) == key }) { return same }
        // Europe/Calcutta, or Riga alone.
        let place = Self.key(name.split(separator: "/").last.map(String.init) ?? name)
        return known.first { Self.key($0.split(separator: "/").last.map(String.init) ?? $0) == place }
    }

    private static func key(_ name: String) -> String {
        name.lowercased().filter { $0.isLetter || $0.isNumber || $0 == "/" || $0 == "+" }
    }
}
