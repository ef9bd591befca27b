#if os(Linux)
internal import CLinux
internal import Glibc
internal import LinuxSystem
internal import PortcullisCore
internal import Synchronization

/// Reports the start of each program that may be shielded.
///
/// The process connector reports each start on the machine. If the connector does not work, a start is
/// recognised by the opening of a shielded program's file. One thread waits for these reports, and sleeps
/// until a report arrives. If a file cannot be watched, or a program may start without an opening of one of
/// the files, the thread wakes once a second and has all processes examined.
final class StartWatch: Sendable {
    /// The programs to watch for.
    struct Target: Sendable {
        /// Judges whether a process may be one of the programs. The watch calls this closure on the watch's
        /// own thread.
        var judge: @Sendable (Int32) -> ProcessGlance.Verdict
        /// Returns the newest process that `judge` counts as a candidate. Only the processes with the latest
        /// numbers are examined.
        var latest: @Sendable () -> Int32?
        /// The files that the kernel opens when one of the programs is started.
        var files: Set<ExactPath>
        /// Whether one of the programs may start without an opening of one of these files.
        var mayStartUnseen = false
    }

    /// Called with a process that was seen to start; with `nil` when a program may have started in an unknown
    /// process, or a file may have been replaced.
    typealias Notice = @Sendable (Int32?) -> Void
    /// Called once a second if every file is watched and one of these conditions holds:
    /// - A program may start without an opening of one of the files.
    /// - The thread has no wake.
    ///
    /// If a file is not watched, and during the searches after an opening, the ``Notice`` is called instead.
    typealias Tick = @Sendable () -> Void

    private struct State {
        var target: Target?
        var watched = WatchedPaths()
        var isEnded = false
        /// Whether every file of the target is watched, so that the replacement of a file is reported.
        var holdsFiles = false
        /// Whether the watched files show every start of the target's programs.
        var isComplete = true
    }

    /// Whether the process connector works here.
    let seesEveryStart: Bool
    /// The process connector's descriptor; -1 without the connector.
    private let connector: Int32
    /// Reports opened files if the connector does not work. The value is `nil` if the connector works, or if
    /// opened files cannot be reported either.
    private let openings: FileNotices?
    /// Wakes the thread; `nil` if no descriptor was free. Without a wake, the thread may notice a new target,
    /// or a call of ``end()``, only after a second.
    private let wake: Wake?
    private let notice: Notice
    private let tick: Tick
    private let state = Mutex(State())

    /// Creates a watch without a target.
    ///
    /// - Parameters:
    ///   - usesConnector: whether to try the process connector.
    ///   - usesOpenings: whether to try notices of opened files.
    init(
        usesConnector: Bool,
        usesOpenings: Bool = true,
        notice: @escaping Notice,
        tick: @escaping Tick = {}
    ) {
        connector = usesConnector ? Descriptors.aboveStandard(clinux_open_starts()) : -1
        seesEveryStart = connector >= 0
        openings = connector < 0 && usesOpenings ? try? FileNotices() : nil
        wake = try? Wake()
        self.notice = notice
        self.tick = tick
        Threads.start { [self] in run() }
    }

    /// Watches for another target from now on; with `nil`, for no program.
    func look(for target: Target?) {
        state.withLock { state in
            if state.isEnded { return }
            state.target = target
            if seesEveryStart { return }
            let files = target?.files ?? []
            // The removal or replacement of a file changes its link count, which the kernel reports as
            // `.attributes`, or renames it (`.selfMoved`).
            if let openings {
                state.watched.keep(files, for: [.opened, .attributes, .selfMoved], by: openings)
            }
            state.holdsFiles = state.watched.holds(files)
            state.isComplete = target?.mayStartUnseen != true && state.holdsFiles
        }
        wake?.raise()
    }

    /// Ends the thread, which closes the watch's descriptors.
    func end() {
        state.withLock { $0.isEnded = true }
        wake?.raise()
    }

