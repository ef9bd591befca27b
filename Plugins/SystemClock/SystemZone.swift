internal import AdapterKit
internal import PortcullisCore

#if os(Linux)
internal import ZoneFiles
#else
internal import Foundation
#endif

#if os(Linux)
/// A zone of the system's own files.
struct SystemZone: Sendable {
    /// The name by which it was asked for.
    let name: String
    private let table: ZoneTable
    private let stamp: ZoneFileStamp?

    static let utc = SystemZone(name: "UTC", table: .utc, stamp: nil)

    /// The zone of an IANA name.
    init(named name: String) throws(ZoneFileError) { self.init(try ZoneFiles().zone(named: name)) }

    /// The zone in the file that the system goes by, whatever its name.
    ///
    /// - Returns: `nil` where there is no file.
    init?(file path: String, name: String) throws(ZoneFileError) {
        guard let zone = try ZoneFiles.zone(at: path, named: name) else { return nil }
        self.init(zone)
    }

    private init(_ zone: ZoneFiles.Zone) { self.init(name: zone.name, table: zone.table, stamp: zone.stamp) }

    private init(name: String, table: ZoneTable, stamp: ZoneFileStamp?) {
        (self.name, self.table, self.stamp) = (name, table, stamp)
    }

    /// The same under a name by which others find it, too.
    func named(_ name: String) -> SystemZone { SystemZone(name: name, table: table, stamp: stamp) }

    /// Whether clocks show the same in another zone, at all times.
    func agrees(with other: SystemZone) -> Bool { table == other.table }

    /// Whether the file is still what it was, by one `stat`.
    var isCurrent: Bool { stamp?.isCurrent ?? true }

    /// Seconds to add to UTC.
    func offset(at second: Int) -> Int { table.offset(at: second) }

    /// The stretches of equal offset that touch a range of seconds since 1970.
    func spans(in range: ClosedRange<Int>) -> [ZoneSpan] { table.spans(in: range) }

    /// The folders in which a zone that the distribution replaces is to be seen.
    static var folders: [String] { ZoneFiles().watchedFolders }

    /// The names of all zones.
    static var names: [String] { ZoneFiles().names }

    /// Whether a path is below a folder of zone files; what follows is the zone's name.
    static func name(in path: String) -> String? {
        ZoneFiles().folders.first { path.hasPrefix($0 + "/") }.map { String(path.dropFirst($0.count + 1)) }
    }
}
#else
/// A zone of Foundation, whose data is the system's.
struct SystemZone: Sendable {
    private let zone: TimeZone

    static let utc = SystemZone(zone: .gmt)

    private init(zone: TimeZone) { self.zone = zone }

    /// The zone of an IANA name.
    init(named name: String) throws(ZoneFileError) {
        guard let zone = TimeZone(identifier: name) else {
            throw ZoneFileError(code: .unknownZone, message: "there is no zone “\(name)”")
        }
        self.zone = zone
    }

    /// Foundation's own present zone, for a file that is no link to a name.
    init?(file path: String, name: String) throws(ZoneFileError) { zone = .current }

    var name: String { zone.identifier }

    /// It comes with the system's version, and changes with a restart at the earliest.
    var isCurrent: Bool { true }

    /// Seconds to add to UTC.
    func offset(at second: Int) -> Int {
        zone.secondsFromGMT(for: Date(timeIntervalSince1970: Double(second)))
    }

    /// The stretches of equal offset that touch a range of seconds since 1970.
    func spans(in range: ClosedRange<Int>) -> [ZoneSpan] {
        var spans: [ZoneSpan] = []
        var start = range.lowerBound
        while true {
            let date = Date(timeIntervalSince1970: Double(start))
            let offset = zone.secondsFromGMT(for: date)
            let next = zone.nextDaylightSavingTimeTransition(after: date).map {
                Int($0.timeIntervalSince1970)
            }
            guard let next, next > start, next <= range.upperBound else {
                return spans + [ZoneSpan(start: start, end: nil, offset: offset)]
            }
            spans.append(ZoneSpan(start: start, end: next, offset: offset))
            start = next
        }
    }

    static func name(in path: String) -> String? { nil }
}
#endif
