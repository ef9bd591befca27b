#if os(Linux)
internal import Glibc
internal import LinuxSystem
internal import PortcullisCore
internal import Synchronization

/// Waits for the end of a command's process that was killed, and reaps the process.
///
/// SIGKILL has no effect on a process that belongs to another user. A process that the kernel keeps in an
/// uninterruptible wait ends only after this wait. If the process still runs after ``patience``, its number
/// is kept in ``left``, and the process is reaped later.
final class CommandEnd: Sendable {
    /// Reaps a process, and waits for its end if it still runs.
    ///
    /// The arguments are the process, its handle (negative if there is none) and the longest time to wait.
    typealias Reap = @Sendable (_ process: pid_t, _ handle: Int32, _ limit: Duration) -> Standing

    /// What is known about a process after a wait for its end.
    enum Standing: Hashable {
        case running
        /// The process has ended with this status. The status is `nil` if the system has kept none: in a
        /// process that ignores SIGCHLD, the system reaps the children itself.
        case ended(status: Int32?)
    }

    /// The longest wait for the end of a command that was killed.
    static let patience = Duration.seconds(5)

    private let reap: Reap
    private let running = Mutex<pid_t?>(nil)

    init(reap: @escaping Reap = CommandEnd.reap) { self.reap = reap }

    deinit { _ = left }

    /// The process that still ran after ``patience``; `nil` if there is none. If the process has ended by
    /// now, the call reaps it and returns `nil`. The call does not block.
    var left: pid_t? {
        running.withLock { running in
            if let process = running, reap(process, -1, .zero) != .running { running = nil }
            return running
        }
    }

    /// Waits for the end of a process that was killed, and reaps it. If the process still runs after
    /// ``patience``, ``left`` returns it until it has ended.
    func standing(of process: pid_t, _ handle: Int32) -> Standing {
        let standing = reap(process, handle, Self.patience)
        if standing == .running { running.withLock { $0 = process } }
        return standing
    }

    /// Reaps a process by the system's calls.
    static func reap(_ process: pid_t, _ handle: Int32, _ limit: Duration) -> Standing {
        let due = ContinuousClock.now + limit
        while true {
            var status: Int32 = 0
            let found = unsafe waitpid(process, &status, WNOHANG)
            if found == process { return .ended(status: status) }
            if found < 0, errno != EINTR { return .ended(status: nil) }
            let left = ContinuousClock.now.duration(to: due)
            guard left > .zero else { return .running }
            if handle >= 0 {
                _ = DescriptorWait.isReady(handle, atMost: left)
            } else {
                Threads.sleep(microseconds: 10_000)
            }
        }
    }
}
#endif
