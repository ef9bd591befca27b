#if os(Linux)
internal import Glibc
public import PortcullisCore

/// Keeps apps shut on Linux by stopping their processes.
///
/// An app's token is its desktop-file id, such as `org.gnome.Chess.desktop`, or the absolute path of a program; a
/// category's is a category of the freedesktop menu. What runs is frozen with the app's own control group where it has
/// one, and stopped by a signal otherwise; it goes on where it was when its last shield is taken down. Shells,
/// terminals, the desktop and what else a person needs to get out again are never touched.
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
    private let configuration: ProcessShieldConfiguration
    private let resolver: ProgramResolver
    private let stopper: ProcessStopper
    private let records: ShieldRecordStore
    private let thread = WorkerThread()

    // Made with the first shield; they hold the actor only weakly.
    private var guards: Guards?
    private var changes: Task<Void, Never>?
    private var record: ShieldRecord
    private var resolved = Resolved()
    private var isLoaded = false
    /// Processes that were seen to start and have not been looked at.
    private var starts: Set<Int32> = []
    private var isAnswering = false
    private var isBusy = false
    private var turns: [CheckedContinuation<Void, Never>] = []

    /// What the shields name on this machine.
    private struct Resolved {
        var selection = ShieldSelection()
        var apps: [AppToken: ProgramResolver.Resolution] = [:]
        var categories: [CategoryToken: [AppToken: ProgramResolver.Resolution]] = [:]

        var programs: [Program] {
            let all = Array(apps.values) + categories.values.flatMap(\.values)
            return all.compactMap { if case .program(let program) = $0 { program } else { nil } }
        }
    }

    /// A controller over what an earlier one left.
    ///
    /// - Parameters:
    ///   - store: keeps the record of what was stopped, in ``namespace``.
    ///   - configuration: what it works on.
    public init(store: any SecretStore, configuration: ProcessShieldConfiguration) {
        let table = ProcessTable(folder: configuration.processFolder)
        self.configuration = configuration
        resolver = ProgramResolver(catalogue: configuration.catalogue)
        stopper = ProcessStopper(
            table: table,
            controlGroups: ControlGroups(folder: configuration.controlGroupFolder),
            rules: SafetyRules(own: getpid(), users: configuration.users, in: table)
        )
        let path = "\(configuration.processFolder)/sys/kernel/random/boot_id"
        // Without a boot id nothing that was recorded is taken for a process of today.
        let boot = SmallFiles.read(path).map { String(decoding: $0, as: UTF8.self) } ?? "pid \(getpid())"
        records = ShieldRecordStore(store: store, namespace: Self.namespace, boot: boot)
        record = ShieldRecord(boot: boot)
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
    /// Every call does this first when nobody has; to do it early, call it at the start.
    ///
    /// - Throws: ``ShieldError/Code/stateUnreadable``; nothing was stopped or let go then.
    public func reconcile() async throws(ShieldError) {
        await beginTurn()
        defer { endTurn() }
        isLoaded = false
        try await load()
    }

    /// Puts a shield up, or replaces its selection.
    ///
    /// When it returns, what runs of the selection is stopped.
    ///
    /// - Throws: ``ShieldError/Code/stateUnreadable``; nothing was changed then.
    public func apply(_ selection: ShieldSelection, as shield: ShieldName) async throws(ShieldError) {
        try await change { $0.shields[shield.rawValue] = selection.isEmpty ? nil : selection }
    }

    /// Takes a shield down. What no other shield names goes on.
    ///
    /// - Throws: ``ShieldError/Code/stateUnreadable``; the shield then stays up.
    public func clear(_ shield: ShieldName) async throws(ShieldError) {
        try await change { $0.shields[shield.rawValue] = nil }
    }

    /// What is in force; nothing where the record cannot be read.
    public func coverage() async -> ShieldCoverage {
        await beginTurn()
        defer { endTurn() }
        try? await load()
        var coverage = ShieldCoverage(applied: record.applied)
        for (token, resolution) in resolved.apps { coverage.apps[token] = state(of: resolution) }
        for token in record.union.categories {
            let states = (resolved.categories[token] ?? [:]).values.map(state)
            coverage.categories[token] =
                states.first { $0 == .reactive } ?? states.first { $0 == .gated } ?? states.first
                ?? .unresolved
        }
        return coverage
    }

    /// The apps that can be shielded and their categories, as the desktop entries list them now.
    public func catalogue() async -> ShieldCatalogue? {
        let resolver = resolver
        return await thread.run { () throws(Never) in resolver.list() }
    }

    private func state(of resolution: ProgramResolver.Resolution) -> ShieldCoverage.State {
        switch resolution {
        case .program(let program):
            guards?.isGated(program) == true ? .gated : .reactive
        case .unresolved: .unresolved
        case .refused(let reason): .refused(reason: reason)
        }
    }
}

