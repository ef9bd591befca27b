#if os(Linux)
internal import CLinux
internal import Glibc
internal import PortcullisCore
internal import Synchronization

/// Denies that files are opened, and with that that programs are started from them.
///
/// The kernel asks before each opening of a file behind the gate; a thread answers that does nothing else. If this
/// process ends, however it does, the gate is open.
final class StartGate: Sendable {
    private let gate: Int32
    private let end: Int32
    private let files = Mutex<[FileID: String]>([:])

    /// A gate with no file behind it.
    ///
    /// - Parameter users: the ids of those who are kept out.
    /// - Returns: `nil` where this process has no right to it.
    init?(users: Set<UInt32>) {
        gate = clinux_open_gate()
        end = eventfd(0, Int32(EFD_NONBLOCK) | Int32(EFD_CLOEXEC))
        guard gate >= 0, end >= 0 else {
            for descriptor in [gate, end] where descriptor >= 0 { close(descriptor) }
            return nil
        }
        let (gate, end, users) = (gate, end, Array(users))
        Threads.start {
            unsafe clinux_run_gate(gate, end, getpid(), users, Int32(users.count))
            // Only now: a number that was closed earlier could be somebody else's while it is still read.
            close(gate)
            close(end)
        }
    }

    deinit {
        var one: UInt64 = 1
        _ = unsafe write(end, &one, MemoryLayout<UInt64>.size)
    }

    /// Puts these files behind the gate, and no other.
    func keep(_ wanted: [FileID: String]) {
        files.withLock { files in
            for (id, path) in files where wanted[id] == nil {
                // A path that leads to another file by now has taken its own with it.
                if FileID(path: path) == id { _ = unsafe clinux_ungate_file(gate, path) }
                files[id] = nil
            }
            for (id, path) in wanted where files[id] == nil {
                if unsafe clinux_gate_file(gate, path) == 0, FileID(path: path) == id { files[id] = path }
            }
        }
    }

    /// The files that are behind the gate.
    var kept: Set<FileID> { files.withLock { Set($0.keys) } }
}
#endif
