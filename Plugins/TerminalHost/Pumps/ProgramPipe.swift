internal import LinuxSystem
internal import Synchronization

#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#elseif canImport(Darwin)
internal import Darwin
#endif

/// The standard input of a program whose input is no terminal.
///
/// A terminal's driver would change what goes through it: it takes some bytes for keys, gives out whole lines only, and an end
/// of the input is one key that one read takes.
final class ProgramPipe: Sendable {
    private struct Ends: Sendable {
        var read: Int32
        var write: Int32
    }

    private let ends: Mutex<Ends>

    /// - Throws: when the process has no descriptor left.
    init() throws(TerminalHostError) {
        guard let pipe = Descriptors.makePipe() else {
            throw TerminalHostError(.systemFailure, "cannot open a pipe", errno: errno)
        }
        // The program's end blocks, as programs expect; ours does not.
        _ = fcntl(pipe.read, F_SETFL, 0)
        ends = Mutex(Ends(read: pipe.read, write: pipe.write))
    }

    deinit {
        closeReadEnd()
        let write = takeWriteEnd()
        if write >= 0 { close(write) }
    }

    /// The program's end, until it is closed.
    var read: Int32 { ends.withLock { $0.read } }

    /// Once the program has it: what is written while no process reads is an error then.
    func closeReadEnd() {
        let read = ends.withLock { ends in
            defer { ends.read = -1 }
            return ends.read
        }
        if read >= 0 { close(read) }
    }

    /// Hands our end over, which the one that gets it closes; -1 when it was handed over before.
    func takeWriteEnd() -> Int32 {
        ends.withLock { ends in
            defer { ends.write = -1 }
            return ends.write
        }
    }
}
