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

/// A file by what the kernel calls it: two paths of one file have the same id, and a replaced file has another.
struct FileID: Hashable, Sendable {
    let device: UInt64
    let inode: UInt64
    /// When it was made, in nanoseconds since 1970; 0 where the file system does not say.
    ///
    /// A file system gives the number of a file that was removed to the next one that is made, which was not chosen. A
    /// file in an overlay's lower layer is taken for another one once it is changed; its path is the same.
    let born: Int64
}

extension FileID {
    /// The file that a path leads to; `nil` when there is none or it cannot be reached.
    init?(path: String) {
        guard let status = FileStatus(path: path) else { return nil }
        self = status.id
    }
}

/// What is asked of a file.
struct FileStatus {
    let id: FileID
    let isRegular: Bool
    let isFolder: Bool
    let isExecutable: Bool
    /// Whether what is started from it has its owner's or its group's rights.
    let raisesRights: Bool
    /// How many names it has.
    let links: UInt64
    let version: Version

    /// A file with a content: the time at which it was changed last, which no process can set back, is another one after any
    /// change.
    struct Version: Hashable, Sendable {
        let id: FileID
        let size: Int64
        let changed: Int64
    }

    /// What a path leads to; `nil` when that is nothing or it cannot be reached.
    init?(path: String) { self.init(file: -1, path: path) }

    /// What an open file is.
    init?(file: Int32) { self.init(file: file, path: nil) }

    /// What a link of the kernel's leads to, such as that of a process to its program, as far as the kernel holds it; `nil`
    /// when that is nothing or it cannot be reached.
    ///
    /// The file system is not asked: one that does not answer, such as a lost network share or one that a stopped process
    /// serves, would keep the asker for ever.
    init?(held link: String) {
        #if os(Linux)
        var status = clinux_dated_status()
        guard unsafe clinux_held_status(link, &status) == 0 else { return nil }
        self.init(status)
        #else
        self.init(path: link)
        #endif
    }

    /// What a path leads to, each part of which the kernel holds; `nil` also where a file system would have to be asked.
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
        // Some file systems tell negative sizes.
        version = Version(id: id, size: Int64(truncatingIfNeeded: size), changed: Self.nanoseconds(changed))
    }

    // Without a trap: a disk may hold any time.
    private static func nanoseconds(_ time: timespec) -> Int64 {
        Int64(time.tv_sec) &* 1_000_000_000 &+ Int64(time.tv_nsec)
    }
}
