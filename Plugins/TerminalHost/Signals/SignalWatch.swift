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

/// Delivers signals of this process as calls, until the watch is ended or deallocated.
///
/// Any number of watches may receive the same signal, and each delivers it. When the last of these watches
/// has ended, the signal is handled as it was before the first of these watches began. During a watch, a
/// write to a pipe without a reader fails with `EPIPE` and does not end the process.
public final class SignalWatch: Sendable {
    /// The signals that a watch spares: the watch does not receive them and does not change their handling.
    public enum Sparing: Sendable, Hashable {
        /// The watch receives all its signals.
        case none
        /// The watch spares signals that the process ignores, such as SIGHUP under `nohup`.
        case ignored
        /// The watch spares signals that the process ignores or already handles.
        case handled
    }

    /// The signals that end a process by default. A program on a terminal has to restore the terminal before
    /// such a signal ends it.
    public static let ending: [Int32] = [
        SIGTERM, SIGHUP, SIGINT, SIGQUIT, SIGUSR1, SIGUSR2, SIGALRM, SIGVTALRM, SIGPROF, SIGXCPU, SIGXFSZ,
    ]
    /// The signals of ``ending``, and those that concern a program on a terminal: SIGWINCH, SIGTSTP, SIGCONT.
    public static let ofTerminal: [Int32] = [SIGWINCH, SIGTSTP, SIGCONT] + ending

    private let pipe: SignalPipe
    private let wake: Wake

    /// Begins to deliver signals.
    ///
    /// - Parameters:
    ///   - signals: the signals to receive.
    ///   - sparing: which of these signals are spared, so that they keep their present handling.
    ///   - patience: how long the process may continue after the first signal of ``ending``; `nil` for no
    ///     limit. A task of the process may wait for a call that does not return. So after that time the
    ///     watch ends the process at once, with the exit status 128 + the signal's number.
    ///   - deliver: called on a thread of the watch with the number of each signal.
    /// - Throws: `systemFailure` when the process has no descriptor left, or the system has no thread left.
    public init(
        _ signals: [Int32] = SignalWatch.ofTerminal,
        sparing: Sparing = .none,
        patience: Duration? = nil,
        deliver: @escaping @Sendable (Int32) -> Void
    ) throws(TerminalHostError) {
        do throws(SystemCallError) { wake = try Wake() } catch { throw TerminalHostError(error) }
        pipe = try SignalPipe(signals, silencing: [SIGPIPE], sparing: sparing)
        do throws(ThreadRefusal) {
            try Threads.startAtOnce { [pipe, wake] in
                var wait = DescriptorWait()
                wait.add(pipe.descriptor)
                wait.add(wake.descriptor)
                var due: (time: ContinuousClock.Instant, signal: Int32)?
                while !wake.isRaised {
                    _ = wait.wait(atMost: due.map { max(.zero, ContinuousClock.now.duration(to: $0.time)) })
                    while !wake.isRaised, let number = pipe.next() {
                        if due == nil, let patience, Self.ending.contains(number) {
                            due = (ContinuousClock.now + patience, number)
                        }
                        deliver(number)
                    }
                    if let due, due.time <= .now, !wake.isRaised { _exit(128 + due.signal) }
                }
            }
        } catch {
            pipe.end()
            throw TerminalHostError(error)
        }
    }

    deinit { end() }

    /// Ends the watch. Later signals are not delivered. A signal that came earlier and was not delivered yet
    /// has its usual effect, which may end the process.
    public func end() {
        wake.raise()
        pipe.end()
    }

    /// Stops this process until it is continued, like the default effect of SIGTSTP.
    ///
    /// If the process group is orphaned, no shell could continue the process. In that case the system drops
    /// the signal, and the process continues at once.
    public static func stopProcess() { clinux_stop_process() }

    /// Stops the job of this process until it is continued, as the system stops a job that reads its terminal
    /// in the background (SIGTTIN). So the shell shows that the job is stopped, and `sudo` puts it in front.
    ///
    /// A process that ignores SIGTTIN is not stopped.
    static func stopJob() { clinux_stop_job() }
}
