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

    init(device: UInt64, inode: UInt64) {
        self.device = device
        self.inode = inode
    }

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

    init?(path: String) {
        var status = stat()
        guard unsafe stat(path, &status) == 0 else { return nil }
        id = FileID(device: UInt64(status.st_dev), inode: UInt64(status.st_ino))
        let kind = status.st_mode & S_IFMT
        isRegular = kind == S_IFREG
        isFolder = kind == S_IFDIR
        isExecutable = isRegular && status.st_mode & 0o111 != 0
    }
}

/// Reading of small files, links and folders.
enum SmallFiles {
    /// The first bytes of a file; `nil` when it cannot be read.
    static func read(_ path: String, limit: Int = 65_536) -> [UInt8]? {
        let file = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard file >= 0 else { return nil }
        defer { close(file) }
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: min(limit, 4_096))
        while bytes.count < limit {
            #if canImport(Glibc)
            let count = unsafe Glibc.read(file, &buffer, min(buffer.count, limit - bytes.count))
            #elseif canImport(Musl)
            let count = unsafe Musl.read(file, &buffer, min(buffer.count, limit - bytes.count))
            #else
            let count = unsafe Darwin.read(file, &buffer, min(buffer.count, limit - bytes.count))
            #endif
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { return nil }
            if count == 0 { break }
            bytes += buffer[..<count]
        }
        return bytes
    }

    /// Where a symbolic link leads, as it is written.
    static func link(_ path: String) -> String? {
        var buffer = [CChar](repeating: 0, count: 4_096)
        let count = unsafe readlink(path, &buffer, buffer.count)
        guard count >= 0 else { return nil }
        return String(decoding: buffer[..<count].map(UInt8.init(bitPattern:)), as: UTF8.self)
    }

    /// A path without links; `nil` when it leads nowhere.
    static func realPath(_ path: String) -> String? {
        guard let resolved = unsafe realpath(path, nil) else { return nil }
        defer { unsafe free(resolved) }
        return unsafe String(cString: resolved)
    }

    /// The names in a folder, sorted; empty when it cannot be read.
    static func names(in folder: String) -> [String] {
        guard let stream = unsafe opendir(folder) else { return [] }
        defer { unsafe closedir(stream) }
        var names: [String] = []
        while let entry = unsafe readdir(stream) {
            let name = unsafe withUnsafePointer(to: &entry.pointee.d_name) { pointer in
                unsafe pointer.withMemoryRebound(to: CChar.self, capacity: 256) { unsafe String(cString: $0) }
            }
            if name != ".", name != ".." { names.append(name) }
        }
        return names.sorted()
    }
}
