#if os(Linux)
internal import AdapterKit
internal import CLinux
internal import Glibc
internal import LinuxSystem
internal import PortcullisCore
internal import Synchronization

/// Prevents users from opening files, and so from starting programs from these files.
///
/// Before each opening of a file behind the gate, the kernel asks this process for permission. A dedicated
/// thread answers. When this process ends, for any reason, the gate is open. A child of this process that
/// inherited the gate's descriptor could keep the gate shut while no thread answers. So the descriptor is in
/// a table that only the gate's threads share.
final class StartGate: Sendable {
    /// Called with the process that was denied a file, and with the file.
    typealias Notice = @Sendable (Int32, FileID) -> Void

    /// The thread with the gate's table of descriptors. Only this thread may use `gate` and `end`.
    private let thread: WorkerThread
    private let gate: Int32
    private let end: Int32
    private let files = Mutex<[FileID: String]>([:])
    /// The number of calls of ``open()`` without a call of ``endOpening()``.
    private let openings = Mutex(0)

    /// Creates a gate with no file behind it.
    ///
    /// - Parameter users: the ids of the users who may not open the files behind the gate.
    /// - Returns: `nil` if this process has no right to open a gate, or if the system gives no descriptors.
    init?(users: Set<UInt32>, notice: @escaping Notice = { _, _ in }) async {
        let thread = WorkerThread()
        let opened = await thread.run { () throws(Never) in Self.open(users: Array(users), notice: notice) }
        guard let opened else { return nil }
        self.thread = thread
        (gate, end) = opened
    }

    /// Whether this process may open a gate.
    static var isAllowed: Bool {
        let gate = clinux_open_gate()
        if gate >= 0 { close(gate) }
        return gate >= 0
    }

    deinit {
        let end = end
        thread.enqueue {
            var one: UInt64 = 1
            _ = unsafe write(end, &one, MemoryLayout<UInt64>.size)
        }
    }

    private static func open(users: [UInt32], notice: @escaping Notice) -> (gate: Int32, end: Int32)? {
        guard clinux_seclude_descriptors() == 0 else { return nil }
        let gate = Descriptors.aboveStandard(clinux_open_gate())
        let end = Descriptors.aboveStandard(eventfd(0, Int32(EFD_NONBLOCK) | Int32(EFD_CLOEXEC)))
        var denials: [Int32] = [-1, -1]
        guard gate >= 0, end >= 0, unsafe pipe(&denials) == 0,
            denials.allSatisfy({ fcntl($0, F_SETFD, FD_CLOEXEC) == 0 }),
            fcntl(denials[1], F_SETFL, O_NONBLOCK) == 0
        else {
            // A descriptor that was not opened is -1, and closing it has no effect.
            for descriptor in [gate, end] + denials { close(descriptor) }
            return nil
        }
        let (source, sink) = (denials[0], denials[1])
        Threads.start {
            unsafe clinux_run_gate(gate, end, sink, getpid(), users, Int32(users.count))
            for descriptor in [gate, end, sink] { close(descriptor) }
        }
        Threads.start { tell(source, notice) }
        return (gate, end)
    }

    /// Reports denials until the answering thread has ended.
    private static func tell(_ source: Int32, _ notice: Notice) {
        var denial = clinux_denial()
        while unsafe read(source, &denial, MemoryLayout<clinux_denial>.size)
            == MemoryLayout<clinux_denial>.size
        {
            let status = FileStatus(file: denial.file)
            close(denial.file)
            if let status { notice(denial.process, status.id) }
        }
        close(source)
    }

    /// Opens the gate for all files. Each call needs one call of ``endOpening()``. While a call of
    /// ``endOpening()`` is missing, ``keep(_:)`` puts no file behind the gate.
    func open() async {
        openings.withLock { $0 += 1 }
        await keep([:])
    }

    /// Ends an opening. The gate stays open until the next call of ``keep(_:)``.
    func endOpening() { openings.withLock { $0 -= 1 } }

    /// Puts exactly these files behind the gate.
    func keep(_ wanted: [FileID: String]) async {
        let gate = gate
        await thread.run { [self] () throws(Never) in
            // The caller may have chosen the files before the gate was opened, and this closure may run after
            // the opening. In that case the closure must not shut the gate.
            let wanted = openings.withLock { $0 } == 0 ? wanted : [:]
            files.withLock { files in
                for (id, path) in files where wanted[id] == nil {
                    files[id] = nil
                    if !Self.hold(path, of: id, { clinux_ungate_file(gate, $0) }) {
                        // If a file was replaced, its path leads to another file, and the gate cannot drop
                        // the old file alone. So the gate drops all files, and the files that stay behind the
                        // gate are put back at once.
                        _ = clinux_ungate_all(gate)
                        files = files.filter { file in
                            Self.hold(file.value, of: file.key) { clinux_gate_file(gate, $0) }
                        }
                    }
                }
                // A file is behind the gate if it has the gate's fanotify mark. When a file system is
                // unmounted, the kernel removes the marks of its files. The file system may be mounted again
                // by now, so each file is marked, even if `files` already contains it.
                for (id, path) in wanted {
                    if Self.hold(path, of: id, { clinux_gate_file(gate, $0) }) { files[id] = path }
                }
            }
        }
    }

    /// Opens the file at a path, checks that it is the file `id`, and passes its descriptor to a closure.
    ///
    /// A path may lead to another file at any moment, but an open descriptor always refers to the same file.
    /// So the file is checked after it is opened. Without the check, a wrong file could be put behind the
    /// gate, or an old file could stay there, and the shielded users could not open that file. The descriptor
    /// is opened with `O_PATH`, and the gate does not block such an opening.
    ///
    /// - Parameter act: returns 0 when it has succeeded.
    private static func hold(_ path: String, of id: FileID, _ act: (Int32) -> Int32) -> Bool {
        let file = unsafe clinux_hold_file(path)
        guard file >= 0 else { return false }
        defer { close(file) }
        return FileStatus(file: file)?.id == id && act(file) == 0
    }

    /// The files that are behind the gate.
    var kept: Set<FileID> { files.withLock { Set($0.keys) } }
}
#endif
