#if os(Linux)
internal import AdapterKit
internal import Glibc
public import PortcullisCore
internal import Synchronization

/// Keeps apps shut on Linux by stopping their processes.
///
/// An app's token is its desktop-file id, such as `org.gnome.Chess.desktop`, or the absolute path of a
/// program. A category's token is a category of the freedesktop menu. If a running app has a control group of
/// its own, that group is frozen. Every other app is stopped by a signal. An app continues when its last
/// shield is taken down. Another ``StopPolicy`` can be chosen for an app. Shells, terminals, the desktop and
/// other programs that a person needs to release the shields are never stopped.
///
/// One item of a secret store records the shields and the processes that were stopped for them. Each process
/// is recorded before it is stopped. If this process dies, the stopped processes stay stopped. The next
/// controller over the same store stops the apps that the shields name, and continues all other recorded
/// processes. A process that a person stopped by hand is left as it is. Controllers over the same store may
/// have different users or catalogues. While a shield may still name the app of a stopped process, a
/// controller continues that process only under two conditions: the controller's users include the process's
/// user, and the controller's catalogue contains one of the recorded apps that a shield may still name.
///
/// If this process has the right (`CAP_SYS_ADMIN`), the gate denies the start of a shielded program: the
/// shielded users cannot open its file. The gate ends with this process. Without the gate, and for apps that
/// a shared launcher runs, a program is stopped a few milliseconds after its start.
public actor ProcessShield: ShieldController {
    let configuration: ProcessShieldConfiguration
    var resolver: ProgramResolver
    var stopper: ProcessStopper
    let records: ShieldRecordStore
    let thread = WorkerThread()

    // The guards are created with the first shield. Neither the guards nor the task `changes` keeps this
    // actor alive.
    var guards: Guards?
    var changes: Task<Void, Never>?
    var record: ShieldRecord
    var resolved = ResolvedSelection()
    /// Entries that another controller removed from the record while the shields stayed the same, and whose
    /// processes are not examined yet.
    var unexamined: Set<StoppedProcess> = []
    var isLoaded = false
    /// The number of calls of ``withOpenGate(_:)`` whose closures run. While a closure runs, the gate stays
    /// open.
    var openings = 0
    /// Processes that were reported as started and are not examined yet.
    var starts: Set<Int32> = []
    /// Whether a start was reported after the programs' files were last examined. Such a report may mean that
    /// a file was replaced.
    var mayBeReplaced = false
    var isAnswering = false
    /// The files of programs whose start was denied. The denials are not reported yet.
    nonisolated let denials = Mutex<Set<FileID>>([])
    /// Whether the catalogue has changed since it was last read, or while it was read.
    var isCatalogueOld = false
    var isLookingAtCatalogue = false
    /// The thread that reads the catalogue after a change. Reading may take long if a person has many entries
    /// of their own. Because the thread is separate, the reading does not delay the calls that stop and
    /// continue processes.
    let catalogueThread = WorkerThread()
    /// The lock that lets one call at a time change the shields.
    nonisolated let turn = SerialTurn()
    private let eventStreams = Broadcaster<ShieldEvent>()

    /// Creates a controller. It continues with the record of an earlier controller over the same store.
    ///
    /// - Parameters:
    ///   - store: keeps the record of shields and stopped processes, in ``namespace``.
    ///   - configuration: the apps, users and folders to work with.
    public init(store: any SecretStore, configuration: ProcessShieldConfiguration) {
        self.configuration = configuration
        let stopper = ProcessStopper(configuration)
        self.stopper = stopper
        resolver = ProgramResolver(configuration, in: stopper.table)
        let records = ShieldRecordStore(store: store, configuration: configuration)
        self.records = records
        record = ShieldRecord(boot: records.boot)
    }

    deinit {
        guards?.end()
        changes?.cancel()
    }

    /// The namespace of the item `state`, which records the shields and the processes that were stopped for
    /// them.
    public static let namespace = SecretNamespace.library("shield")

    /// Always approved: a person may stop their own processes.
    public var authorization: ShieldAuthorization { get async { .approved } }

    /// Always returns approved.
    public func requestAuthorization() async -> ShieldAuthorization { .approved }

    /// Takes over the record of an earlier process. The apps that the shields name are stopped, and all other
    /// recorded processes are continued.
    ///
    /// The first call of ``apply(_:as:)``, ``clear(_:)`` or ``coverage()`` also takes over the record. A
    /// program may call ``reconcile()`` at its start, to take over the record early.
    ///
    /// - Throws: ``/PortcullisCore/ShieldErrorCode/stateUnreadable`` or
    ///   ``/PortcullisCore/ShieldErrorCode/unavailable``. In both cases no process was stopped or continued.
    public func reconcile() async throws(ShieldError) {
        await turn.begin()
        defer { turn.end() }
        isLoaded = false
        try await load()
    }

    /// Puts a shield up, or replaces its selection.
    ///
    /// When the call returns, the running apps of the selection are stopped.
    ///
    /// - Throws: ``/PortcullisCore/ShieldErrorCode/stateUnreadable`` or
    ///   ``/PortcullisCore/ShieldErrorCode/unavailable``. In both cases the shield was not changed.
    public func apply(_ selection: ShieldSelection, as shield: ShieldName) async throws(ShieldError) {
        try await change { $0.shields[shield] = selection.isEmpty ? nil : selection }
    }

    /// Takes a shield down. Processes that no other shield names are continued.
    ///
    /// If no other shield is up, the call reads no desktop entry. So it also works while a folder of entries
    /// is on a file system that does not answer. If in this case a process cannot be continued, ``events()``
    /// reports the problem.
    ///
    /// - Throws: ``/PortcullisCore/ShieldErrorCode/stateUnreadable`` or
    ///   ``/PortcullisCore/ShieldErrorCode/unavailable``. In both cases the shield stays up.
    public func clear(_ shield: ShieldName) async throws(ShieldError) {
        try await change { $0.shields[shield] = nil }
    }

    /// Returns the coverage of each token. The result is empty if the record cannot be read; ``events()``
    /// then reports the problem.
    ///
    /// Like ``apply(_:as:)`` and ``clear(_:)``, this call first takes over the record of an earlier process,
    /// if no earlier call has taken it over. The method ``report()`` reads the record without taking it over.
    public func coverage() async -> ShieldCoverage {
        await turn.begin()
        defer { turn.end() }
        do throws(ShieldError) { try await load() } catch { tell(.problem(error)) }
        return resolved.coverage(of: record.shields, program: state)
    }

    /// Returns the apps that can be shielded, with their categories, according to the present desktop
    /// entries.
    public func catalogue() async -> ShieldCatalogue? {
        let resolver = resolver
        return await thread.run { () throws(Never) in resolver.list() }
    }

    /// Opens the gate while a closure runs. In the closure, this process may be stopped, as by Ctrl-Z.
    ///
    /// While this process is stopped, it answers no question of the gate, so each opening of a file behind
    /// the gate would wait. After the closure the gate is shut again, and programs that started meanwhile are
    /// stopped.
    public func withOpenGate(_ body: @Sendable () async -> Void) async {
        openings += 1
        let opened = guards
        await opened?.openGate()
        await body()
        opened?.endOpening()
        openings -= 1
        await turn.begin()
        defer { turn.end() }
        // While the closure ran, another process may have changed the shields.
        if isLoaded { await followRecord() }
        await look(for: resolved)
        await settle()
    }

    private func state(of program: Program) -> ShieldCoverage.State {
        let isGated = guards?.isGated(program) == true
        if program.policy == .leave, !isGated { return ResolvedSelection.notHeld }
        return isGated ? .gated : .reactive
    }
}

