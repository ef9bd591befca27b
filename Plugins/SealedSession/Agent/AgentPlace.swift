internal import LinuxSystem
internal import PortcullisCore

#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#elseif canImport(Darwin)
internal import Darwin
#endif

/// The place of an agent's socket: a folder of its own, which only this user may open.
struct AgentPlace: Sendable {
    private static let prefix = "portcullis-"
    /// The number of bytes for the path in a socket address, including the zero at the path's end.
    private static let longestPath = MemoryLayout.size(ofValue: sockaddr_un().sun_path)

    let folder: String
    /// The descriptor of the folder. It locks the folder until ``remove()`` or the end of the process, so
    /// that ``clear(_:)`` in another process does not remove the folder.
    private let lock: Int32
    var socket: String { "\(folder)/agent" }

    /// Makes the folder in `$XDG_RUNTIME_DIR`, or else in `$TMPDIR` or `/tmp`. Also removes the folders of
    /// processes that have ended.
    ///
    /// `$XDG_RUNTIME_DIR` is used only if no other user may open it, as the XDG Base Directory Specification
    /// demands.
    static func make(_ environment: [String: String]) throws(SessionAgentError) -> AgentPlace {
        var bases: [String] = []
        if let runtime = environment["XDG_RUNTIME_DIR"], isPrivate(runtime) { bases.append(runtime) }
        if let temporary = environment["TMPDIR"], temporary.hasPrefix("/") { bases.append(temporary) }
        bases.append("/tmp")
        var cause: Int32 = ENAMETOOLONG
        for base in bases {
            guard "\(base)/\(prefix)XXXXXX/agent".utf8.count < longestPath else { continue }
            clear(base)
            if let made = make(in: base) { return made }
            cause = errno
        }
        let what = "there is no place for the session's socket"
        throw SessionAgentError(.noPlace, what, call: "mkdtemp", errno: cause)
    }

    /// Makes a locked folder; `nil` with `errno` set if that fails.
    private static func make(in base: String) -> AgentPlace? {
        // The system chooses an unused name and makes the folder with mode 0700, so no process of another
        // user can interfere.
        var template = Array("\(base)/\(prefix)XXXXXX".utf8CString)
        guard unsafe mkdtemp(&template) != nil else { return nil }
        let folder = unsafe template.withUnsafeBufferPointer { unsafe String(cString: $0.baseAddress!) }
        guard let lock = locked(folder) else {
            let failure = errno
            unsafe rmdir(folder)
            errno = failure
            return nil
        }
        return AgentPlace(folder: folder, lock: lock)
    }

    /// Opens and locks a folder of this user; `nil` with `errno` set if that fails.
    ///
    /// - Parameter demandsSocket: whether the call fails for a folder without a socket. Another process may
    ///   have just made such a folder, and may be about to lock it.
    private static func locked(_ folder: String, demandsSocket: Bool = false) -> Int32? {
        let flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC
        let opened = Descriptors.aboveStandard(unsafe open(folder, flags))
        guard opened >= 0 else { return nil }
        var found = stat()
        errno = EPERM
        guard unsafe fstat(opened, &found) == 0, found.st_uid == geteuid(),
            !demandsSocket || hasSocket(opened), flock(opened, LOCK_EX | LOCK_NB) == 0
        else {
            let failure = errno
            close(opened)
            errno = failure
            return nil
        }
        return opened
    }

    private static func hasSocket(_ folder: Int32) -> Bool {
        var found = stat()
        return unsafe fstatat(folder, "agent", &found, AT_SYMLINK_NOFOLLOW) == 0
            && found.st_mode & S_IFMT == S_IFSOCK
    }

    /// Removes the folders that ended processes have left. Such a folder has a socket and is not locked. A
    /// folder with further files is not removed.
    private static func clear(_ base: String) {
        guard let listing = unsafe opendir(base) else { return }
        defer { unsafe closedir(listing) }
        var left: [String] = []
        while let entry = unsafe readdir(listing) {
            let name = unsafe withUnsafePointer(to: &entry.pointee.d_name) { pointer in
                unsafe pointer.withMemoryRebound(to: CChar.self, capacity: 256) { unsafe String(cString: $0) }
            }
            if name.hasPrefix(prefix), name.utf8.count == prefix.utf8.count + 6 {
                left.append("\(base)/\(name)")
            }
        }
        for folder in left {
            // The folder is opened without following links before anything in it is examined. Without this
            // order, a link that another user has made could lead to a file system that does not answer.
            guard let lock = locked(folder, demandsSocket: true) else { continue }
            AgentPlace(folder: folder, lock: lock).remove()
        }
    }

    /// Whether the path is absolute and leads to a folder that belongs to this user and is closed to all
    /// others.
    private static func isPrivate(_ path: String) -> Bool {
        var found = stat()
        guard path.hasPrefix("/"), unsafe stat(path, &found) == 0 else { return false }
        return found.st_mode & S_IFMT == S_IFDIR && found.st_uid == geteuid() && found.st_mode & 0o077 == 0
    }

    /// Removes the socket and the folder.
    func remove() {
        unsafe unlink(socket)
        unsafe rmdir(folder)
        close(lock)
    }

    /// Returns the path with its links resolved, so that each store has only one path. If the path cannot be
    /// resolved, it is returned unchanged.
    ///
    /// The result is `nil` if the resolved path is not UTF-8. A string could hold such a path only with
    /// replacement characters, and would then be the same for different paths.
    static func canonical(_ path: String) -> String? {
        guard let resolved = unsafe realpath(path, nil) else { return path }
        defer { unsafe free(resolved) }
        return unsafe String(validatingCString: resolved)
    }
}
