internal import CLinux
internal import Glibc
internal import PortcullisCore

/// Signals as events: a handler in C notes the number in a pipe, a thread reads it there.
enum SignalWatch {
    static let watched: [Int32] = [SIGTERM, SIGHUP, SIGINT, SIGQUIT, SIGWINCH, SIGTSTP, SIGCONT]

    /// Delivers every watched signal from now on; there can be only one such receiver in a process.
    static func start(_ deliver: @escaping @Sendable (Int32) -> Void) {
        guard let pipe = Descriptors.makePipe() else { preconditionFailure("no pipe can be opened") }
        unsafe clinux_watch_signals(pipe.write, watched, Int32(watched.count))
        // A reader that went away is told by the write's error, not by a signal that ends us.
        signal(SIGPIPE, SIG_IGN)
        Threads.start {
            var waiting = pollfd(fd: pipe.read, events: Int16(POLLIN), revents: 0)
            while true {
                _ = unsafe poll(&waiting, 1, -1)
                var number: UInt8 = 0
                while unsafe read(pipe.read, &number, 1) == 1 { deliver(Int32(number)) }
            }
        }
    }
}
