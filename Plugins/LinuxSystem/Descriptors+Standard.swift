#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#elseif canImport(Darwin)
internal import Darwin
#endif

/// The standard streams, and functions that keep the descriptors of files and sockets away from the numbers
/// of these streams, 0 to 2.
///
/// If a process is started with a closed standard stream, the next file that the process opens gets the
/// number of this stream. Every text for the stream is then written into the file.
extension Descriptors {
    /// The number of standard input.
    package static var standardInput: Int32 { STDIN_FILENO }
    /// The number of standard output.
    package static var standardOutput: Int32 { STDOUT_FILENO }
    /// The number of standard error.
    package static var standardError: Int32 { STDERR_FILENO }

    /// Whether a descriptor is a terminal.
    package static func isTerminal(_ descriptor: Int32) -> Bool { isatty(descriptor) == 1 }

    /// Opens each closed standard stream in such a way that its use fails. A process calls this function
    /// before it opens a file.
    ///
    /// Standard input is opened for writing, and the two outputs are opened for reading. So a read or write
    /// fails with `EBADF`, as it does for a closed stream. The programs that the process starts find the
    /// streams closed.
    ///
    /// - Throws: ``SystemCallError`` if a stream is closed and cannot be opened.
    package static func fillStandardStreams() throws(SystemCallError) {
        for stream in [STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO] {
            guard fcntl(stream, F_GETFD) == -1, errno == EBADF else { continue }
            let access = stream == STDIN_FILENO ? O_WRONLY : O_RDONLY
            var opened = unsafe open("/dev/null", access | O_CLOEXEC)
            // Where there is no `/dev/null`, a folder is opened instead. `read` and `write` fail on a folder
            // too.
            if opened < 0 { opened = unsafe open("/", O_RDONLY | O_DIRECTORY | O_CLOEXEC) }
            guard opened >= 0 else { throw SystemCallError(errno: errno, call: "open") }
            // The system gives the lowest free number. This is the stream's number, unless another thread has
            // just taken it.
            if opened != stream { close(opened) }
        }
    }

    /// Moves a new descriptor away from the numbers of the standard streams. A moved descriptor is closed
    /// on exec.
    ///
    /// - Parameter descriptor: a descriptor that no other code knows yet, or the result -1 of a failed
    ///   call.
    /// - Returns: a descriptor of the same open file, with a number above 2; -1 with `errno` set if
    ///   `descriptor` is -1 or if the process has no descriptor left. If no descriptor is left, the file is
    ///   closed.
    package static func aboveStandard(_ descriptor: Int32) -> Int32 {
        guard (STDIN_FILENO...STDERR_FILENO).contains(descriptor) else { return descriptor }
        let moved = fcntl(descriptor, F_DUPFD_CLOEXEC, STDERR_FILENO + 1)
        let cause = errno
        close(descriptor)
        errno = cause
        return moved
    }

    /// Calls a function of a library that opens files or sockets and keeps them. While the function runs,
    /// the numbers of closed standard streams are in use for `/dev/null`, so the library gets other
    /// numbers.
    package static func withoutStandardNumbers<Result>(_ body: () -> Result) -> Result {
        var taken: [Int32] = []
        defer { for descriptor in taken { close(descriptor) } }
        while taken.last ?? -1 < STDERR_FILENO + 1 {
            let next = unsafe open("/dev/null", O_RDONLY | O_CLOEXEC)
            guard next >= 0 else { break }
            taken.append(next)
        }
        return body()
    }
}
