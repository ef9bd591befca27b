internal import CLinux
internal import LinuxSystem
internal import PortcullisCore

#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#elseif canImport(Darwin)
internal import Darwin
#endif

/// Signals as events: a handler in C notes the number in a pipe, a thread reads it there.
enum SignalWatch {
    static let watched: [Int32] = [SIGWINCH, SIGTSTP, SIGCONT] + ending
    /// Those that end a process that does not look out for them; the terminal has to be put back first.
    static let ending: [Int32] = [
        SIGTERM, SIGHUP, SIGINT, SIGQUIT, SIGUSR1, SIGUSR2, SIGALRM, SIGVTALRM, SIGPROF, SIGXCPU, SIGXFSZ,
    ]

    /// Delivers every watched signal from now on; there can be only one such receiver in a process.
    ///
    /// - Throws: when the process has no descriptor or the system no thread left.
    static func start(_ deliver: @escaping @Sendable (Int32) -> Void) throws(GuardFailure) {
        guard let pipe = Descriptors.makePipe() else { throw GuardFailure("cannot open a pipe", errno) }
        do throws(ThreadRefusal) {
            try Threads.startAtOnce {
                while true {
                    _ = DescriptorWait.isReady(pipe.read)
                    var number: UInt8 = 0
                    while unsafe read(pipe.read, &number, 1) == 1 { deliver(Int32(number)) }
                }
            }
        } catch {
            throw GuardFailure(error)
        }
        unsafe clinux_watch_signals(pipe.write, watched, Int32(watched.count))
        // A reader that went away is told by the write's error, not by a signal that ends us.
        signal(SIGPIPE, SIG_IGN)
    }

    /// Stops the process until it is continued, as SIGTSTP does by itself.
    ///
    /// Where no shell is left that could continue it, in an orphaned process group, the system drops the signal, and
    /// the process goes on at once.
    static func stop() {
        var watching = sigaction()
        guard unsafe sigaction(SIGTSTP, nil, &watching) == 0 else { return }
        signal(SIGTSTP, SIG_DFL)
        var stop = sigset_t()
        var blocked = sigset_t()
        unsafe sigemptyset(&stop)
        unsafe sigaddset(&stop, SIGTSTP)
        // The threads of libdispatch block it.
        unsafe pthread_sigmask(SIG_UNBLOCK, &stop, &blocked)
        // To this thread: sent to the process, another may take it and this one run on for a moment.
        raise(SIGTSTP)
        unsafe pthread_sigmask(SIG_SETMASK, &blocked, nil)
        _ = unsafe sigaction(SIGTSTP, &watching, nil)
    }
}
