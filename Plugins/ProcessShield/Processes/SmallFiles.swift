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

/// Functions that read small files, links and folders.
enum SmallFiles {
    // Without O_NOCTTY an opened terminal could become this process's terminal. The signals of the terminal
    // would then reach this process.
    private static let flags = O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY

    /// Returns the bytes of a single read. One read returns the whole content of a short file of the kernel.
    /// The result is `nil` when the file cannot be read.
    static func record(_ path: String, limit: Int) -> [UInt8]? {
        let file = unsafe open(path, flags)
        guard file >= 0 else { return nil }
        defer { close(file) }
        var count = 0
        let bytes = unsafe [UInt8](unsafeUninitializedCapacity: limit) { buffer, size in
            #if canImport(Glibc)
            count = unsafe Glibc.read(file, buffer.baseAddress, limit)
            #elseif canImport(Musl)
            count = unsafe Musl.read(file, buffer.baseAddress, limit)
            #else
            count = unsafe Darwin.read(file, buffer.baseAddress, limit)
            #endif
            size = max(0, count)
        }
        return count < 0 ? nil : bytes
    }

    /// The first bytes of a file of the kernel or of this process; `nil` when the file cannot be read.
    static func read(_ path: String, limit: Int = 65_536) -> [UInt8]? {
        bytes(of: unsafe open(path, flags), limit)
    }

    /// The first bytes of a regular file at a path that any user may control; `nil` when the path leads to no
    /// regular file or the file cannot be read.
    ///
    /// Other files are not opened, since opening a device or a pipe may have an effect or block.
    static func readRegular(_ path: String, limit: Int) -> [UInt8]? {
        #if os(Linux)
        return bytes(of: unsafe clinux_open_regular(path), limit)
        #else
        guard FileStatus(path: path)?.isRegular == true else { return nil }
        return bytes(of: unsafe open(path, flags), limit)
        #endif
    }

    /// The first bytes of a regular file, as `readRegular` returns them, with the id of the user that owns
    /// the file.
    static func ownedRegular(_ path: String, limit: Int) -> (bytes: [UInt8], owner: UInt32)? {
        #if os(Linux)
        let file = unsafe clinux_open_regular(path)
        #else
        let file = unsafe open(path, flags)
        #endif
        var status = stat()
        let isKnown = unsafe fstat(file, &status) == 0
        // `bytes(of:_:)` also closes the file, so it is called even if the status is unknown.
        let bytes = Self.bytes(of: file, limit)
        return isKnown ? bytes.map { ($0, status.st_uid) } : nil
    }

    /// Reads the first bytes of an open file and closes it.
    private static func bytes(of file: Int32, _ limit: Int) -> [UInt8]? {
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

    /// The target of a symbolic link, as the link contains it.
    static func link(_ path: String) -> String? {
        unsafe withUnsafeTemporaryAllocation(of: CChar.self, capacity: 4_096) { buffer in
            let count = unsafe readlink(path, buffer.baseAddress!, buffer.count)
            guard count >= 0 else { return nil }
            return unsafe String(
                decoding: UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(buffer)[..<count]),
                as: UTF8.self
            )
        }
    }

    /// The id of the user that owns a symbolic link; `nil` if the path is no link.
    static func owner(ofLink path: String) -> UInt32? {
        var status = stat()
        guard unsafe lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFLNK else { return nil }
        return status.st_uid
    }

    /// Whether this process may read a file.
    static func isReadable(_ path: String) -> Bool { unsafe access(path, R_OK) == 0 }

    /// Whether a program's file has capabilities (capabilities(7)). If this cannot be determined, the result
    /// is `true`.
    static func hasCapabilities(_ path: String) -> Bool {
        #if os(Linux)
        unsafe clinux_has_capabilities(path) != 0
        #else
        false
        #endif
    }

    /// The path with all links resolved; `nil` when it leads to no file.
    static func realPath(_ path: String) -> String? {
        guard let resolved = unsafe realpath(path, nil) else { return nil }
        defer { unsafe free(resolved) }
        return unsafe String(cString: resolved)
    }

    /// Returns the chain of links from a path to its file. The first element is the path. If an element ends
    /// in a link, the next element is the link's target. The last element is the path with all links
    /// resolved. The result is empty when the path leads to no file.
    static func way(to path: String) -> [String] {
        guard let real = realPath(path) else { return [] }
        var way = [path]
        // The system follows at most 40 links.
        while way.count <= 40, let last = way.last, let target = link(last) {
            let slash = UInt8(ascii: "/")
            let folder = last.utf8.lastIndex(of: slash).map { String(Substring(last.utf8[...$0])) } ?? ""
            way.append(target.utf8.first == slash ? target : folder + target)
        }
        return way.last == real ? way : way + [real]
    }

    /// The sorted names in a folder; empty when the folder cannot be read.
    ///
    /// - Parameter onlyLinks: whether to return only the names of symbolic links, and names whose kind the
    ///   file system does not report.
    static func names(in folder: String, onlyLinks: Bool = false) -> [String] {
        var names: [String] = []
        read(folder, onlyLinks: onlyLinks) { name in
            names.append(name)
            return true
        }
        return names.sorted()
    }

    /// Returns the wanted names in a folder that any user may fill. The names are sorted, and only the first
    /// ones are returned.
    ///
    /// - Parameters:
    ///   - limit: the largest number of names that are returned. At most twice as many are in memory.
    ///   - reach: the largest number of entries that are read. If the folder has more entries, the file
    ///     system decides which entries are read.
    static func names(
        in folder: String,
        limit: Int,
        reach: Int,
        where isWanted: (String) -> Bool
    ) -> [String] {
        var names: [String] = []
        var left = reach
        read(folder, onlyLinks: false) { name in
            left -= 1
            if isWanted(name) { names.append(name) }
            if names.count >= 2 * limit { names = Array(names.sorted().prefix(limit)) }
            return left > 0
        }
        return Array(names.sorted().prefix(limit))
    }

    /// Reads the names in a folder until `body` returns `false`.
    private static func read(_ folder: String, onlyLinks: Bool, _ body: (String) -> Bool) {
        guard let stream = unsafe opendir(folder) else { return }
        defer { unsafe closedir(stream) }
        while let entry = unsafe readdir(stream) {
            let kind = unsafe Int(entry.pointee.d_type)
            // Some file systems do not report the kind, so an entry of unknown kind is kept.
            if onlyLinks, kind != Int(DT_LNK), kind != Int(DT_UNKNOWN) { continue }
            let name = unsafe withUnsafePointer(to: &entry.pointee.d_name) { pointer in
                unsafe pointer.withMemoryRebound(to: CChar.self, capacity: 256) { unsafe String(cString: $0) }
            }
            if name != ".", name != "..", !body(name) { return }
        }
    }
}