// The process of this controller.
extension ProcessShield {
    /// This process; `nil` until this process and its ancestors have been read.
    var own: RunningProcess.Identity? { stopper.rules.identity }

    var keeperNote: KeeperNote {
        KeeperNote(
            keeper: own.map { ShieldKeeper(identity: $0, denies: guards?.denies ?? false) },
            table: stopper.table
        )
    }

    /// Reads this process and its ancestors again, if one of them could not be read when this controller was
    /// created. A read fails, for example, while no descriptor is free.
    ///
    /// Until a read succeeds, the program of this process and its ancestors are unknown, and the
    /// ``SafetyRules`` cannot spare them. So no shield is put up or adopted before that.
    ///
    /// - Parameter shields: the shields that are to be put up or adopted. If there are none, nothing is read.
    /// - Throws: ``/PortcullisCore/ShieldErrorCode/unavailable`` if one of the processes still cannot be
    ///   read.
    func recognizeItself(for shields: ShieldSelection) async throws(ShieldError) {
        if own != nil || shields.isEmpty { return }
        let configuration = configuration
        let (stopper, resolver) = await thread.run { () throws(Never) -> (ProcessStopper, ProgramResolver) in
            let stopper = ProcessStopper(configuration)
            return (stopper, ProgramResolver(configuration, in: stopper.table))
        }
        guard stopper.rules.identity != nil else { throw stopper.table.unreadable }
        (self.stopper, self.resolver) = (stopper, resolver)
    }
}

extension ProgramResolver {
    /// Creates a resolver for this process.
    fileprivate init(_ configuration: ProcessShieldConfiguration, in table: ProcessTable) {
        self.init(
            catalogue: configuration.catalogue,
            reachesAll: table.seesAll(getpid()) || configuration.usesGate && StartGate.isAllowed
        )
    }
}

// Events for listeners.
extension ProcessShield {
    /// Returns a stream of the events from now on: denied or stopped starts, and problems. If the reader is
    /// slow, the stream keeps the latest 64 events and drops older ones. The stream ends when this object is
    /// released.
    public func events() -> AsyncStream<ShieldEvent> {
        eventStreams.stream(buffering: .bufferingNewest(64))
    }

    func tell(_ event: ShieldEvent) { eventStreams.send(event) }
}
#endif
