#if os(Linux)
internal import CLinux
#endif
#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#elseif canImport(Darwin)
internal import Darwin
#endif

/// The kernel's identity of a file. All paths of one file have the same id, and a replacement of the file has
/// another id.
struct FileID: Hashable, Sendable {
    let device: UInt64
    let inode: UInt64
    /// The file's time of creation, in nanoseconds since 1970; 0 if the file system does not report a time.
    ///
    /// The time distinguishes files, because a file system reuses the inode number of a removed file. A file
    /// in an overlay's lower layer gets another id once it is changed; its path stays the same.
    let born: Int64
}

extension FileID {
    /// The id of the file that a path leads to; `nil` when the path leads to no file or cannot be reached.
    init?(path: String) {
        guard let status = FileStatus(path: path) else { return nil }
        self = status.id
    }
}

/// The facts about a file that the shield needs.
struct FileStatus {
    let id: FileID
    let isRegular: Bool
    let isFolder: Bool
    let isExecutable: Bool
    /// Whether a program that is started from the file gets the rights of the file's owner or group (setuid,
    /// setgid).
    let raisesRights: Bool
    /// The number of the file's names (hard links).
    let links: UInt64
    let version: Version

    /// A file with its present content. Each change of the file sets its time of change, which no process can
    /// set back. So a changed file is another version.
    struct Version: Hashable, Sendable {
        let id: FileID
        let size: Int64
        let changed: Int64
    }

    /// Reads the status of the file that a path leads to; `nil` when there is no file or the file cannot be
    /// reached.
    init?(path: String) { self.init(file: -1, path: path) }

    /// Reads the status of an open file.
    init?(file: Int32) { self.init(file: file, path: nil) }

    /// Reads the status of a file from the kernel's cache; `nil` when there is no file or it cannot be
    /// reached. The path is a link in `/proc` that leads to the file, such as the link from a process to its
    /// program.
    ///
    /// The file system is not asked. A file system that does not answer would block the caller forever.
    /// Examples are a lost network share, and a file system that a stopped process serves.
    init?(held link: String) {
        #if os(Linux)
        var status = clinux_dated_status()
        guard unsafe clinux_held_status(link, &status) == 0 else { return nil }
        self.init(status)
        #else
        self.init(path: link)
        #endif
    }

    /// Reads the status of a file from the kernel's cache. The result is `nil` when there is no file, when
    /// the file cannot be reached, or when the kernel would have to ask a file system.
    init?(cached path: String) {
        #if os(Linux)
        var status = clinux_dated_status()
        guard unsafe clinux_cached_status(path, &status) == 0 else { return nil }
        self.init(status)
        #else
        self.init(path: path)
        #endif
    }

    private init?(file: Int32, path: String?) {
        #if os(Linux)
        var status = clinux_dated_status()
        guard unsafe clinux_dated_status(file, path, &status) == 0 else { return nil }
        self.init(status)
        #else
        var status = stat()
        guard unsafe (path.map { unsafe stat($0, &status) } ?? fstat(file, &status)) == 0 else { return nil }
        self.init(status)
        #endif
    }

    #if os(Linux)
    private typealias System = clinux_dated_status
    #else
    private typealias System = stat
    #endif

    private init(_ status: System) {
        #if os(Linux)
        let (device, inode, size, mode) = (status.device, status.inode, status.size, status.mode)
        let (changed, born) = (status.changed, status.born)
        links = UInt64(status.links)
        #else
        let (device, inode, size, mode) = (status.st_dev, status.st_ino, status.st_size, status.st_mode)
        let (changed, born) = (status.st_ctimespec, status.st_birthtimespec)
        links = UInt64(status.st_nlink)
        #endif
        id = FileID(
            device: UInt64(truncatingIfNeeded: device),
            inode: UInt64(inode),
            born: Self.nanoseconds(born)
        )
        let kind = UInt32(mode) & UInt32(S_IFMT)
        isRegular = kind == UInt32(S_IFREG)
        isFolder = kind == UInt32(S_IFDIR)
        isExecutable = isRegular && mode & 0o111 != 0
        raisesRights = isExecutable && mode & 0o6000 != 0
        // A file system may report a negative size, which is a huge number in the kernel's unsigned field. A
        // plain conversion to Int64 would end the process, so the size is truncated.
        version = Version(id: id, size: Int64(truncatingIfNeeded: size), changed: Self.nanoseconds(changed))
    }

    // Overflow wraps around instead of trapping, since a disk may hold times that are out of range.
    private static func nanoseconds(_ time: timespec) -> Int64 {
        Int64(time.tv_sec) &* 1_000_000_000 &+ Int64(time.tv_nsec)
    }
}
