#if !os(Linux)
public import AdapterKit
internal import Foundation
public import PortcullisCore

// Zones from Foundation, which has the time zone data on these systems.
extension ZoneRules {
    /// The version of the time zone data that zones are made from, such as `2025b`.
    public static var dataVersion: String { TimeZone.timeZoneDataVersion }

    /// Makes the zone with an IANA name.
    ///
    /// This takes up to a few milliseconds, so callers should keep the zone. Names such as `GMT+2` are refused, because
    /// they mean two hours east in Foundation and two hours west in POSIX. `Etc/GMT-2` is the zone two hours east.
    ///
    /// - Throws: ``/AdapterKit/ZoneFileError``: ``/AdapterKit/ZoneFileErrorCode/unknownZone``.
    public convenience init(named name: String) throws(ZoneFileError) {
        guard let zone = Self.timeZone(name) else {
            throw ZoneFileError(code: .unknownZone, message: "there is no zone “\(name)”")
        }
        var time = Date(timeIntervalSince1970: Double(Self.dawn))
        let first = zone.secondsFromGMT(for: time)
        var changes: [(Int, Int)] = []
        // The table goes two years beyond the instant `folding`. So it has the change that ends the offset in force
        // at that instant.
        let end = Date(timeIntervalSince1970: Double(Self.folding + 2 * 366 * 86_400))
        while let next = zone.nextDaylightSavingTimeTransition(after: time), next > time, next < end {
            changes.append((Int(next.timeIntervalSince1970.rounded(.up)), zone.secondsFromGMT(for: next)))
            time = next
        }
        self.init(name: name, offset: first, changes: changes)
    }

    /// Makes the zone with an IANA name.
    ///
    /// - Returns: `nil` if Foundation has no such zone.
    public convenience init?(_ name: String) { try? self.init(named: name) }

    /// Whether Foundation has a zone of this name.
    static func exists(_ name: String) -> Bool { timeZone(name) != nil }

    // Foundation's list lacks most names of UTC, so these names are added.
    static var namesInData: [String] {
        TimeZone.knownTimeZoneIdentifiers + ["UTC", "Etc/UTC", "Etc/GMT", "Zulu"]
    }

    /// Returns `nil`: Foundation provides all zones, so no file of a zone can be damaged or missing.
    static func fileProblem(of name: String) -> String? { nil }

    private static func timeZone(_ name: String) -> TimeZone? {
        OffsetName(name) == nil ? TimeZone(identifier: name) : nil
    }
}
#endif
