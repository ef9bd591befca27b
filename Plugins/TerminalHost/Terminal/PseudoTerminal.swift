internal import CLinux
internal import LinuxSystem
internal import PortcullisCore
internal import TerminalScreens

#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#elseif canImport(Darwin)
internal import Darwin
#endif

/// A pseudo-terminal of our own, in which a program runs; closed when it goes, which hangs up what still runs in it.
final class PseudoTerminal: Sendable {
    /// Our end; non-blocking, because two threads share it and each waits in `poll(2)`.
    let master: Int32
    /// Kept open so that the program's last output can be read after it ended.
    private let slave: Int32
    /// Where the program opens its end.
    let slavePath: String

    /// Opens one.
    ///
    /// - Parameters:
    ///   - attributes: the terminal's attributes; `nil` for a plain pipe's: no echo, no line-end conversion.
    init(attributes: termios?) throws(TerminalHostError) {
        var path = [CChar](repeating: 0, count: 128)
        let master = unsafe clinux_open_pseudo_terminal(&path, path.count)
        guard master >= 0 else {
            throw TerminalHostError(.systemFailure, "cannot open a pseudo-terminal", errno: errno)
        }
        let slavePath = unsafe path.withUnsafeBufferPointer { unsafe String(cString: $0.baseAddress!) }
        let slave = unsafe open(slavePath, O_RDWR | O_NOCTTY | O_CLOEXEC)
        guard slave >= 0 else {
            let cause = errno
            close(master)
            throw TerminalHostError(
                .systemFailure,
                "cannot open the pseudo-terminal \(slavePath)",
                errno: cause
            )
        }
        var wanted = termios()
        if let attributes {
            wanted = attributes
        } else {
            _ = unsafe tcgetattr(slave, &wanted)
            wanted.c_lflag &= ~tcflag_t(ECHO)
            wanted.c_oflag &= ~tcflag_t(ONLCR)
        }
        _ = unsafe tcsetattr(slave, TCSANOW, &wanted)
        Descriptors.setNonBlocking(master)
        self.master = master
        self.slave = slave
        self.slavePath = slavePath
    }

    deinit {
        close(slave)
        close(master)
    }

    /// Tells the program the size; it gets SIGWINCH when that is another one.
    func resize(to size: TerminalSize) {
        var window = winsize()
        window.ws_col = UInt16(clamping: size.columns)
        window.ws_row = UInt16(clamping: size.rows)
        _ = unsafe ioctl(master, UInt(TIOCSWINSZ), &window)
    }
}
