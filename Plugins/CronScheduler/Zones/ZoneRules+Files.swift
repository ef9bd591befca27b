#if os(Linux)
public import AdapterKit
public import PortcullisCore
internal import ZoneFiles

// Zones of the system's own files.
extension ZoneRules {
    /// The version of the tz database that the system's zone files were made of, such as `2026a`; `unknown` where they do
    /// not say, `none` where there are none.
    public static var dataVersion: String { ZoneFiles().version }

    /// The zone with an IANA name, or the reason why there is none.
    ///
    /// Names such as `GMT+2` are none: they mean two hours west in POSIX and two hours east in Foundation; `Etc/GMT-2` is
    /// the zone two hours east. UTC needs no file.
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

    /// The zone with an IANA name, read from the system's zone file.
    ///
    /// - Returns: `nil` where there is none, or none that can be read; ``init(named:)`` says why.
    public convenience init?(_ name: String) { try? self.init(named: name) }

    /// Whether the data has a zone of this name.
    static func exists(_ name: String) -> Bool {
        OffsetName(name) == nil && (try? ZoneFiles().zone(named: name)) != nil
    }

    static var namesInData: [String] { ["UTC", "Etc/UTC", "Etc/GMT", "Zulu", "GMT"] + ZoneFiles().names }

    /// What is wrong with the system's files rather than with a name.
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
