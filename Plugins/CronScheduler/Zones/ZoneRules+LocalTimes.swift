// What the zone's clocks show.
extension ZoneRules {
    /// Seconds to add to UTC for the local time.
    ///
    /// - Parameter second: seconds since 1970-01-01T00:00:00Z; beyond some 500 million years from there the offset
    ///   is the last of these.
    public func offset(at second: Int) -> Int { stretch(at: Self.clamped(second)).offset }

    /// Beyond these seconds, as many as the search for times looks at, sums with offsets need not hold.
    private static let horizon = 1 << 54

    private static func clamped(_ second: Int) -> Int { min(max(second, -horizon), horizon) }

    /// The first second at which the local time is this: the end of the gap for one that clocks leave out, the
    /// first of two for one that they show twice.
    ///
    /// - Parameter local: seconds since 1970-01-01T00:00 by the clock on the wall; what is beyond some 500 million
    ///   years from there is taken for the last of these.
    /// - Returns: seconds since 1970-01-01T00:00:00Z.
    public func second(showing local: Int) -> Int { firstSecond(reaching: Self.clamped(local)) }

    /// The name of the zone that a name which does not exist may stand for: one that differs in capitals or
    /// separators only, or ends in the same place.
    ///
    /// - Returns: `nil` when there is none.
    public static func name(near name: String) -> String? {
        let key = ZoneNames.key(name)
        // Europe/Calcutta, or Riga alone.
        return ZoneNames.byKey[key] ?? ZoneNames.byPlace[ZoneNames.place(key)]
    }

    /// The names of all zones, for choosing one.
    package static var allNames: [String] { ZoneNames.byKey.values.sorted() }

    /// What to do about a name that gives no zone: ``name(near:)`` instead, or both zones that a `GMT+2` may mean, or what
    /// is wrong with the system's zone files.
    public static func hint(for name: String) -> String {
        if let problem = fileProblem(of: name) { return problem }
        let plain = name.lowercased().hasPrefix("etc/") ? String(name.dropFirst(4)) : name
        return OffsetName(plain)?.hint ?? self.name(near: name).map { "write \($0)" }
            ?? "write an IANA name such as Europe/Riga"
    }
}

/// The names that the data has, by what is left of them when capitals and separators do not count; as they were when the
/// first was asked for, because they only serve for hints.
private enum ZoneNames {
    static let byKey = Dictionary(
        ZoneRules.namesInData.map { (key($0), $0) },
        // Of UTC and Etc/UTC, which are one place, each is its own key; of two spellings the first.
        uniquingKeysWith: min
    )
    static let byPlace = Dictionary(byKey.map { (place($0), $1) }, uniquingKeysWith: min)

    static func key(_ name: String) -> String {
        name.lowercased().filter { $0.isLetter || $0.isNumber || $0 == "/" || $0 == "+" }
    }

    /// What comes last in a key.
    static func place(_ key: String) -> String { key.split(separator: "/").last.map(String.init) ?? "" }
}
