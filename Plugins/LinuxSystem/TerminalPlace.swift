#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#elseif canImport(Darwin)
internal import Darwin
#endif

/// The place of this process at a terminal: whether the process may use the terminal now, later or never.
///
/// The shell of a terminal puts one process group of the session in front. The other groups are in the
/// background. The system stops a process that reads its terminal in the background (SIGTTIN). The threads of
/// this package block that signal, so their reads fail instead, and their changes of the terminal succeed. So
/// they look at their place first.
package enum TerminalPlace: Sendable, Hashable {
    /// The process is in front. A terminal that has hung up, and a terminal that is not the controlling one,
    /// have no background.
    case front
    /// The process is in the background, and may be put in front.
    case behind
    /// The process is in the background, and no shell can put it in front.
    case orphaned

    /// The time between two looks of a process that waits until it is in front.
    ///
    /// A process that waits may stop its job. When it goes on, the signals that came meanwhile are handled in
    /// this time, before it stops the job again.
    package static let pause = Duration.milliseconds(250)

    /// Looks at the present place of this process.
    package init(at descriptor: Int32) {
        self =
            if !Self.isControlling(descriptor) || tcgetpgrp(descriptor) == getpgrp() {
                .front
            } else if Self.hasShell {
                .behind
            } else {
                .orphaned
            }
    }

    /// Whether a read failed only because this process was in the background of its terminal.
    ///
    /// The failure is no end of the input, because the process may be put in front again. The failure is the
    /// same for a terminal that has hung up, and for a process that no shell can put in front. In these cases
    /// the result is `false`.
    package static func hasFailed(_ reading: Descriptors.Reading, of descriptor: Int32) -> Bool {
        reading == .failed(EIO) && isControlling(descriptor) && hasShell
    }

    /// Whether a descriptor is the controlling terminal. A terminal that has hung up is none.
    private static func isControlling(_ descriptor: Int32) -> Bool { tcgetsid(descriptor) == getsid(0) }

    /// Whether a shell can put this process in front: a process of the same session that has started the
    /// process group, and is not of the group itself. A program in between, such as a script, is of the group.
    private static var hasShell: Bool {
        let (session, group) = (getsid(0), getpgrp())
        var ancestor = getppid()
        while ancestor > 0, getsid(ancestor) == session {
            if getpgid(ancestor) != group { return true }
            ancestor = parent(of: ancestor)
        }
        // The number 0 stands for an unknown parent, or one outside of the PID namespace. It may be a shell.
        return ancestor == 0
    }

    /// The parent of a process; 0 if it is unknown, -1 if the process has ended.
    private static func parent(of process: pid_t) -> pid_t {
        #if os(Linux)
        let file = unsafe open("/proc/\(process)/stat", O_RDONLY | O_CLOEXEC)
        // The file may be hidden although the process lives, such as one of another user under `hidepid`.
        guard file >= 0 else { return getsid(process) < 0 ? -1 : 0 }
        defer { close(file) }
        var bytes = [UInt8](repeating: 0, count: 1_024)
        let reading = unsafe bytes.withUnsafeMutableBytes { unsafe Descriptors.read(file, into: $0) }
        guard case .bytes(let count) = reading else { return -1 }
        // The parent is the second field after the name, which ends with the last bracket.
        let fields = bytes[..<count].split(separator: UInt8(ascii: ")")).last?.split(separator: 0x20) ?? []
        return fields.count > 1 ? pid_t(String(decoding: fields[1], as: UTF8.self)) ?? 0 : 0
        #else
        return 0
        #endif
    }
}
