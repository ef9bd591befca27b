#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#elseif canImport(Darwin)
internal import Darwin
#endif

/// The background of a terminal: the process groups of its session that its shell has not put in front.
///
/// The system stops a process that reads its terminal in the background (SIGTTIN). The threads of this package
/// block that signal, so their reads fail instead. Such a failure is no end of the input: the process may be
/// put in front again.
extension Descriptors {
    /// Whether a read failed only because this process was in the background of its terminal.
    ///
    /// The failure is the same for a terminal that has hung up, and for a process that no shell can put in
    /// front. In these cases the result is `false`.
    package static func failedInBackground(_ reading: Reading, of descriptor: Int32) -> Bool {
        reading == .failed(EIO) && mayComeInFront(of: descriptor)
    }

    /// Whether this process is in the background of a terminal now, and may be put in front.
    package static func isInBackground(of descriptor: Int32) -> Bool {
        mayComeInFront(of: descriptor) && tcgetpgrp(descriptor) != getpgrp()
    }

    private static func mayComeInFront(of descriptor: Int32) -> Bool {
        let session = getsid(0)
        // `tcgetsid` fails for a terminal that has hung up, and for each terminal but the controlling one. If
        // the parent is of another session, the shell that started this process has gone.
        return tcgetsid(descriptor) == session && getsid(getppid()) == session
    }
}
