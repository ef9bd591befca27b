#if os(Linux)
internal import CLinux
internal import Glibc
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
        var sight: @Sendable (Int32) -> ProcessGlance.Sight
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
    /// -1: neither works.
    private let source: Int32
    private let nudges: Int32
    private let notice: Notice
    private let state = Mutex(State())

    /// A watch that looks for nothing yet.
    ///
    /// - Parameters:
    ///   - usesConnector: whether the process connector is tried.
    ///   - usesOpenings: whether opened files are tried.
    init(usesConnector: Bool, usesOpenings: Bool = true, notice: @escaping Notice) {
        let connector = usesConnector ? clinux_open_starts() : -1
        seesEveryStart = connector >= 0
        let openings = { usesOpenings ? inotify_init1(Int32(IN_NONBLOCK) | Int32(IN_CLOEXEC)) : -1 }
        source = connector >= 0 ? connector : openings()
        nudges = eventfd(0, Int32(EFD_NONBLOCK) | Int32(EFD_CLOEXEC))
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
                inotify_rm_watch(source, old.watch)
                state.watched[path] = nil
            }
            for path in files where state.watched[path] == nil {
                let file = FileID(path: path)
                // An attribute that changes is also the number of its names, and so the end of a replaced file.
                let watch = unsafe inotify_add_watch(source, path, UInt32(IN_OPEN) | UInt32(IN_ATTRIB))
                if watch >= 0 { state.watched[path] = (file, watch) }
            }
            state.isComplete =
                target?.hasLostFiles != true && files.allSatisfy { state.watched[$0] != nil }
            nudge()
        }
    }

    /// Ends the thread, which closes what the watch has open.
    func end() {
        state.withLock { state in
            state.isEnded = true
            nudge()
        }
    }

    /// Has the thread look at what it waits for.
    private func nudge() {
        var one: UInt64 = 1
        _ = unsafe write(nudges, &one, MemoryLayout<UInt64>.size)
    }

    private func run() {
        // How long after an opened file it is looked for what was started: opening it comes first. The first looks are
        // at the newest processes only, and the last ones for when it has to wait for the processor.
        let looks: [Int32] = [0, 1, 2, 5, 20, 100, 400]
        let glances = 4
        var look = looks.count
        while true {
            var waits = [source, nudges].map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
            // Without a descriptor to be nudged by, the end is noticed within the second as well.
            let isBlind = nudges < 0 || !state.withLock { $0.isComplete }
            let patience = look < looks.count ? looks[look] : isBlind ? 1_000 : -1
            let count = unsafe poll(&waits, nfds_t(waits.count), patience)
            if state.withLock({ $0.isEnded }) { break }
            if waits[1].revents != 0 {
                var nudged: UInt64 = 0
                _ = unsafe read(nudges, &nudged, MemoryLayout<UInt64>.size)
            }
            if count == 0 {
                let seen = look < looks.count ? state.withLock({ $0.target })?.latest() : nil
                if look >= glances || seen != nil { notice(seen) }
                look = min(look + 1, looks.count)
            } else if waits[0].revents != 0 {
                if seesEveryStart {
                    // Programs are often started in crowds: being woken for each would cost them more than a look does,
                    // and what comes meanwhile waits in the socket.
                    if readStarts() < 16 { Threads.sleep(microseconds: 2_000) }
                } else if readOpenings() {
                    look = 0
                }
            }
        }
        // One that was not opened is none to close.
        for descriptor in [source, nudges] { close(descriptor) }
    }

    /// How many starts have come in.
    private func readStarts() -> Int {
        var processes = [Int32](repeating: 0, count: 64)
        let count = unsafe clinux_read_starts(source, &processes, Int32(processes.count))
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
        let sights = starts.map { (process: $0, sight: target.sight($0)) }
        for (process, sight) in sights where sight == .candidate { notice(process) }
        // One that is gone already may have gone on as another process, which starts no program that would be told of.
        if sights.contains(where: { $0.sight == .gone }), let latest = target.latest() { notice(latest) }
    }

    private func readOpenings() -> Bool {
        var buffer = [UInt8](repeating: 0, count: 4_096)
        return unsafe read(source, &buffer, buffer.count) > 0
    }
}
#endif
