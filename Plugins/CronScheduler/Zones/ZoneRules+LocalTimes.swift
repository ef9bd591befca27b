// Local times of a zone.
extension ZoneRules {
    /// The number of seconds to add to UTC for the local time.
    ///
    /// - Parameter second: seconds since 1970-01-01T00:00:00Z. Seconds further than some 500 million years
    ///   from 1970 have the offset of that limit.
    public func offset(at second: Int) -> Int { stretch(at: Self.clamped(second)).offset }

    private static func clamped(_ second: Int) -> Int {
        min(max(second, -CronExpression.horizon), CronExpression.horizon)
    }

    /// Finds the second with this local time. If the clocks skip this time, the result is the end of the gap.
    /// If they show it twice, the result is the first of the two seconds.
    ///
    /// - Parameter local: seconds since 1970-01-01T00:00 on the wall clock. A time that is more than about
    ///   500 million years before or after 1970 is replaced by that limit.
    /// - Returns: seconds since 1970-01-01T00:00:00Z.
    public func second(showing local: Int) -> Int { firstSecond(reaching: Self.clamped(local)) }

    /// Finds the zone that may be meant by a name which does not exist. The zone's name differs from the
    /// given name only in capitals or separators, or has the same last part, such as `Riga`.
    ///
    /// - Returns: the zone's name; `nil` if there is none.
    public static func name(near name: String) -> String? {
        let key = ZoneNames.key(name)
        // The first lookup finds a whole name with other capitals or separators, such as europe/riga. The
        // second lookup compares only the place, such as Riga.
        return ZoneNames.byKey[key] ?? ZoneNames.byPlace[ZoneNames.place(key)]
    }

    /// The names of all zones, sorted, for a list to choose from.
    package static var allNames: [String] { ZoneNames.byKey.values.sorted() }

    /// A hint about a name that gives no zone. The hint is one of three: the result of ``name(near:)``, both
    /// zones that a name such as `GMT+2` may mean, or the problem of the system's zone files.
    public static func hint(for name: String) -> String {
        if let problem = fileProblem(of: name) { return problem }
        let plain = name.lowercased().hasPrefix("etc/") ? String(name.dropFirst(4)) : name
        return OffsetName(plain)?.hint ?? self.name(near: name).map { "write \($0)" }
            ?? "write an IANA name such as Europe/Riga"
    }
}

/// The names of all zones, by keys that ignore capitals and separators. They are read once, when they are
/// first needed, because most processes never need them.
private enum ZoneNames {
    static let byKey = Dictionary(
        ZoneRules.namesInData.map { (key($0), $0) },
        // If two spellings have the same key, the alphabetically first one is kept. UTC and Etc/UTC have
        // different keys, though they are one zone.
        uniquingKeysWith: min
    )
    static let byPlace = Dictionary(byKey.map { (place($0), $1) }, uniquingKeysWith: min)

    static func key(_ name: String) -> String {
        name.lowercased().filter { $0.isLetter || $0.isNumber || $0 == "/" || $0 == "+" }
    }

    /// The last part of a key, which names the place.
    static func place(_ key: String) -> String { key.split(separator: "/").last.map(String.init) ?? "" }
}
