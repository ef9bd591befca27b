internal import LinuxSystem
internal import Synchronization

#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#elseif canImport(Darwin)
internal import Darwin
#endif

/// A pipe as the standard input of a program whose input is no terminal.
///
/// A pipe is used, because a terminal's driver would change the input. The driver interprets some bytes as
/// keys, and passes on only whole lines. A terminal's end-of-file key ends only one read.
final class ProgramPipe: Sendable {
    private struct Ends: Sendable {
        var read: Int32
        var write: Int32
    }

    private let ends: Mutex<Ends>

    /// Opens the pipe. Throws `systemFailure` when the process has no descriptor left.
    init() throws(TerminalHostError) {
        guard let pipe = Descriptors.makePipe() else {
            throw TerminalHostError(.systemFailure, "cannot open a pipe", errno: errno)
        }
        // Reading from the program's end of the pipe blocks, as programs expect. Writing to the run's end
        // does not block.
        _ = fcntl(pipe.read, F_SETFL, 0)
        ends = Mutex(Ends(read: pipe.read, write: pipe.write))
    }

    deinit {
        closeReadEnd()
        let write = takeWriteEnd()
        if write >= 0 { close(write) }
    }

    /// The program's end of the pipe; -1 once it is closed.
    var read: Int32 { ends.withLock { $0.read } }

    /// Closes this process's descriptor of the program's end. The caller first starts the program, which then
    /// has its own descriptor. After the call, a write fails if no process has the program's end open any
    /// more.
    func closeReadEnd() {
        let read = ends.withLock { ends in
            defer { ends.read = -1 }
            return ends.read
        }
        if read >= 0 { close(read) }
    }

    /// Returns the run's end of the pipe, which the caller has to close; -1 after the first call.
    func takeWriteEnd() -> Int32 {
        ends.withLock { ends in
            defer { ends.write = -1 }
            return ends.write
        }
    }
}
