#if os(Linux)
public import AdapterKit
public import PortcullisCore
internal import ZoneFiles

// Zones from the system's own files.
extension ZoneRules {
    /// The version of the tz database from which the system's zone files were made, such as `2026a`. It is
    /// `unknown` if the files do not name it, and `none` if there are no files.
    public static var dataVersion: String { ZoneFiles().version }

    /// Reads the zone with an IANA name.
    ///
    /// Names such as `GMT+2` are refused, because they mean two hours west in POSIX and two hours east in
    /// Foundation. `Etc/GMT-2` is the zone two hours east. UTC needs no file.
    ///
    /// - Throws: ``/AdapterKit/ZoneFileError``: ``/AdapterKit/ZoneFileErrorCode/unknownZone``,
    ///   ``/AdapterKit/ZoneFileErrorCode/noZoneFiles`` on a system without any,
    ///   ``/AdapterKit/ZoneFileErrorCode/damaged``, ``/AdapterKit/ZoneFileErrorCode/leapSeconds``,
    ///   ``/AdapterKit/ZoneFileErrorCode/notAZone`` or ``/AdapterKit/ZoneFileErrorCode/unreadable``.
    public convenience init(named name: String) throws(ZoneFileError) {
        guard OffsetName(name) == nil else {
            throw ZoneFileError(code: .unknownZone, message: "“\(name)” has two meanings")
        }
        let zone = try ZoneFiles().zone(named: name)
        self.init(name: name, table: zone.table) { zone.stamp?.isCurrent ?? true }
    }

    /// Reads the zone with an IANA name from the system's zone file.
    ///
    /// - Returns: `nil` if there is no such zone, or if its file cannot be read; ``init(named:)`` throws the reason.
    public convenience init?(_ name: String) { try? self.init(named: name) }

    /// Whether the system has a zone of this name.
    static func exists(_ name: String) -> Bool {
        OffsetName(name) == nil && (try? ZoneFiles().zone(named: name)) != nil
    }

    static var namesInData: [String] { ["UTC", "Etc/UTC", "Etc/GMT", "Zulu", "GMT"] + ZoneFiles().names }

    /// The problem of the system's files that keeps this zone from being read; `nil` if there is no problem,
    /// or if only the name is wrong.
    static func fileProblem(of name: String) -> String? {
        guard OffsetName(name) == nil else { return nil }
        do throws(ZoneFileError) {
            _ = try ZoneFiles().zone(named: name)
            return nil
        } catch {
            return switch error.code {
            case .unknownZone: nil
            case .noZoneFiles: "this system has no time zone files: install tzdata, or write UTC"
            default:
                "the system's file of that zone is of no use (\(error.code)): install tzdata anew, or write UTC"
            }
        }
    }
}
#endif