    private func run() {
        // The kernel opens a program's file before the program runs. So after an opening, the processes are
        // searched several times, at these intervals. The first searches (`glances`) examine only the newest
        // processes. The later searches examine all processes, and so find a program that had to wait for the
        // processor.
        let looks: [Duration] = [0, 1, 2, 5, 20, 100, 400].map { .milliseconds($0) }
        let glances = 4
        var look = looks.count
        // The time of the last notice, or of the opening with which the searches began, if that was later.
        // After each notice all processes are examined.
        var lastNotice = ContinuousClock.now
        while true {
            var wait = DescriptorWait()
            let told = wait.add(seesEveryStart ? connector : openings?.descriptor)
            let woken = wait.add(wake?.descriptor)
            let isBlind = wake == nil || !state.withLock { $0.isComplete }
            let pause: Duration? = look < looks.count ? looks[look] : nil
            // Each opening begins the searches anew. If a file is opened very often, the later searches are
            // never reached. So the look of each second does not wait for the end of the searches. If that
            // look is due during the pause before a search, the search comes earlier.
            let isDue = isBlind || look < looks.count
            let left: Duration? =
                isDue ? ContinuousClock.now.duration(to: lastNotice + .seconds(1)) : nil
            let ending = wait.wait(atMost: [pause, left].compactMap(\.self).min())
            if state.withLock({ $0.isEnded }) { break }
            if !wait[woken].isEmpty { wake?.clear() }
            if ending == .timedOut, look < looks.count {
                let seen = state.withLock({ $0.target })?.latest()
                if look >= glances || seen != nil {
                    notice(seen)
                    lastNotice = .now
                }
                look += 1
            } else if !wait[told].isEmpty {
                if seesEveryStart {
                    // Programs often start in quick succession. If this read found only a few starts, the
                    // thread pauses, because a short pause costs less than one wakeup for each start.
                    // Meanwhile further starts wait in the socket.
                    if readStarts() < 16 { Threads.sleep(microseconds: 2_000) }
                } else if readOpenings() {
                    // Before the first opening no look of a second was due.
                    if !isDue { lastNotice = .now }
                    look = 0
                }
            }
            if isDue, lastNotice.duration(to: .now) >= .seconds(1) {
                // A file may have been replaced during the openings. `tick` does not report a replacement, so
                // `notice` is called while searches are left.
                if look == looks.count, state.withLock({ $0.holdsFiles }) { tick() } else { notice(nil) }
                lastNotice = .now
            }
        }
        if connector >= 0 { close(connector) }
    }

    /// Reads the waiting starts.
    ///
    /// - Returns: the number of starts. If some starts were lost, the result is the largest number that one
    ///   call reads. If reading failed, the result is negative.
    private func readStarts() -> Int {
        var processes = [Int32](repeating: 0, count: 64)
        let count = unsafe clinux_read_starts(connector, &processes, Int32(processes.count))
        // `ENOBUFS` means that some starts were lost. A shielded program may be among the lost starts, so the
        // loss is reported.
        let isTorn = count < 0 && errno == ENOBUFS
        if let target = state.withLock({ $0.target }) {
            Self.tell(of: processes.prefix(Int(max(0, count))), isTorn: isTorn, target, notice)
        }
        return isTorn ? processes.count : Int(count)
    }

    /// Reports the starts that may be starts of shielded programs.
    ///
    /// - Parameter isTorn: whether other starts were lost.
    static func tell(of starts: ArraySlice<Int32>, isTorn: Bool, _ target: Target, _ notice: Notice) {
        if isTorn { notice(nil) }
        let verdicts = starts.map { (process: $0, verdict: target.judge($0)) }
        for (process, verdict) in verdicts where verdict == .candidate { notice(process) }
        // A process that has ended may have forked, and its program may continue in the child. A child that
        // calls no `exec` is not reported. So the newest process of the shielded programs is searched for
        // here.
        if verdicts.contains(where: { $0.verdict == .gone }), let latest = target.latest() { notice(latest) }
    }

    private func readOpenings() -> Bool {
        // Notices that cannot be read may have reported a start, so they count as a start.
        guard let told = try? openings?.take() else { return true }
        state.withLock { $0.watched.forget(endedBy: told) }
        return !told.isEmpty
    }
}
#endif
