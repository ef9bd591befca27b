#if os(Linux)
internal import Glibc
internal import LinuxSystem
internal import PortcullisCore
internal import Synchronization

/// Waits for the end of a command's processes that were killed.
///
/// The signal to kill has no effect on a process that belongs to another user, and none yet on a process that
/// the kernel keeps in a wait. Such a process is left, and is reaped when it has ended.
final class CommandEnd: Sendable {
    /// Reaps a process, and waits for its end if it still runs.
    ///
    /// The arguments are the process, its handle (negative if there is none) and the longest time to wait.
    /// The result is the status of the process; `nil` if it still runs.
    typealias Reap = @Sendable (_ process: pid_t, _ handle: Int32, _ limit: Duration) -> Int32?

    /// The longest time that a command takes to end after it was killed.
    static let patience = Duration.seconds(5)

    private let reap: Reap
    private let running = Mutex<pid_t?>(nil)

    init(reap: @escaping Reap = CommandEnd.reap) { self.reap = reap }

    deinit { _ = left }

    /// The process that was left, if it still runs. The call does not block.
    var left: pid_t? {
        running.withLock { running in
            if let process = running, reap(process, -1, .zero) != nil { running = nil }
            return running
        }
    }

    /// Returns the status of a process that was killed; `nil` if it runs on. In that case the process is left.
    func status(of process: pid_t, _ handle: Int32) -> Int32? {
        if let status = reap(process, handle, Self.patience) { return status }
        running.withLock { $0 = process }
        return nil
    }

    /// Reaps a process by the system's calls.
    static func reap(_ process: pid_t, _ handle: Int32, _ limit: Duration) -> Int32? {
        let due = ContinuousClock.now + limit
        while true {
            var status: Int32 = 0
            let found = unsafe waitpid(process, &status, WNOHANG)
            // A process that cannot be waited for is no process of this one, and has no status.
            if found == process || (found < 0 && errno != EINTR) { return status }
            let left = ContinuousClock.now.duration(to: due)
            guard left > .zero else { return nil }
            if handle >= 0 {
                _ = DescriptorWait.isReady(handle, atMost: left)
            } else {
                Threads.sleep(microseconds: 10_000)
            }
        }
    }
}
#endif
