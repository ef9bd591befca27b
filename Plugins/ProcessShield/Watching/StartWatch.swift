#if os(Linux)
internal import CLinux
internal import Glibc
internal import LinuxSystem
internal import PortcullisCore
internal import Synchronization

/// Tells when a program is started that may be a shielded one.
///
/// The process connector tells of each start on the machine. Where it does not work, opening a shielded program's file
/// is what tells: the kernel opens it to start it. One thread waits for either, and nothing wakes it otherwise. Where
/// there is a file that cannot be watched, the thread wakes once a second to have all looked at.
final class StartWatch: Sendable {
    /// What is looked for.
    struct Target: Sendable {
        /// Whether a process is one, asked on the watch's thread.
        var judge: @Sendable (Int32) -> ProcessGlance.Verdict
        /// The one that was started last, as far as that is seen at a glance.
        var latest: @Sendable () -> Int32?
        /// The files that are opened when one is started.
        var files: Set<String>
        /// Whether some of them are at places that are not known, and cannot be watched.
        var hasLostFiles = false
    }

    /// Called with the process that was seen to start; `nil`: one may have started, look at all.
    typealias Notice = @Sendable (Int32?) -> Void

    private struct State {
        var target: Target?
        var watched: [String: (file: FileID?, watch: Int32)] = [:]
        var isEnded = false
        /// Whether every file that is looked for is watched.
        var isComplete = true
    }

    /// Whether the process connector works here.
    let seesEveryStart: Bool
    /// The process connector's descriptor; -1 without.
    private let connector: Int32
    /// Tells of opened files where the connector does not work; `nil`: neither works.
    private let openings: FileNotices?
    /// `nil` where the process may open no more descriptors: then what is told to the thread is seen within a second.
    private let wake: Wake?
    private let notice: Notice
    private let state = Mutex(State())

    /// A watch that looks for nothing yet.
    ///
    /// - Parameters:
    ///   - usesConnector: whether the process connector is tried.
    ///   - usesOpenings: whether opened files are tried.
    init(usesConnector: Bool, usesOpenings: Bool = true, notice: @escaping Notice) {
        connector = usesConnector ? clinux_open_starts() : -1
        seesEveryStart = connector >= 0
        openings = connector < 0 && usesOpenings ? try? FileNotices() : nil
        wake = try? Wake()
        self.notice = notice
        Threads.start { [self] in run() }
    }

    /// Looks for something else from now on; `nil`: for nothing.
    func look(for target: Target?) {
        state.withLock { state in
            if state.isEnded { return }
            state.target = target
            if seesEveryStart { return }
            let files = target?.files ?? []
            // A path that leads to another file by now is watched anew.
            for (path, old) in state.watched where !files.contains(path) || FileID(path: path) != old.file {
                openings?.end(old.watch)
                state.watched[path] = nil
            }
            for path in files where state.watched[path] == nil {
                let file = FileID(path: path)
                // An attribute that changes is also the number of its names, and so the end of a replaced file.
                // Without a watch, once a second is looked at all.
                if let watch = try? openings?.watch(path, for: [.opened, .attributes]) {
                    state.watched[path] = (file, watch)
                }
            }
            state.isComplete =
                target?.hasLostFiles != true && files.allSatisfy { state.watched[$0] != nil }
        }
        wake?.raise()
    }

    /// Ends the thread, which closes what the watch has open.
    func end() {
        state.withLock { $0.isEnded = true }
        wake?.raise()
    }

    private func run() {
        // How long after an opened file it is looked for what was started: opening it comes first. The first looks are
        // at the newest processes only, and the last ones for when it has to wait for the processor.
        let looks: [Duration] = [0, 1, 2, 5, 20, 100, 400].map { .milliseconds($0) }
        let glances = 4
        var look = looks.count
        while true {
            var wait = DescriptorWait()
            let told = wait.add(seesEveryStart ? connector : openings?.descriptor)
            let woken = wait.add(wake?.descriptor)
            let isBlind = wake == nil || !state.withLock { $0.isComplete }
            let patience: Duration? = look < looks.count ? looks[look] : isBlind ? .seconds(1) : nil
            let ending = wait.wait(atMost: patience)
            if state.withLock({ $0.isEnded }) { break }
            if !wait[woken].isEmpty { wake?.clear() }
            if ending == .timedOut {
                let seen = look < looks.count ? state.withLock({ $0.target })?.latest() : nil
                if look >= glances || seen != nil { notice(seen) }
                look = min(look + 1, looks.count)
            } else if !wait[told].isEmpty {
                if seesEveryStart {
                    // Programs are often started in crowds: being woken for each would cost them more than a look does,
                    // and what comes meanwhile waits in the socket.
                    if readStarts() < 16 { Threads.sleep(microseconds: 2_000) }
                } else if readOpenings() {
                    look = 0
                }
            }
        }
        if connector >= 0 { close(connector) }
    }

    /// How many starts have come in.
    private func readStarts() -> Int {
        var processes = [Int32](repeating: 0, count: 64)
        let count = unsafe clinux_read_starts(connector, &processes, Int32(processes.count))
        // Some were lost: any of them may have been one.
        let isTorn = count < 0 && errno == ENOBUFS
        if let target = state.withLock({ $0.target }) {
            Self.tell(of: processes.prefix(Int(max(0, count))), isTorn: isTorn, target, notice)
        }
        return isTorn ? processes.count : Int(count)
    }

    /// Tells of those starts that may be what is looked for.
    ///
    /// - Parameter isTorn: whether others were lost.
    static func tell(of starts: ArraySlice<Int32>, isTorn: Bool, _ target: Target, _ notice: Notice) {
        if isTorn { notice(nil) }
        let verdicts = starts.map { (process: $0, verdict: target.judge($0)) }
        for (process, verdict) in verdicts where verdict == .candidate { notice(process) }
        // One that is gone already may have gone on as another process, which starts no program that would be told of.
        if verdicts.contains(where: { $0.verdict == .gone }), let latest = target.latest() { notice(latest) }
    }

    private func readOpenings() -> Bool {
        // What cannot be read may have told of a start.
        (try? openings?.take().isEmpty) != true
    }
}
#endif
