internal import AdapterKit
internal import PortcullisCore

#if os(Linux)
internal import ZoneFiles
#else
internal import Foundation
#endif

#if os(Linux)
/// A zone from the system's own files.
struct SystemZone: Sendable {
    /// The name that the caller asked for.
    let name: String
    private let table: ZoneTable
    private let stamp: ZoneFileStamp?

    static let utc = SystemZone(name: "UTC", table: .utc, stamp: nil)

    /// Reads the zone of an IANA name.
    init(named name: String) throws(ZoneFileError) { self.init(try ZoneFiles().zone(named: name)) }

    /// Reads the zone from the file that the system uses. The zone gets the given name.
    ///
    /// - Returns: `nil` if there is no such file.
    init?(file path: String, name: String) throws(ZoneFileError) {
        guard let zone = try ZoneFiles.zone(at: path, named: name) else { return nil }
        self.init(zone)
    }

    private init(_ zone: ZoneFiles.Zone) { self.init(name: zone.name, table: zone.table, stamp: zone.stamp) }

    private init(name: String, table: ZoneTable, stamp: ZoneFileStamp?) {
        (self.name, self.table, self.stamp) = (name, table, stamp)
    }

    /// Returns the same zone under another name. This gives an IANA name to a zone that was read from a copy
    /// of a zone file. Other programs find a zone only by its IANA name.
    func named(_ name: String) -> SystemZone { SystemZone(name: name, table: table, stamp: stamp) }

    /// Whether another zone has the same local times at all times.
    func agrees(with other: SystemZone) -> Bool { table == other.table }

    /// Whether the file is unchanged since it was read. The check takes one `stat`.
    var isCurrent: Bool { stamp?.isCurrent ?? true }

    /// The offset from UTC in seconds, at a time that is given in seconds since 1970.
    func offset(at second: Int) -> Int { table.offset(at: second) }

    /// The spans of equal offset that overlap a range of seconds since 1970.
    func spans(in range: ClosedRange<Int>) -> [ZoneSpan] { table.spans(in: range) }

    /// The folders to watch for replaced zone files.
    static var folders: [String] { ZoneFiles().watchedFolders }

    /// The names of all zones.
    static var names: [String] { ZoneFiles().names }

    /// The name of a zone, taken from the path of the zone's file; `nil` if the path is not below a folder of
    /// zone files.
    static func name(in path: String) -> String? {
        ZoneFiles().folders.first { path.hasPrefix($0 + "/") }.map { String(path.dropFirst($0.count + 1)) }
    }
}
#else
/// A zone of Foundation, whose data comes with the system.
struct SystemZone: Sendable {
    private let zone: TimeZone

    static let utc = SystemZone(zone: .gmt)

    private init(zone: TimeZone) { self.zone = zone }

    /// Finds the zone of an IANA name.
    init(named name: String) throws(ZoneFileError) {
        guard let zone = TimeZone(identifier: name) else {
            throw ZoneFileError(code: .unknownZone, message: "there is no zone “\(name)”")
        }
        self.zone = zone
    }

    /// Uses Foundation's present zone, and ignores the path and the name. The caller uses this
    /// initialiser if the system's file is not a link to a named zone.
    init?(file path: String, name: String) throws(ZoneFileError) { zone = .current }

    var name: String { zone.identifier }

    /// Always `true`. The data is a part of the operating system, and does not change before the system is
    /// restarted.
    var isCurrent: Bool { true }

    /// The offset from UTC in seconds, at a time that is given in seconds since 1970.
    func offset(at second: Int) -> Int {
        zone.secondsFromGMT(for: Date(timeIntervalSince1970: Double(second)))
    }

    /// The spans of equal offset that overlap a range of seconds since 1970.
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
