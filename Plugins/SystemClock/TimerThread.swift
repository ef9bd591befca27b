#if os(Linux)
internal import AdapterKit
internal import PortcullisCore
internal import Synchronization

/// Serves all sleepers of a clock from one thread, with one kernel timer for the boot clock and one for the
/// wall clock.
///
/// The thread waits in `poll` for three things: the timers, a change of the system's zone, and a wake-up by
/// another thread. The other thread calls `nudge` after it has added a sleeper or a stream, or to stop the
/// service. If the process has no descriptors left for the timers, or the system refuses the timers, the
/// thread checks the deadlines every 50 milliseconds until it gets the timers. The process goes on in this
/// case. If the clock ended it, unsaved data would be lost, and an app could end while it is locked.
final class TimerThread: SleepService {
    private struct Sleeper {
        let deadline: ClockDeadline
        let continuation: CheckedContinuation<Bool, Never>
    }

    private struct State {
        var lastID: UInt64 = 0
        var sleepers: [UInt64: Sleeper] = [:]
        /// Whether the thread was started.
        var isStarted = false
        /// The timers; `nil` before the start, and while the process cannot get them.
        var kernel: KernelTimers?
        var isStopped = false
    }

    private let zoneFolder: String
    private let dataFolders: @Sendable () -> [String]
    private let state = Mutex(State())
    private let noticeStreams = Broadcaster<ClockNotice>()

    /// Makes a service whose thread has not been started.
    ///
    /// - Parameters:
    ///   - zoneFolder: the folder with the link that names the system's zone.
    ///   - dataFolders: returns the folders of the zone files.
    init(
        zoneFolder: String = "/etc",
        dataFolders: @escaping @Sendable () -> [String] = { SystemZone.folders }
    ) {
        self.zoneFolder = zoneFolder
        self.dataFolders = dataFolders
    }

    func sleep(until deadline: ClockDeadline) async throws(CancellationError) {
        let id = newID()
        let wasWoken = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                // The checks and the insertion happen under one lock, so that no wake-up between them is
                // missed.
                let answer = state.withLock { state -> Bool? in
                    // A cancellation handler that ran before this point found no sleeper to wake.
                    // `isCancelled` shows this case.
                    if Task.isCancelled || state.isStopped { return false }
                    if deadline.isReached { return true }
                    state.sleepers[id] = Sleeper(deadline: deadline, continuation: continuation)
                    startOrNudge(&state)
                    return nil
                }
                if let answer { continuation.resume(returning: answer) }
            }
        } onCancel: {
            // The timer stays set for the cancelled sleeper and may wake the thread in vain. This costs less
            // than setting the timer again.
            let sleeper = state.withLock { $0.sleepers.removeValue(forKey: id) }
            sleeper?.continuation.resume(returning: false)
        }
        guard wasWoken else { throw CancellationError() }
    }

    func notices() -> AsyncStream<ClockNotice> {
        let stream = noticeStreams.stream()
        state.withLock { startOrNudge(&$0) }
        return stream
    }

    func stop() {
        let sleepers = state.withLock { state in
            state.isStopped = true
            state.kernel?.nudge()
            defer { state.sleepers = [:] }
            return state.sleepers.values
        }
        for sleeper in sleepers { sleeper.continuation.resume(returning: false) }
        noticeStreams.finish()
    }

    func start() throws(ThreadRefusal) {
        guard state.withLock({ prepare(&$0) }) else { return }
        do throws(ThreadRefusal) { try Threads.startAtOnce { [self] in run() } } catch {
            state.withLock { ($0.isStarted, $0.kernel) = (false, nil) }
            throw error
        }
    }

    private func newID() -> UInt64 {
        state.withLock { state in
            state.lastID += 1
            return state.lastID
        }
    }

    private func startOrNudge(_ state: inout State) {
        if prepare(&state) { Threads.start { [self] in run() } } else { state.kernel?.nudge() }
    }

    /// Makes the timers for the thread, which the caller starts next. Returns `false` if the thread was
    /// started before.
    private func prepare(_ state: inout State) -> Bool {
        guard !state.isStarted else { return false }
        state.isStarted = true
        state.kernel = makeTimers()
        return true
    }

    /// Returns `nil` while the process cannot get the timers.
    private func makeTimers() -> KernelTimers? {
        try? KernelTimers(zoneFolder: zoneFolder, dataFolders: dataFolders())
    }

    private func run() {
        while true {
            let turn = state.withLock { $0.isStopped ? nil : prepareTurn(&$0) }
            guard let turn else { return }
            // A change of the clock may make sleepers due. In that case their timer fires at once, and
            // `wakeDue()` below wakes them.
            noticeStreams.send(contentsOf: turn.notices)
            var notices: [ClockNotice] = []
            if let kernel = turn.kernel {
                notices = kernel.wait()
            } else {
                Threads.sleep(microseconds: 50_000)
            }
            wakeDue()
            noticeStreams.send(contentsOf: notices)
        }
    }

    /// Sets the timers for the thread's next wait. If there are no timers, they are made first.
    ///
    /// - Returns: the timers, and the changes that are known before the wait.
    private func prepareTurn(_ state: inout State) -> (kernel: KernelTimers?, notices: [ClockNotice]) {
        let isLate = state.kernel == nil
        if isLate { state.kernel = makeTimers() }
        guard let kernel = state.kernel else { return (nil, []) }
        let wasClockSet = Self.setTimers(kernel, for: state)
        // Without timers, a change of the clock or of the zone may have passed unnoticed.
        if isLate { return (kernel, [.wallClockSet, .zoneChanged]) }
        return (kernel, wasClockSet ? [.wallClockSet] : [])
    }

    private static func setTimers(_ kernel: KernelTimers, for state: State) -> Bool {
        var boot: Duration?
        var wall: Duration?
        for sleeper in state.sleepers.values {
            switch sleeper.deadline {
            case .sinceBoot(let time): boot = min(boot ?? time, time)
            case .wall(let time): wall = min(wall ?? time, time)
            }
        }
        return kernel.set(boot: boot, wall: wall)
    }

    private func wakeDue() {
        let due = state.withLock { state in
            let due = state.sleepers.filter { $0.value.deadline.isReached }
            for id in due.keys { state.sleepers[id] = nil }
            return due
        }
        for (_, sleeper) in due.sorted(by: { $0.key < $1.key }) {
            sleeper.continuation.resume(returning: true)
        }
    }
}

extension ClockDeadline {
    fileprivate var isReached: Bool {
        switch self {
        case .sinceBoot(let time): time <= SystemTime.sinceBoot()
        case .wall(let time): time <= SystemTime.wall()
        }
    }
}
#endif
