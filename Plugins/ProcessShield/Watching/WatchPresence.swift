#if os(Linux)
internal import AdapterKit
internal import CLinux
internal import Glibc
internal import LinuxSystem
public import PortcullisCore

/// A shared lock on a file beside a store. The lock shows other processes that this process watches over the
/// store's shields. The lock ends with the process, whatever ends the process.
///
/// The lock does not need the store itself. So a forced release can find and end the watching processes even
/// if the store is unreadable.
public struct WatchPresence: ~Copyable, Sendable {
    private let file: Int32

    /// The path of the lock file beside a store.
    package static func path(of store: String) -> String { "\(store).focus" }

    /// Takes the lock. Any number of processes may hold it, each once.
    ///
    /// - Parameter store: the path of the store.
    /// - Returns: `nil` if the lock cannot be taken, or if this process holds it already. Without the lock,
    ///   the process can still watch over the shields, but other processes do not see that it does.
    public init?(store: String) {
        let flags = O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK
        let isHeld = Self.isHeldHere(store: store)
        file = isHeld ? -1 : Descriptors.aboveStandard(unsafe open(Self.path(of: store), flags, 0o600))
        guard file >= 0 else { return nil }
        var request = Self.request(F_RDLCK)
        guard unsafe fcntl(file, F_SETLK, &request) == 0 else {
            close(file)
            return nil
        }
    }

    deinit { close(file) }

    /// Whether a process, perhaps this one, watches over a store. The check locks, creates and changes
    /// nothing.
    public static func isThere(store: String) -> Bool {
        isHeldHere(store: store) || isHeldElsewhere(store: store)
    }

    /// Whether this process has the lock's file open.
    ///
    /// The lock belongs to the process (fcntl(2)). If the process closes any descriptor of the file, its lock
    /// ends. So a process that has the file open must not open it again.
    private static func isHeldHere(store: String) -> Bool {
        guard let id = FileID(path: path(of: store)) else { return false }
        return SmallFiles.names(in: "/proc/self/fd").contains { FileID(path: "/proc/self/fd/\($0)") == id }
    }

    /// Does the same as ``endAll(store:within:by:)``, but blocks the caller until the processes have ended or
    /// the time is over. It may block longer if the file system of the store does not answer.
    ///
    /// - Returns: the processes that have not ended.
    package static func endAll(store: String, within patience: Duration) -> Set<Int32> {
        end(within: patience) { holders(store: store) }
    }

    private static func end(within patience: Duration, _ watchers: () -> Set<Int32>) -> Set<Int32> {
        let due = ContinuousClock.now + patience
        while true {
            let left = watchers()
            if left.isEmpty || ContinuousClock.now >= due { return left }
            for process in left {
                kill(process, SIGTERM)
                kill(process, SIGCONT)
            }
            // All processes of the machine are looked through rarely, so that the runs get time to end.
            let next = min(due, ContinuousClock.now + .milliseconds(500))
            while ContinuousClock.now < next, left.contains(where: { program(of: "\($0)") != nil }) {
                Threads.sleep(microseconds: 20_000)
            }
        }
    }

    /// Asks each other process of this program that watches over a store to end (SIGTERM). A stopped process
    /// is continued, because it cannot end before. Processes of a PID namespace that this process cannot see
    /// get no signal.
    ///
    /// - Parameters:
    ///   - store: the path of the store.
    ///   - limit: the longest wait. A quarter of it is kept for a slow file system. A run of the tool ends
    ///     within 12 s of the signal.
    ///   - clock: measures the limit.
    /// - Returns: the processes that have not ended; `nil` if the file system does not answer. Which processes
    ///   watch is then unknown, and they may not have been asked to end.
    public static func endAll(
        store: String,
        within limit: Duration = .seconds(20),
        by clock: any LockClock
    ) async -> Set<Int32>? {
        // The work has a thread of its own, which it may block.
        await clock.answer(within: limit) { () async throws(Never) -> Set<Int32> in
            WatchPresence.endAll(store: store, within: limit * 3 / 4)
        }
    }