// Changes.
extension ProcessShield {
    private func change(_ body: @escaping @Sendable (inout ShieldRecord) -> Void) async throws(ShieldError) {
        await beginTurn()
        defer { endTurn() }
        try await load()
        var wanted = record
        body(&wanted)
        let next = await resolve(wanted.union)
        // First of all: what starts from now on is noticed, what started before is found.
        await look(for: next)
        let found = await findings(for: next)
        // One write for the shields and for what is stopped first: before it nothing has happened, after it whoever
        // comes next knows all.
        do throws(ShieldError) {
            record = try await records.change { record in
                body(&record)
                record.stopped.formUnion(found)
            }
        } catch {
            await look(for: resolved)
            throw error
        }
        resolved = next
        await stop(found)
        await settle()
    }

    private func load() async throws(ShieldError) {
        if isLoaded { return }
        await adopt(try await records.read().record)
        isLoaded = true
        if changes == nil {
            let signals = records.signals()
            changes = Task { [weak self] in
                for await _ in signals { await self?.lookAtRecord() }
            }
        }
    }

    private func adopt(_ found: ShieldRecord) async {
        record = found
        resolved = await resolve(found.union)
        await look(for: resolved)
        await settle()
    }

    /// Does what another process changed in the record: it may have taken a shield down by force.
    private func lookAtRecord() async {
        await beginTurn()
        defer { endTurn() }
        guard let (found, _) = try? await records.read() else { return }
        if found == record, found.union == resolved.selection { return }
        await adopt(found)
    }

    /// Stops what the shields name until there is nothing new, lets go on what they do not, and forgets what ended.
    ///
    /// A record that cannot be written now leaves a process running, or one remembered that is gone: the next change
    /// comes here again.
    private func settle() async {
        // A program that starts others while it is being stopped runs out of time well before this.
        for _ in 0..<20 {
            // Writing the record also reads what others have changed in it.
            if record.union != resolved.selection {
                resolved = await resolve(record.union)
                await look(for: resolved)
            }
            let found = await findings(for: resolved)
            if found.isEmpty { break }
            guard let changed = try? await records.change({ $0.stopped.formUnion(found) }) else { return }
            record = changed
            await stop(found)
        }
        let (stopper, programs, stopped) = (stopper, resolved.programs, record.stopped)
        let done = await thread.run { () throws(Never) -> Set<StoppedProcess> in
            let released = stopper.released(of: stopped, by: programs)
            stopper.resume(released)
            return released.union(stopped.subtracting(stopper.alive(stopped)))
        }
        if done.isEmpty { return }
        // What goes on is forgotten afterwards: to be told twice to go on is harmless.
        if let changed = try? await records.change({ $0.stopped.subtract(done) }) { record = changed }
    }

    private func resolve(_ selection: ShieldSelection) async -> Resolved {
        let resolver = resolver
        return await thread.run { () throws(Never) in
            let (apps, categories) = resolver.resolve(selection)
            return Resolved(selection: selection, apps: apps, categories: categories)
        }
    }

    private func findings(for resolved: Resolved) async -> Set<StoppedProcess> {
        let (stopper, programs) = (stopper, resolved.programs)
        return await thread.run { () throws(Never) in stopper.findings(for: programs) }
    }

    private func stop(_ processes: Set<StoppedProcess>) async {
        let stopper = stopper
        await thread.run { () throws(Never) in stopper.stop(processes) }
    }
}

// Starts.
extension ProcessShield {
    /// Puts the gate before what the shields name, and looks for what starts all the same.
    private func look(for resolved: Resolved) async {
        let programs = resolved.programs
        // Neither is needed before the first shield, and asking the kernel for them takes a moment.
        if guards == nil, !programs.isEmpty {
            let configuration = configuration
            guards = await thread.run { () throws(Never) in
                Guards(configuration) { [weak self] process in Task { await self?.started(process) } }
            }
        }
        guard let guards else { return }
        let stopper = stopper
        await thread.run { () throws(Never) in guards.look(for: programs, with: stopper) }
    }

    /// Stops a program that was seen to start, and whatever else did meanwhile.
    private func started(_ process: Int32?) async {
        if let process { starts.insert(process) }
        // Starts that come while one waits for its turn are answered with it: a scan sees all of them.
        if isAnswering { return }
        isAnswering = true
        await beginTurn()
        defer { endTurn() }
        isAnswering = false
        let seen = starts
        starts = []
        await renew()
        let (stopper, programs) = (stopper, resolved.programs)
        let found = await thread.run { () throws(Never) in
            Set(seen.compactMap { stopper.finding($0, for: programs) })
        }
        if !found.isEmpty, let changed = try? await records.change({ $0.stopped.formUnion(found) }) {
            record = changed
            await stop(found)
        }
        await settle()
    }

    /// Finds the shielded programs again where one was replaced, as by an upgrade.
    private func renew() async {
        let programs = resolved.programs
        let isOld = await thread.run { () throws(Never) in
            programs.contains { $0.files.contains { FileID(path: $0.value) != $0.key } }
        }
        guard isOld else { return }
        resolved = await resolve(record.union)
        await look(for: resolved)
    }
}

// Turns: an actor lets other calls in wherever one of them waits.
extension ProcessShield {
    private func beginTurn() async {
        if isBusy {
            await withCheckedContinuation { turns.append($0) }
        } else {
            isBusy = true
        }
    }

    private func endTurn() {
        if turns.isEmpty { isBusy = false } else { turns.removeFirst().resume() }
    }
}
#endif
