public import PortcullisCore
internal import Synchronization

/// Writes notifications to a stream, standard error unless told otherwise.
///
/// Pending notifications live in this process only: they end with it. A caller never waits for the stream: lines
/// go through a bounded backlog to a thread of their own, and when a stuck reader has let it fill up, delivering
/// throws ``/PortcullisCore/NotifierErrorCode/systemFailure``.
public final class ConsoleNotifier: Notifier {
    private struct Waiting {
        let pending: PendingNotification
        let timer: Task<Void, Never>
    }

    private struct State {
        var pending: [String: Waiting] = [:]
        var lost = 0
    }

    private let format: LineFormat
    private let clock: any LockClock
    private let writer: BacklogWriter
    private let executor: (any TaskExecutor)?
    private let state = Mutex(State())

    /// A notifier that writes to a sink.
    ///
    /// - Parameters:
    ///   - format: how a notification becomes a line.
    ///   - clock: stamps the lines and wakes scheduled notifications.
    ///   - backlog: the most lines that wait for the sink.
    ///   - executor: runs the tasks that wait for scheduled notifications; default: Swift's shared pool.
    ///   - sink: takes each line's bytes, the newline included. It is called on a thread of the notifier's own,
    ///     one line at a time, and may block.
    public init(
        format: LineFormat = .plain,
        clock: any LockClock,
        backlog: Int = 256,
        executor: (any TaskExecutor)? = nil,
        sink: @escaping @Sendable ([UInt8]) -> Void = ConsoleNotifier.descriptorSink(2)
    ) {
        self.format = format
        self.clock = clock
        self.executor = executor
        self.writer = BacklogWriter(capacity: backlog, sink: sink)
    }

    deinit {
        for waiting in state.withLock({ $0.pending.values.map(\.timer) }) { waiting.cancel() }
    }

    /// Always `true`: writing to a stream needs no permission.
    public func requestAuthorization() async -> Bool { true }

    /// Writes a line now or at its time.
    public func deliver(_ notification: LockNotification, at wall: Duration?) async throws(NotifierError) {
        let now = clock.now.wall
        if let wall, wall > now {
            return schedule(PendingNotification(notification: notification, wall: wall))
        }
        let (isTaken, replaced) = state.withLock { state in
            // What cannot be written does not take the pending one away either.
            guard write(notification, at: now) else { return (false, Waiting?.none) }
            return (true, state.pending.removeValue(forKey: notification.id))
        }
        replaced?.timer.cancel()
        guard isTaken else {
            throw NotifierError(code: .systemFailure, message: "the stream's reader does not keep up")
        }
    }

    /// Takes back pending notifications.
    public func cancel(_ ids: Set<String>) async {
        let timers = state.withLock { state in ids.compactMap { state.pending.removeValue(forKey: $0)?.timer }
        }
        for timer in timers { timer.cancel() }
    }

    /// What is scheduled, soonest first.
    public func pending() async -> [PendingNotification] {
        state.withLock { Self.sorted($0.pending.values.map(\.pending)) }
    }

    /// How many scheduled notifications came due while the backlog was full, and were never shown.
    public var lostCount: Int { state.withLock { $0.lost } }

    /// Waits until the sink has taken all lines so far, or the task is cancelled.
    ///
    /// For a program that is about to end; it would lose what the thread has not written.
    public func flush() async { await writer.flush() }

    private func schedule(_ pending: PendingNotification) {
        // The lock is held over both, so that the timer cannot ring before its notification is listed.
        let replaced = state.withLock { state in
            let timer = Task(executorPreference: executor) { [weak self, clock] in
                // Again where the wall clock was set back between the wake-up and the look at it.
                repeat {
                    do { try await clock.sleep(until: .wall(pending.wall)) } catch { return }
                } while self?.writeDue(leaving: pending.notification.id) == true
            }
            return state.pending.updateValue(
                Waiting(pending: pending, timer: timer),
                forKey: pending.notification.id
            )
        }
        replaced?.timer.cancel()
    }

    /// Writes all that is due, soonest first: whichever timer of one instant rings first does it for all.
    ///
    /// - Returns: whether the notification is still pending.
    private func writeDue(leaving id: String) -> Bool {
        let now = clock.now.wall
        return state.withLock { state in
            let due = Self.sorted(state.pending.values.map(\.pending).filter { $0.wall <= now })
            for pending in due {
                state.pending[pending.notification.id] = nil
                // Inside the lock, so that two timers cannot change the order; the write does not block.
                if !write(pending.notification, at: now) { state.lost += 1 }
            }
            return state.pending[id] != nil
        }
    }

    private func write(_ notification: LockNotification, at wall: Duration) -> Bool {
        writer.append(Array((format.line(for: notification, at: wall) + "\n").utf8))
    }

    private static func sorted(_ pending: [PendingNotification]) -> [PendingNotification] {
        pending.sorted { ($0.wall, $0.notification.id) < ($1.wall, $1.notification.id) }
    }
}
