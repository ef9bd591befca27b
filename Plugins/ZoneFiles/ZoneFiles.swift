#if os(Linux)
package import AdapterKit
internal import CLinux
internal import LinuxSystem
internal import PortcullisCore

#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#endif

/// The system's own zone files, which the distribution's updates replace.
///
/// Nothing is cached. A zone's file is read each time a caller requests the zone. Later, the zone's
/// ``ZoneFileStamp`` shows whether the file has changed since. UTC and its other names need no file.
package struct ZoneFiles: Sendable {
    /// The folders that may have zone files, in the order of preference.
    package let folders: [String]

    /// Uses the files in these folders.
    package init(folders: [String]) { self.folders = folders }

    /// Uses the files in the folder that `TZDIR` names, or else in the folders of common distributions.
    package init() {
        // `secure_getenv` returns `nil` in a process with more rights than its user, because the user must
        // not choose the files that such a process reads.
        if let own = unsafe secure_getenv("TZDIR"), unsafe own.pointee != 0 {
            folders = [unsafe String(cString: own)]
        } else {
            folders = [
                "/usr/share/zoneinfo", "/usr/lib/zoneinfo", "/usr/share/lib/zoneinfo", "/etc/zoneinfo",
            ]
        }
    }

    /// A zone that was read.
    package struct Zone: Sendable {
        /// The name that the caller asked for.
        package let name: String
        package let table: ZoneTable
        /// The stamp of the zone's file; `nil` for UTC.
        package let stamp: ZoneFileStamp?
    }

    /// The zone names that mean UTC. The same names with the prefix `Etc/` also mean UTC.
    private static let namesOfUTC: Set = [
        "GMT", "GMT+0", "GMT-0", "GMT0", "Greenwich", "UCT", "UTC", "Universal", "Zulu",
    ]

    /// Reads the zone of an IANA name.
    ///
    /// - Throws: ``ZoneFileError``: ``ZoneFileErrorCode/unknownZone``, ``ZoneFileErrorCode/noZoneFiles``, and
    ///   for an existing file ``ZoneFileErrorCode/damaged``, ``ZoneFileErrorCode/leapSeconds``,
    ///   ``ZoneFileErrorCode/notAZone`` or ``ZoneFileErrorCode/unreadable``.
    package func zone(named name: String) throws(ZoneFileError) -> Zone {
        if Self.namesOfUTC.contains(name.hasPrefix("Etc/") ? String(name.dropFirst(4)) : name) {
            return Zone(name: name, table: .utc, stamp: nil)
        }
        guard Self.isName(name) else {
            throw ZoneFileError(code: .unknownZone, message: "no zone has a name such as “\(name)”")
        }
        for folder in folders {
            if let zone = try Self.zone(at: folder + "/" + name, named: name) { return zone }
        }
        guard folder != nil else {
            throw ZoneFileError(code: .noZoneFiles, message: "there are no zone files in \(folders)")
        }
        throw ZoneFileError(code: .unknownZone, message: "there is no zone file “\(name)”")
    }

    /// The first existing folder of ``folders``; `nil` if none of them exists.
    package var folder: String? {
        folders.first { folder in
            var status = stat()
            return unsafe stat(folder, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
        }
    }

    /// Reads the zone in a file; `nil` if there is no such file.
    ///
    /// - Throws: ``ZoneFileError`` if the file exists but cannot be used. The codes are those of
    ///   ``zone(named:)``.
    package static func zone(at path: String, named name: String) throws(ZoneFileError) -> Zone? {
        guard let (bytes, stamp) = try contents(of: path, atMost: ZoneTable.mostBytes) else { return nil }
        do throws(ZoneFileError) {
            return Zone(name: name, table: try ZoneTable(file: bytes), stamp: stamp)
        } catch {
            throw ZoneFileError(code: error.code, message: "\(path): \(error.message)")
        }
    }

    /// Reads a regular file; `nil` if there is no such file, or a folder in its place. `Europe`, for
    /// example, is a folder of zone files and no zone.
    static func contents(
        of path: String,
        atMost most: Int
    ) throws(ZoneFileError) -> (bytes: [UInt8], stamp: ZoneFileStamp)? {
        // `O_NONBLOCK` keeps a path to a pipe from blocking the reader. `O_NOCTTY` keeps a terminal from
        // becoming the process's controlling terminal.
        let file = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
        guard file >= 0 else {
            if errno == ENOENT || errno == ENOTDIR { return nil }
            throw refusal("open", path)
        }
        defer { close(file) }
        var status = stat()
        guard unsafe fstat(file, &status) == 0 else { throw refusal("fstat", path) }
        if status.st_mode & S_IFMT == S_IFDIR { return nil }
        guard status.st_mode & S_IFMT == S_IFREG, status.st_size <= most else {
            throw ZoneFileError(code: .notAZone, message: "\(path): too large for a zone, or no regular file")
        }
        // The additional byte lets the loop find the end of the file. If the file grows after its size was
        // read, the loop may end before the end of the file. In that case the stamp shows that the file has
        // changed.
        var bytes = [UInt8](repeating: 0, count: Int(status.st_size) + 1)
        var count = 0
        while count < bytes.count {
            let reading = unsafe bytes.withUnsafeMutableBytes {
                unsafe Descriptors.read(file, into: UnsafeMutableRawBufferPointer(rebasing: $0[count...]))
            }
            guard case .bytes(let more) = reading else {
                if case .failed = reading { throw refusal("read", path) }
                break
            }
            count += more
        }
        return (Array(bytes[..<count]), ZoneFileStamp(path: path, status))
    }

    private static func refusal(_ call: String, _ path: String) -> ZoneFileError {
        let cause = SystemCallError(errno: errno, call: call)
        return ZoneFileError(code: .unreadable, message: "\(path) cannot be read", cause: cause)
    }

    /// Whether a text can be a zone's name: its parts have only letters, digits and `+-_.`, and do not begin
    /// with a dot.
    private static func isName(_ name: String) -> Bool {
        name.utf8.count <= 255
            && name.split(separator: "/", omittingEmptySubsequences: false).allSatisfy { part in
                !part.isEmpty && part.first != "."
                    && part.utf8.allSatisfy { byte in
                        switch Unicode.Scalar(byte) {
                        case "a"..."z", "A"..."Z", "0"..."9", "+", "-", "_", ".": true
                        default: false
                        }
                    }
            }
    }
}
#endif
