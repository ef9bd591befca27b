#if os(Linux)
internal import AdapterKit
internal import PortcullisCore

/// The guards against the next start of a shielded program: the gate, if this process may open one, and the
/// watches for starts and for changed folders.
final class Guards: Sendable {
    /// An event that a guard reports.
    enum Event: Sendable {
        /// A process of a shielded program was started.
        case started(Int32)
        /// A shielded program may have been started, so all processes have to be examined.
        case mayHaveStarted
        /// A shielded program may have been started without a report, so all processes have to be examined.
        /// The event is no sign that a file was replaced.
        case mayHaveStartedUnseen
        /// The start of a program from this file was denied.
        case denied(FileID)
        /// A folder of the catalogue or of a program has changed.
        case catalogueChanged
    }

    private let thread: WorkerThread
    private let gate: StartGate?
    private let watch: StartWatch
    private let folders: FolderWatch?

    /// Creates guards with no programs yet.
    ///
    /// - Parameter thread: the thread for calls that may block.
    init(
        _ configuration: ProcessShieldConfiguration,
        on thread: WorkerThread,
        notice: @escaping @Sendable (Event) -> Void
    ) async {
        self.thread = thread
        gate =
            configuration.usesGate
            ? await StartGate(users: configuration.users) { _, file in notice(.denied(file)) } : nil
        (watch, folders) = await thread.run { () throws(Never) in
            let watch = StartWatch(
                usesConnector: configuration.usesConnector,
                usesOpenings: configuration.usesOpenings
            ) {
                notice($0.map(Event.started) ?? .mayHaveStarted)
            } tick: {
                notice(.mayHaveStartedUnseen)
            }
            return (watch, try? FolderWatch { notice(.catalogueChanged) })
        }
    }

    /// Guards exactly these programs from now on.
    ///
    /// - Parameters:
    ///   - programs: the programs of the selection, including former programs.
    ///   - gated: the programs whose files are put behind the gate, if there is a gate.
    ///   - awaited: the paths at which these programs, and other programs of the selection, are or may be
    ///     installed. If the paths need more memory than a ``PathRoom`` allows, the last paths are not
    ///     watched.
    ///   - folders: the folders in which desktop entries of more programs may appear.
    ///   - stopper: decides whether a process belongs to one of the programs.
    func look(
        for programs: [Program],
        gating gated: [Program],
        awaiting awaited: [ExactPath],
        in folders: [String],
        with stopper: ProcessStopper
    ) async {
        await gate?.keep(gated.map(\.files).reduce(into: [:]) { $0.merge($1) { path, _ in path } })
        await thread.run { [self] () throws(Never) in
            self.folders?.look(at: awaited, in: folders)
            watch(for: programs, with: stopper)
        }
    }

    /// Opens the gate. The gate stays open until the first call of `look` after ``endOpening()``.
    func openGate() async { await gate?.open() }

    /// Ends the opening of the gate; the next call of `look` shuts the gate.
    func endOpening() { gate?.endOpening() }

    private func watch(for programs: [Program], with stopper: ProcessStopper) {
        let stopped = programs.filter { $0.policy != .leave }
        watch.look(for: stopped.isEmpty ? nil : target(of: stopped, for: stopper))
    }

    private func target(of stopped: [Program], for stopper: ProcessStopper) -> StartWatch.Target {
        let glance = ProcessGlance(for: stopped, in: stopper.table)
        let judge = { @Sendable (process: Int32) -> ProcessGlance.Verdict in
            stopper.verdict(on: process, by: glance, for: stopped)
        }
        return StartWatch.Target(
            judge: judge,
            latest: { stopper.table.latest { judge($0) == .candidate } },
            files: Set(
                stopped.flatMap { $0.paths + [$0.launch.map { ExactPath($0.path) }].compactMap(\.self) }
            ),
            mayStartUnseen: stopped.contains(where: \.mayStartUnseen)
        )
    }

    /// The files that are behind the gate.
    var gatedFiles: Set<FileID> { gate?.kept ?? [] }

    /// Whether this process has a gate that denies starts.
    var denies: Bool { gate != nil }

    /// Whether the gate denies a program's start.
    func isGated(_ program: Program) -> Bool {
        guard program.canBeGated else { return false }
        return gatedFiles.isSuperset(of: program.files.keys)
    }

    /// Ends the watch for starts and the watch of folders. The gate ends when this object is released.
    func end() {
        watch.end()
        folders?.end()
    }
}
#endif
