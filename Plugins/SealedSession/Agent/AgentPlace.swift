internal import PortcullisCore

#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#elseif canImport(Darwin)
internal import Darwin
#endif

/// Where an agent's socket lies: a folder of its own, which is open to this user only.
struct AgentPlace: Sendable {
    private static let prefix = "portcullis-"
    /// What a socket's address has room for, its end included.
    private static let longestPath = MemoryLayout.size(ofValue: sockaddr_un().sun_path)

    let folder: String
    /// The folder, open and locked for as long as its process runs: see ``clear(_:)``.
    private let lock: Int32
    var socket: String { "\(folder)/agent" }

    /// Makes the folder: in `$XDG_RUNTIME_DIR` where that is as the specification wants it, else where temporary
    /// files go. Folders that ended processes left there are removed.
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

    /// A folder of its own, locked; `nil` with `errno` set.
    private static func make(in base: String) -> AgentPlace? {
        // The system picks a name that is not taken, and makes the folder 0700: no other process can come first.
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

    /// A folder of this user's, open and locked by this process alone; `nil` with `errno` set.
    private static func locked(_ folder: String) -> Int32? {
        let opened = unsafe open(folder, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
        guard opened >= 0 else { return nil }
        var found = stat()
        errno = EPERM
        guard unsafe fstat(opened, &found) == 0, found.st_uid == geteuid(),
            flock(opened, LOCK_EX | LOCK_NB) == 0
        else {
            let failure = errno
            close(opened)
            errno = failure
            return nil
        }
        return opened
    }

    /// Removes the folders of processes that ended without doing so: those with a socket in them that no process has
    /// locked. What else is in one keeps it.
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
            var found = stat()
            guard unsafe lstat("\(folder)/agent", &found) == 0, found.st_mode & S_IFMT == S_IFSOCK,
                let lock = locked(folder)
            else { continue }
            AgentPlace(folder: folder, lock: lock).remove()
        }
    }

    /// Whether this is an absolute path of a folder that belongs to this user and is closed to all others.
    private static func isPrivate(_ path: String) -> Bool {
        var found = stat()
        guard path.hasPrefix("/"), unsafe stat(path, &found) == 0 else { return false }
        return found.st_mode & S_IFMT == S_IFDIR && found.st_uid == geteuid() && found.st_mode & 0o077 == 0
    }

    /// Takes socket and folder away.
    func remove() {
        unsafe unlink(socket)
        unsafe rmdir(folder)
        close(lock)
    }

    /// One spelling for each store: its path without links; as it is where that cannot be told.
    static func canonical(_ path: String) -> String {
        guard let resolved = unsafe realpath(path, nil) else { return path }
        defer { unsafe free(resolved) }
        return unsafe String(cString: resolved)
    }
}
