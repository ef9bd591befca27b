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

/// A pseudo-terminal in which a program runs. Deallocation closes it, which sends SIGHUP to processes that
/// still run in it.
final class PseudoTerminal: Sendable {
    /// The run's end of the pseudo-terminal. It is non-blocking, because two threads share it and each waits
    /// in `poll(2)`.
    let master: Int32
    /// The program's end of the pseudo-terminal. It is kept open, so that the program's last output can be
    /// read after the program has ended.
    private let slave: Int32
    /// The path at which the program opens its end of the pseudo-terminal.
    let slavePath: String

    /// Opens a pseudo-terminal.
    ///
    /// - Parameters:
    ///   - attributes: the terminal's attributes; `nil` for the behaviour of a pipe, without echo and
    ///     line-end conversion.
    init(attributes: termios?) throws(TerminalHostError) {
        var path = [CChar](repeating: 0, count: 128)
        let master = Descriptors.aboveStandard(unsafe clinux_open_pseudo_terminal(&path, path.count))
        guard master >= 0 else {
            throw TerminalHostError(.systemFailure, "cannot open a pseudo-terminal", errno: errno)
        }
        let slavePath = unsafe path.withUnsafeBufferPointer { unsafe String(cString: $0.baseAddress!) }
        let slave = Descriptors.aboveStandard(unsafe open(slavePath, O_RDWR | O_NOCTTY | O_CLOEXEC))
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
        Descriptors.setNonBlocking(master)
        self.master = master
        self.slave = slave
        self.slavePath = slavePath
        set(wanted)
    }

    deinit {
        close(slave)
        close(master)
    }

    /// Sets the terminal's attributes.
    func set(_ attributes: termios) {
        var attributes = attributes
        _ = unsafe tcsetattr(slave, TCSANOW, &attributes)
    }

    /// Sets the terminal's size. The program gets SIGWINCH when the size has changed.
    func resize(to size: TerminalSize) {
        var window = winsize()
        window.ws_col = UInt16(clamping: size.columns)
        window.ws_row = UInt16(clamping: size.rows)
        _ = unsafe ioctl(master, UInt(TIOCSWINSZ), &window)
    }
}
