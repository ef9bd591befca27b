public import PortcullisCore

/// An error of reading a time zone from the system's files.
public typealias ZoneFileError = CodedError<ZoneFileErrorCode>

/// The codes of a ``ZoneFileError``. An adapter can add its own.
public struct ZoneFileErrorCode: ErrorCode {
    /// The code's name.
    public let name: String

    /// Makes a code of this name.
    public init(_ name: String) { self.name = name }

    /// There is no zone of the given name, or the text cannot be a zone's name.
    public static let unknownZone = Self("unknownZone")
    /// The system has no zone files at all. UTC works without them.
    public static let noZoneFiles = Self("noZoneFiles")
    /// The file breaks a rule of RFC 9636.
    public static let damaged = Self("damaged")
    /// The file counts leap seconds, but the system's clock does not.
    public static let leapSeconds = Self("leapSeconds")
    /// The file is too large for a zone, or is not a regular file.
    public static let notAZone = Self("notAZone")
    /// The system refused to open or read the file. The cause says why.
    public static let unreadable = Self("unreadable")
}
