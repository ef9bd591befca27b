internal import LinuxSystem

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
struct ProgramPipe: Sendable {
    /// The program's end, which blocks, as programs expect.
    let read: Int32
    /// Our end, which does not.
    let write: Int32

    /// - Throws: when the process has no descriptor left.
    init() throws(GuardFailure) {
        guard let pipe = Descriptors.makePipe() else { throw GuardFailure("cannot open a pipe", errno) }
        (read, write) = pipe
        _ = fcntl(read, F_SETFL, 0)
    }

    /// Once the program has it: what is written while no process reads is an error then.
    func closeReadEnd() { close(read) }
}
