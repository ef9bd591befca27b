#if os(Linux)
internal import Glibc
internal import PortcullisCore

/// Tells other processes that a program watches over the shields of a store, as long as it lives: a shared lock on a file
/// beside the store, which goes with the process whatever ends it.
///
/// It needs no store, so that a forced release can end such programs where the store cannot be read.
public struct WatchPresence: ~Copyable, Sendable {
    private let file: Int32

    /// The file beside a store.
    package static func path(of store: String) -> String { "\(store).focus" }

    /// Takes the lock, which any number of programs may hold.
    ///
    /// - Parameter store: the path of the store.
    /// - Returns: `nil` where the file cannot be made: a program works without, and is not seen.
    public init?(store: String) {
        file = unsafe open(
            Self.path(of: store),
            O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK,
            0o600
        )
        guard file >= 0 else { return nil }
        var request = Self.request(F_RDLCK)
        guard unsafe fcntl(file, F_SETLK, &request) == 0 else {
            close(file)
            return nil
        }
    }

    deinit { close(file) }

    /// Whether a program watches over a store. It only asks: nothing is locked, made or changed.
    public static func isThere(store: String) -> Bool { holder(store: store) != nil }

    /// Asks every process of this program that watches over a store to end (SIGTERM), and waits up to 3 s until they have.
    /// Blocks.
    public static func endAll(store: String) {
        for _ in 0..<300 {
            // One that another namespace of processes holds has no number here.
            guard let process = holder(store: store), process > 1, runsThisProgram(process) else { return }
            kill(process, SIGTERM)
            Threads.sleep(microseconds: 10_000)
        }
    }

    /// One of the processes; `nil` when there is none.
    private static func holder(store: String) -> pid_t? {
        let file = unsafe open(path(of: store), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
        guard file >= 0 else { return nil }
        defer { close(file) }
        var status = stat()
        // A file with another name is another program's as well, and so are the locks on it.
        guard unsafe fstat(file, &status) == 0, status.st_nlink == 1 else { return nil }
        var request = Self.request(F_WRLCK)
        guard unsafe fcntl(file, F_GETLK, &request) == 0 else { return nil }
        return Int32(request.l_type) == F_UNLCK ? nil : request.l_pid
    }

    /// Whether a process runs this program, also the one that was there before an upgrade. Anything may lock the file.
    package static func runsThisProgram(_ process: Int32) -> Bool {
        guard let own = program(of: "self") else { return false }
        return program(of: "\(process)") == own
    }

    private static func program(of process: String) -> String? {
        unsafe withUnsafeTemporaryAllocation(of: CChar.self, capacity: Int(PATH_MAX)) { buffer in
            let count = unsafe readlink("/proc/\(process)/exe", buffer.baseAddress!, buffer.count)
            guard count > 0 else { return nil }
            let path = unsafe String(
                decoding: UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(buffer)[..<count]),
                as: UTF8.self
            )
            return path.hasSuffix(" (deleted)") ? String(path.dropLast(10)) : path
        }
    }

    private static func request(_ type: Int32) -> flock {
        var request = flock()
        request.l_type = Int16(type)
        request.l_whence = Int16(SEEK_SET)
        return request
    }
}
#endif
