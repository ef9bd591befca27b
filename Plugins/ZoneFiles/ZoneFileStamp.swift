#if os(Linux)
#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#endif

/// The identity and state of the file from which a zone was read.
package struct ZoneFileStamp: Hashable, Sendable {
    package let path: String
    private let device: UInt64
    private let inode: UInt64
    private let size: Int64
    /// The time of the last change of the content (mtime) and the time of the last change of any kind
    /// (ctime), each in seconds and nanoseconds.
    private let times: [Int]

    init(path: String, _ status: stat) {
        self.path = path
        device = UInt64(status.st_dev)
        inode = UInt64(status.st_ino)
        size = Int64(status.st_size)
        times = [
            status.st_mtim.tv_sec, status.st_mtim.tv_nsec, status.st_ctim.tv_sec, status.st_ctim.tv_nsec,
        ].map { Int($0) }
    }

    /// Whether the path still leads to the same file, and the file is unchanged.
    package var isCurrent: Bool {
        var status = stat()
        return unsafe stat(path, &status) == 0 && ZoneFileStamp(path: path, status) == self
    }
}
#endif
