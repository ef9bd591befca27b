internal import CLinux
internal import LinuxSystem
public import PortcullisCore

#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#elseif canImport(Darwin)
internal import Darwin
#endif

/// Signals of this process as calls, until the watch is ended or goes away.
///
/// Any number of watches may have the same signal, and each is told of it. After the last of them a signal does again what
/// it did before the first. A write to a pipe without a reader fails meanwhile (`EPIPE`) instead of ending the process.
public final class SignalWatch: Sendable {
    /// Which signals a watch leaves alone.
    public enum Sparing: Sendable, Hashable {
        /// None.
        case none
        /// Those that are ignored, as SIGHUP is under `nohup`.
        case ignored
        /// Those that are ignored, and those that the process handles already.
        case handled
    }

    /// The signals that end a process which does not look out for them: a terminal has to be put back first.
    public static let ending: [Int32] = [
        SIGTERM, SIGHUP, SIGINT, SIGQUIT, SIGUSR1, SIGUSR2, SIGALRM, SIGVTALRM, SIGPROF, SIGXCPU, SIGXFSZ,
    ]
    /// ``ending``, and those that concern a program on a terminal: SIGWINCH, SIGTSTP, SIGCONT.
    public static let ofTerminal: [Int32] = [SIGWINCH, SIGTSTP, SIGCONT] + ending

    private let pipe: SignalPipe
    private let wake: Wake

    /// Delivers signals from now on.
    ///
    /// - Parameters:
    ///   - signals: which.
    ///   - sparing: which of them are left alone.
    ///   - deliver: called on a thread of the watch with the number of each signal.
    /// - Throws: `systemFailure` when the process has no descriptor or the system no thread left.
    public init(
        _ signals: [Int32] = SignalWatch.ofTerminal,
        sparing: Sparing = .none,
        deliver: @escaping @Sendable (Int32) -> Void
    ) throws(TerminalHostError) {
        do throws(SystemCallError) { wake = try Wake() } catch { throw TerminalHostError(error) }
        pipe = try SignalPipe(signals, silencing: [SIGPIPE], sparing: sparing)
        do throws(ThreadRefusal) {
            try Threads.startAtOnce { [pipe, wake] in
                var wait = DescriptorWait()
                wait.add(pipe.descriptor)
                wait.add(wake.descriptor)
                while !wake.isRaised {
                    _ = wait.wait()
                    while !wake.isRaised, let number = pipe.next() { deliver(number) }
                }
            }
        } catch {
            pipe.end()
            throw TerminalHostError(error)
        }
    }

    deinit { end() }

    /// Ends the watch: what comes from now on is not delivered. One that was not delivered yet, and ends the process if it
    /// is not watched, does so.
    public func end() {
        wake.raise()
        pipe.end()
    }

    /// Stops this process until it is continued, as SIGTSTP does by itself.
    ///
    /// Where no shell is left that could continue it, in an orphaned process group, the system drops the signal, and
    /// the process goes on at once.
    public static func stopProcess() { clinux_stop_process() }
}
