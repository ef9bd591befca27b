public import PortcullisCore

/// Why the system's files give no time zone.
public typealias ZoneFileError = CodedError<ZoneFileErrorCode>

/// The kinds of a ``ZoneFileError``, open for more.
public struct ZoneFileErrorCode: ErrorCode {
    /// The code's name.
    public let name: String

    /// A code of this name.
    public init(_ name: String) { self.name = name }

    /// There is no zone of that name, or the text can be no zone's name.
    public static let unknownZone = Self("unknownZone")
    /// The system has no zone files at all; UTC is known all the same.
    public static let noZoneFiles = Self("noZoneFiles")
    /// The file breaks a rule of RFC 9636.
    public static let damaged = Self("damaged")
    /// The file counts leap seconds, which the system's clock does not.
    public static let leapSeconds = Self("leapSeconds")
    /// What has the zone's name is too large for a zone, or no regular file.
    public static let notAZone = Self("notAZone")
    /// The system refused to open or read the file; the cause says why.
    public static let unreadable = Self("unreadable")
}
