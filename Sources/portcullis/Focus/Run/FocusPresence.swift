#if os(Linux)
internal import Glibc
internal import PortcullisCore

/// Tells other processes that a run watches over a store: a shared lock on a file beside it, which goes with the
/// process whatever ends it.
struct FocusPresence: ~Copyable {
    private let file: Int32

    /// The file beside a store.
    static func path(of store: String) -> String { "\(store).focus" }

    /// Takes the lock, which any number of runs may hold.
    ///
    /// - Returns: `nil` where the file cannot be made: a run works without, and is not seen.
    init?(store: String) {
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

    /// Whether a run watches over a store. It only asks: nothing is locked, made or changed.
    static func isThere(store: String) -> Bool { holder(store: store) != nil }

    /// Asks every run that watches over a store to end, and waits a little until they have. Blocks.
    static func endAll(store: String) {
        for _ in 0..<300 {
            // One that another namespace of processes holds has no number here.
            guard let process = holder(store: store), process > 1 else { return }
            kill(process, SIGTERM)
            Threads.sleep(microseconds: 10_000)
        }
    }

    /// The process of one of the runs; `nil` when there is none.
    private static func holder(store: String) -> pid_t? {
        let file = unsafe open(path(of: store), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
        guard file >= 0 else { return nil }
        defer { close(file) }
        var request = Self.request(F_WRLCK)
        guard unsafe fcntl(file, F_GETLK, &request) == 0 else { return nil }
        return Int32(request.l_type) == F_UNLCK ? nil : request.l_pid
    }

    private static func request(_ type: Int32) -> flock {
        var request = flock()
        request.l_type = Int16(type)
        request.l_whence = Int16(SEEK_SET)
        return request
    }
}
#endif
