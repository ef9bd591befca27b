#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#elseif canImport(Darwin)
internal import Darwin
#endif
#if os(Linux)
internal import CLinux
#endif
package import LinuxSystem

/// The files of the operating system.
package struct POSIXFiles: KeystoreFiles {
    /// Makes a value that gives access to the operating system's files.
    package init() {}

    package var user: UInt32 { geteuid() }

    package var now: UInt64 {
        var time = timespec()
        #if os(Linux)
        // This clock advances in the same ticks as the clock of file systems.
        unsafe clock_gettime(CLOCK_MONOTONIC_COARSE, &time)
        #else
        unsafe clock_gettime(CLOCK_MONOTONIC, &time)
        #endif
        return UInt64(truncatingIfNeeded: time.tv_sec) &* 1_000_000_000
            &+ UInt64(truncatingIfNeeded: time.tv_nsec)
    }

    private func check(_ call: String, _ body: () -> Int) throws(SystemCallError) -> Int {
        while true {
            let result = body()
            if result >= 0 { return result }
            let number = errno
            if number != EINTR { throw SystemCallError(errno: number, call: call) }
        }
    }

    package func open(_ path: String, _ mode: OpenMode) throws(SystemCallError) -> Int32 {
        // `O_NOCTTY` keeps a terminal at this path from becoming the process's controlling terminal, whose
        // Ctrl-C would end the process.
        let common = O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK | O_NOCTTY
        switch mode {
        case .read: return try openAsOwner(path, O_RDONLY | common)
        case .readWrite: return try openAsOwner(path, O_RDWR | common)
        case .createNew: return try make(path, common)
        case .createIfMissing:
            // Another process may make or remove the file between the two calls. So both are tried again.
            for _ in 0..<100 {
                do throws(SystemCallError) { return try openAsOwner(path, O_RDWR | common) } catch {
                    guard error.isMissing else { throw error }
                }
                do throws(SystemCallError) { return try make(path, common) } catch {
                    guard error.isThereAlready else { throw error }
                }
            }
            throw .isThere
        }
    }

    /// Makes a file that its owner can read and write, whatever the umask of the process is.
    private func make(_ path: String, _ common: Int32) throws(SystemCallError) -> Int32 {
        let file = try openAsOwner(path, O_RDWR | O_CREAT | O_EXCL | common)
        do throws(SystemCallError) {
            // The mode is changed only if needed, since some file systems cannot change it.
            if try status(of: file).mode & 0o600 != 0o600 {
                _ = try check("fchmod") { Int(fchmod(file, 0o600)) }
            }
        } catch {
            close(file)
            throw error
        }
        return file
    }

    private func openAsOwner(_ path: String, _ flags: Int32) throws(SystemCallError) -> Int32 {
        #if os(Linux)
        // Without `O_NOATIME` each read would check whether to update the file's access time. Only the file's
        // owner may set this flag. For other users the file is opened without it.
        do throws(SystemCallError) { return try open(path, flags | Self.withoutAccessTime) } catch {
            guard error.errno == EPERM else { throw error }
        }
        #endif
        return try open(path, flags)
    }

    #if os(Linux)
    /// The flag `O_NOATIME` of asm-generic/fcntl.h. The C library's module does not export it.
    private static let withoutAccessTime: Int32 = 0o1000000
    #endif

    private func open(_ path: String, _ flags: Int32) throws(SystemCallError) -> Int32 {
        let file = try check("open") {
            #if canImport(Glibc)
            let opened = unsafe Glibc.open(path, flags, 0o600)
            #elseif canImport(Musl)
            let opened = unsafe Musl.open(path, flags, 0o600)
            #else
            let opened = unsafe Darwin.open(path, flags, 0o600)
            #endif
            return Int(Descriptors.aboveStandard(opened))
        }
        return Int32(file)
    }

    package func close(_ file: Int32) {
        #if canImport(Glibc)
        _ = Glibc.close(file)
        #elseif canImport(Musl)
        _ = Musl.close(file)
        #else
        _ = Darwin.close(file)
        #endif
    }

    private func kind(_ mode: mode_t) -> FileStatus.Kind {
        switch mode & mode_t(S_IFMT) {
        case mode_t(S_IFREG): .regular
        case mode_t(S_IFDIR): .folder
        case mode_t(S_IFLNK): .link
        default: .other
        }
    }

    private func status(_ raw: stat) -> FileStatus {
        #if canImport(Darwin)
        let changed = raw.st_ctimespec
        #else
        let changed = raw.st_ctim
        #endif
        return FileStatus(
            kind: kind(raw.st_mode),
            size: UInt64(max(0, raw.st_size)),
            links: UInt64(raw.st_nlink),
            owner: raw.st_uid,
            mode: UInt32(raw.st_mode) & 0o7777,
            identity: FileIdentity(
                device: UInt64(truncatingIfNeeded: raw.st_dev),
                number: UInt64(raw.st_ino)
            ),
            changed: UInt64(truncatingIfNeeded: changed.tv_sec) &* 1_000_000_000
                &+ UInt64(truncatingIfNeeded: changed.tv_nsec)
        )
    }

    package func datedStatus(of file: Int32) throws(SystemCallError) -> FileStatus {
        var raw = stat()
        _ = try check("fstat") { unsafe Int(fstat(file, &raw)) }
        return status(raw)
    }

    package func status(of file: Int32) throws(SystemCallError) -> FileStatus {
        if let found = try undatedStatus(file, nil) { return found }
        return try datedStatus(of: file)
    }

    package func status(at path: String) throws(SystemCallError) -> FileStatus? {
        do throws(SystemCallError) {
            if let found = try undatedStatus(-1, path) { return found }
            var raw = stat()
            _ = try check("lstat") { unsafe Int(lstat(path, &raw)) }
            return status(raw)
        } catch {
            guard error.errno == ENOENT else { throw error }
            return nil
        }
    }

    package func prefetch(_ paths: String...) {
        // Only the lookup matters here, so errors are ignored. A caller that needs the status requests it
        // itself, and gets the error then.
        for path in paths { _ = try? status(at: path) }
    }

    #if os(Linux)
    /// The status of a file without its times; `nil` if the system lacks `statx`, or a sandbox forbids it.
    private func undatedStatus(_ file: Int32, _ path: String?) throws(SystemCallError) -> FileStatus? {
        var raw = clinux_status()
        do throws(SystemCallError) {
            _ = try check("statx") { unsafe Int(clinux_status(file, path, &raw)) }
        } catch {
            guard error.errno == EPERM || error.errno == ENOSYS else { throw error }
            return nil
        }
        return FileStatus(
            kind: kind(raw.mode),
            size: raw.size,
            links: raw.links,
            owner: raw.owner,
            mode: raw.mode & 0o7777,
            identity: FileIdentity(device: raw.device, number: raw.inode),
            changed: nil
        )
    }
    #else
    private func undatedStatus(_: Int32, _: String?) throws(SystemCallError) -> FileStatus? { nil }
    #endif

    @unsafe
    package func read(
        _ file: Int32,
        into buffer: UnsafeMutableRawBufferPointer,
        at offset: UInt64
    ) throws(SystemCallError) -> Int {
        var done = 0
        while done < buffer.count {
            let count = try check("pread") {
                unsafe pread(file, buffer.baseAddress! + done, buffer.count - done, off_t(offset) + done)
            }
            if count == 0 { break }
            done += count
        }
        return done
    }

    @unsafe
    package func write(
        _ file: Int32,
        _ buffer: UnsafeRawBufferPointer,
        at offset: UInt64
    ) throws(SystemCallError) {
        var done = 0
        while done < buffer.count {
            let count = try check("pwrite") {
                unsafe pwrite(file, buffer.baseAddress! + done, buffer.count - done, off_t(offset) + done)
            }
            // On no known system does `pwrite` return 0 for a file. If it did, the loop would never end.
            if count == 0 { throw SystemCallError(errno: EIO, call: "pwrite") }
            done += count
        }
    }

    package func truncate(_ file: Int32, to size: UInt64) throws(SystemCallError) {
        _ = try check("ftruncate") { Int(ftruncate(file, off_t(size))) }
    }

    package func syncData(_ file: Int32) throws(SystemCallError) {
        // After a failed sync the system may treat the bytes as written. A second sync would then succeed
        // without writing them. So a failed sync is never repeated, even after EINTR.
        #if canImport(Darwin)
        let result = fcntl(file, F_FULLFSYNC)
        #else
        let result = fdatasync(file)
        #endif
        if result != 0 { throw SystemCallError(errno: errno, call: "fdatasync") }
    }

    package func openFolder(_ path: String) throws(SystemCallError) -> Int32 {
        // `open` refuses a path that ends in a symbolic link. The path of a user's data folder often ends in
        // one. With `/.` at its end, the path leads through the link.
        try open(path + "/.", .read)
    }

    package func syncFolder(_ folder: Int32) throws(SystemCallError) {
        if fsync(folder) != 0 { throw SystemCallError(errno: errno, call: "fsync") }
    }

    package func makeFolders(_ path: String) throws(SystemCallError) {
        guard try status(at: path) == nil else { return }
        let parent = path.pathFolder
        if parent != path { try makeFolders(parent) }
        if unsafe mkdir(path, 0o700) == 0 {
            // The umask must not keep the owner out of the new folder.
            if let made = try status(at: path), made.mode & 0o700 != 0o700 {
                _ = try check("chmod") { unsafe Int(chmod(path, 0o700)) }
            }
        } else if errno != EEXIST {
            throw SystemCallError(errno: errno, call: "mkdir")
        }
        try syncFolder(parent)
    }

    package func rename(_ old: String, to new: String) throws(SystemCallError) {
        #if canImport(Glibc)
        _ = try check("rename") { unsafe Int(Glibc.rename(old, new)) }
        #elseif canImport(Musl)
        _ = try check("rename") { unsafe Int(Musl.rename(old, new)) }
        #else
        _ = try check("rename") { unsafe Int(Darwin.rename(old, new)) }
        #endif
    }

    package func link(_ old: String, to new: String) throws(SystemCallError) {
        #if canImport(Glibc)
        _ = try check("link") { unsafe Int(Glibc.link(old, new)) }
        #elseif canImport(Musl)
        _ = try check("link") { unsafe Int(Musl.link(old, new)) }
        #else
        _ = try check("link") { unsafe Int(Darwin.link(old, new)) }
        #endif
    }

    package func unlink(_ path: String) throws(SystemCallError) {
        #if canImport(Glibc)
        _ = try check("unlink") { unsafe Int(Glibc.unlink(path)) }
        #elseif canImport(Musl)
        _ = try check("unlink") { unsafe Int(Musl.unlink(path)) }
        #else
        _ = try check("unlink") { unsafe Int(Darwin.unlink(path)) }
        #endif
    }

    package func tryLock(_ file: Int32) throws(SystemCallError) -> Bool {
        if flock(file, LOCK_EX | LOCK_NB) == 0 { return true }
        let number = errno
        if number == EWOULDBLOCK || number == EINTR { return false }
        throw SystemCallError(errno: number, call: "flock")
    }

    package func share(_ file: Int32, at path: String, words: Int) -> SharedWords? {
        // A mapping keeps the open file description alive, and with it the lock, even in a forked child. So
        // the file is opened a second time for the mapping.
        guard let own = try? open(path, .read) else { return nil }
        defer { close(own) }
        guard let mapped = try? status(of: own), let locked = try? status(of: file),
            mapped.identity == locked.identity
        else { return nil }
        return SharedWords(own, words: words)
    }

    package func unlock(_ file: Int32) { _ = flock(file, LOCK_UN) }

    package var canWatch: Bool {
        #if os(Linux)
        true
        #else
        false
        #endif
    }

    package func watch(
        _ path: String,
        notice: @escaping @Sendable (SystemCallError?) -> Void
    ) throws(SystemCallError) -> any FileWatch {
        #if os(Linux)
        try InotifyWatch(path, notice: notice)
        #else
        throw SystemCallError(errno: ENOSYS, call: "watch")
        #endif
    }
}
