#if os(Linux)
internal import AdapterKit
internal import CLinux
internal import Glibc
internal import PortcullisCore
internal import Synchronization

/// Denies that files are opened, and with that that programs are started from them.
///
/// The kernel asks before each opening of a file behind the gate; a thread answers that does nothing else. If this
/// process ends, however it does, the gate is open: its descriptor is in a table that only the gate's threads have, so
/// that no child of this process holds the gate while no process answers.
final class StartGate: Sendable {
    /// Called with the process that was denied a file, and the file.
    typealias Notice = @Sendable (Int32, FileID) -> Void

    /// Has the table of descriptors, and is the only thread that may use these two.
    private let thread: WorkerThread
    private let gate: Int32
    private let end: Int32
    private let files = Mutex<[FileID: String]>([:])

    /// A gate with no file behind it.
    ///
    /// - Parameter users: the ids of those who are kept out.
    /// - Returns: `nil` where this process has no right to it.
    init?(users: Set<UInt32>, notice: @escaping Notice = { _, _ in }) async {
        let thread = WorkerThread()
        let opened = await thread.run { () throws(Never) in Self.open(users: Array(users), notice: notice) }
        guard let opened else { return nil }
        self.thread = thread
        (gate, end) = opened
    }

    /// Whether this process may have a gate.
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
        let gate = clinux_open_gate()
        let end = eventfd(0, Int32(EFD_NONBLOCK) | Int32(EFD_CLOEXEC))
        var denials: [Int32] = [-1, -1]
        guard gate >= 0, end >= 0, unsafe pipe(&denials) == 0,
            denials.allSatisfy({ fcntl($0, F_SETFD, FD_CLOEXEC) == 0 }),
            fcntl(denials[1], F_SETFL, O_NONBLOCK) == 0
        else {
            // Those that were not opened are none to close.
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

    /// Passes on what was denied until the thread that answers has ended.
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

    /// Puts these files behind the gate, and no other.
    func keep(_ wanted: [FileID: String]) async {
        let gate = gate
        await thread.run { [self] () throws(Never) in
            files.withLock { files in
                for (id, path) in files where wanted[id] == nil {
                    files[id] = nil
                    if !Self.hold(path, of: id, { clinux_ungate_file(gate, $0) }) {
                        // A replaced file may have another name, by which nothing but this reaches it. Those that
                        // stay are put back at once.
                        _ = clinux_ungate_all(gate)
                        files = files.filter { file in
                            Self.hold(file.value, of: file.key) { clinux_gate_file(gate, $0) }
                        }
                    }
                }
                for (id, path) in wanted where files[id] == nil {
                    if Self.hold(path, of: id, { clinux_gate_file(gate, $0) }) { files[id] = path }
                }
            }
        }
    }

    /// Does something to a file, unless its path leads to another one by now.
    ///
    /// The file is held meanwhile: a path may lead elsewhere at any moment, and a file that is put behind the gate by
    /// mistake, or left there, is one that nothing opens again. To hold it asks no gate.
    ///
    /// - Parameter act: gives 0 where it was done.
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
