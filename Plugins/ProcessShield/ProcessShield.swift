#if os(Linux)
internal import AdapterKit
internal import Glibc
public import PortcullisCore
internal import Synchronization

/// Keeps apps shut on Linux by stopping their processes.
///
/// An app's token is its desktop-file id, such as `org.gnome.Chess.desktop`, or the absolute path of a program; a
/// category's is a category of the freedesktop menu. What runs is frozen with the app's own control group where it has
/// one, and stopped by a signal otherwise; it goes on where it was when its last shield is taken down. Another
/// ``StopPolicy`` can be chosen for an app. Shells, terminals, the desktop and what else a person needs to get out again
/// are never touched.
///
/// Which shields are up and what was stopped for them is kept as one item of a secret store, written before anything
/// is stopped. If this process dies, what was stopped stays so, and the next one that is made over the same store puts
/// things right: it stops what the shields name and lets go on what they no longer name. A process that a person
/// stopped by hand is left as it is.
///
/// Starting a shielded program is denied where this process has the right to (`CAP_SYS_ADMIN`): its file cannot be
/// opened at all meanwhile, by the users that are shielded. That ends with this process. Elsewhere, and for apps that a
/// shared launcher runs, a program that starts is stopped a few milliseconds later.
public actor ProcessShield: ShieldController {
    let configuration: ProcessShieldConfiguration
    let resolver: ProgramResolver
    let stopper: ProcessStopper
    let records: ShieldRecordStore
    let thread = WorkerThread()
    let own: RunningProcess.Identity

    // Made with the first shield; they hold the actor only weakly.
    var guards: Guards?
    var changes: Task<Void, Never>?
    var record: ShieldRecord
    var resolved = ResolvedSelection()
    var isLoaded = false
    /// Processes that were seen to start and have not been looked at.
    var starts: Set<Int32> = []
    var isAnswering = false
    /// Files of which a start was denied that is not told of yet.
    nonisolated let denials = Mutex<Set<FileID>>([])
    /// Whether the catalogue has changed since the latest look at it began, and whether one is taken.
    var isCatalogueOld = false
    var isLookingAtCatalogue = false
    /// Where the catalogue is looked at outside of turns: a person's own entries may keep it busy.
    let catalogueThread = WorkerThread()
    /// Held by a call while no other may change the shields.
    nonisolated let turn = SerialTurn()
    private let eventStreams = Broadcaster<ShieldEvent>()

    /// A controller over what an earlier one left.
    ///
    /// - Parameters:
    ///   - store: keeps the record of what was stopped, in ``namespace``.
    ///   - configuration: what it works on.
    public init(store: any SecretStore, configuration: ProcessShieldConfiguration) {
        self.configuration = configuration
        stopper = ProcessStopper(configuration)
        resolver = ProgramResolver(
            catalogue: configuration.catalogue,
            reachesAll: stopper.table.seesAll(getpid()) || configuration.usesGate && StartGate.isAllowed
        )
        records = ShieldRecordStore(store: store, configuration: configuration)
        record = ShieldRecord(boot: records.boot)
        // Without a process table there is nothing to shield, and nothing to tell.
        own = stopper.table.process(getpid())?.identity ?? .init(pid: getpid(), start: 0)
    }

    deinit {
        guards?.end()
        changes?.cancel()
    }

    /// The namespace whose one item, `state`, holds which shields are up and what was stopped for them.
    public static let namespace = SecretNamespace.library("shield")

    /// Approved: a person may always stop what is their own.
    public var authorization: ShieldAuthorization { get async { .approved } }

    /// Approved.
    public func requestAuthorization() async -> ShieldAuthorization { .approved }

    /// Takes over what an earlier process left: stops what the shields name, lets go on what they do not.
    ///
    /// Every call does this first where it was not done yet; to do it early, call it at the start.
    ///
    /// - Throws: ``/PortcullisCore/ShieldErrorCode/stateUnreadable``; nothing was stopped or let go then.
    public func reconcile() async throws(ShieldError) {
        await turn.begin()
        defer { turn.end() }
        isLoaded = false
        try await load()
    }

    /// Puts a shield up, or replaces its selection.
    ///
    /// When it returns, what runs of the selection is stopped.
    ///
    /// - Throws: ``/PortcullisCore/ShieldErrorCode/stateUnreadable``; nothing was changed then.
    public func apply(_ selection: ShieldSelection, as shield: ShieldName) async throws(ShieldError) {
        try await change { $0.shields[shield.rawValue] = selection.isEmpty ? nil : selection }
    }

    /// Takes a shield down. What no other shield names goes on.
    ///
    /// - Throws: ``/PortcullisCore/ShieldErrorCode/stateUnreadable``; the shield then stays up.
    public func clear(_ shield: ShieldName) async throws(ShieldError) {
        try await change { $0.shields[shield.rawValue] = nil }
    }

    /// What is in force; nothing where the record cannot be read, which ``events()`` tells.
    ///
    /// As every call it takes over what an earlier process left. ``report()`` only looks.
    public func coverage() async -> ShieldCoverage {
        await turn.begin()
        defer { turn.end() }
        do throws(ShieldError) { try await load() } catch { tell(.problem(error)) }
        return resolved.coverage(of: record.applied, program: state)
    }

    /// The apps that can be shielded and their categories, as the desktop entries list them now.
    public func catalogue() async -> ShieldCatalogue? {
        let resolver = resolver
        return await thread.run { () throws(Never) in resolver.list() }
    }

    private func state(of program: Program) -> ShieldCoverage.State {
        let isGated = guards?.isGated(program) == true
        if program.policy == .leave, !isGated { return ResolvedSelection.notHeld }
        return isGated ? .gated : .reactive
    }
}

// Listeners.
extension ProcessShield {
    /// What happens from now on: starts that were denied or stopped, and problems. The latest 64 are kept for a listener
    /// that is busy; the stream ends with this object.
    public func events() -> AsyncStream<ShieldEvent> {
        eventStreams.stream(buffering: .bufferingNewest(64))
    }

    func tell(_ event: ShieldEvent) { eventStreams.send(event) }
}
#endif