    /// The other processes of a user that watch over a store, whatever store it is. No file system is asked
    /// except the kernel's list of processes.
    ///
    /// The processes run a program of this program's name. An account may have a copy of its own. A process
    /// of another user is found only with the right to examine it (`CAP_SYS_PTRACE`).
    public static func watchers(ofUser user: UInt32) async -> Set<Int32> {
        await WorkerThread().run { () throws(Never) in WatchPresence.holders(ofUser: user) }
    }

    /// Asks each of the ``watchers(ofUser:)`` to end, as ``endAll(store:within:by:)`` does.
    ///
    /// - Returns: the processes that have not ended when the time is over.
    public static func endAll(
        ofUser user: UInt32,
        within limit: Duration = .seconds(15)
    ) async -> Set<Int32> {
        await WorkerThread().run { () throws(Never) in
            WatchPresence.end(within: limit) { WatchPresence.holders(ofUser: user) }
        }
    }

    /// Whether another process holds the lock. This process must not have the lock's file open.
    private static func isHeldElsewhere(store: String) -> Bool {
        let file = unsafe open(path(of: store), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
        guard file >= 0 else { return false }
        defer { close(file) }
        var status = stat()
        // A file with a second name may be another program's file, and the locks on it may belong to that
        // program.
        guard unsafe fstat(file, &status) == 0, status.st_nlink == 1 else { return false }
        var request = Self.request(F_WRLCK)
        guard unsafe fcntl(file, F_GETLK, &request) == 0 else { return false }
        return Int32(request.l_type) != F_UNLCK
    }

    /// Returns the other processes of this program that hold the lock.
    ///
    /// `F_GETLK` names only one process, which may run another program. So the locks are read from the
    /// descriptors of each process. The lock's file is opened with `O_PATH`, because closing such a
    /// descriptor does not end the lock of this process.
    private static func holders(store: String) -> Set<Int32> {
        let file = unsafe clinux_hold_file(path(of: store))
        guard file >= 0 else { return [] }
        defer { close(file) }
        guard let status = FileStatus(held: "/proc/self/fd/\(file)"), status.links == 1 else { return [] }
        return Set(
            ProcessTable().numbers().filter { process in
                process != getpid() && runsThisProgram(process) && holds(status.id, process)
            }
        )
    }

    /// Whether a process has a lock on a file.
    private static func holds(_ file: FileID, _ process: Int32) -> Bool {
        locked(by: process).contains { FileStatus(held: $0)?.id == file }
    }

    /// The links of the files on which a process has a lock.
    private static func locked(by process: Int32) -> some Sequence<String> {
        SmallFiles.names(in: "/proc/\(process)/fd").lazy
            .filter { name in
                let bytes = SmallFiles.read("/proc/\(process)/fdinfo/\(name)") ?? []
                let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n")
                return lines.contains { $0.hasPrefix("lock:") }
            }
            .map { "/proc/\(process)/fd/\($0)" }
    }

    private static func holders(ofUser user: UInt32) -> Set<Int32> {
        guard let own = program(of: "self") else { return [] }
        let table = ProcessTable()
        // The kernel adds the second ending to the link of a file that was removed.
        let endings = [path(of: ""), path(of: "") + " (deleted)"]
        return Set(
            table.numbers().filter { process in
                process != getpid() && table.user(of: process) == user
                    && program(of: "\(process)")?.pathName == own.pathName
                    && locked(by: process).contains { link in
                        let target = SmallFiles.link(link) ?? ""
                        return endings.contains { target.hasSuffix($0) }
                    }
            }
        )
    }

    /// Whether a process runs this program, or a version of it from before an upgrade. Any process may lock
    /// the file, so the lock alone does not identify such a process.
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
