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
    /// The variable that tells the processes of a session where its agent is.
    static let variable = "PORTCULLIS_AGENT"
    /// What a socket's address has room for, its end included.
    private static let longestPath = MemoryLayout.size(ofValue: sockaddr_un().sun_path)

    let folder: String
    var socket: String { "\(folder)/agent" }

    /// Makes the folder: in `$XDG_RUNTIME_DIR` where that is as the specification wants it, else where temporary
    /// files go.
    static func make(_ environment: [String: String]) throws(GuardFailure) -> AgentPlace {
        var bases: [String] = []
        if let runtime = environment["XDG_RUNTIME_DIR"], isPrivate(runtime) { bases.append(runtime) }
        if let temporary = environment["TMPDIR"], temporary.hasPrefix("/") { bases.append(temporary) }
        bases.append("/tmp")
        var cause: Int32 = ENAMETOOLONG
        for base in bases {
            // Its name is nobody's before, and the system makes it 0700: there is nothing to be beaten to.
            var template = Array("\(base)/portcullis-XXXXXX".utf8CString)
            guard template.count + "/agent".utf8.count <= longestPath else { continue }
            if unsafe mkdtemp(&template) != nil {
                return AgentPlace(
                    folder: unsafe template.withUnsafeBufferPointer {
                        unsafe String(cString: $0.baseAddress!)
                    }
                )
            }
            cause = errno
        }
        throw GuardFailure("there is no place for the session's socket", cause)
    }

    /// An absolute path of a folder that is this user's and nobody else's.
    private static func isPrivate(_ path: String) -> Bool {
        var found = stat()
        guard path.hasPrefix("/"), unsafe stat(path, &found) == 0 else { return false }
        return found.st_mode & S_IFMT == S_IFDIR && found.st_uid == geteuid() && found.st_mode & 0o077 == 0
    }

    /// Takes socket and folder away.
    func remove() {
        unsafe unlink(socket)
        unsafe rmdir(folder)
    }

    /// One spelling for each store: its path without links; as it is where that cannot be told.
    static func canonical(_ path: String) -> String {
        guard let resolved = unsafe realpath(path, nil) else { return path }
        defer { unsafe free(resolved) }
        return unsafe String(cString: resolved)
    }
}
