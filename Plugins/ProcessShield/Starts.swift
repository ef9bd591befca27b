#if os(Linux)
internal import AdapterKit
internal import PortcullisCore
internal import Synchronization

// Starts of shielded programs.
extension ProcessShield {
    /// Makes the ``StartGate`` deny the starts of the programs of these selections, and watches for starts
    /// that the gate does not deny.
    func look(for selections: ResolvedSelection...) async {
        let programs = selections.flatMap(\.watched)
        let isUp = selections.contains { !$0.selection.isEmpty }
        // The gate and the watch are not needed before the first shield, so they are created with the first
        // shield.
        if guards == nil, isUp {
            let configuration = configuration
            guards = await Guards(configuration, on: thread) { [weak self] event in self?.notice(event) }
        }
        guard let guards else { return }
        let folders = isUp ? configuration.catalogue.folders : []
        let gated = openings == 0 ? programs.filter(\.canBeGated) : []
        var seen: Set<ExactPath> = []
        let places = selections.flatMap(\.places).filter { seen.insert($0).inserted }
        await guards.look(for: programs, gating: gated, awaiting: places, in: folders, with: stopper)
    }

    /// Handles a guard's event in a task of its own.
    ///
    /// A process may open a denied file in a loop, faster than events are handled. So each file has at most
    /// one waiting event.
    nonisolated func notice(_ event: Guards.Event) {
        if case .denied(let file) = event, !denials.withLock({ $0.insert(file).inserted }) { return }
        Task { [weak self] in await self?.handle(event) }
    }

    private func handle(_ event: Guards.Event) async {
        switch event {
        case .started(let process): await started(process)
        case .mayHaveStarted: await started(nil)
        case .mayHaveStartedUnseen: await started(nil, isReported: false)
        case .denied(let file): await denied(file)
        case .catalogueChanged: await catalogueChanged()
        }
    }

    /// Stops a program whose start was reported, and every other shielded program that was started meanwhile.
    ///
    /// - Parameter isReported: whether the call follows a report. The programs' files are examined only after
    ///   a report. A file may be on a file system that does not answer. Then this call would wait for it, and
    ///   ``clear(_:)`` would wait for this call.
    func started(_ process: Int32?, isReported: Bool = true) async {
        if let process { starts.insert(process) }
        if isReported { mayBeReplaced = true }
        // If another call still waits for its turn, that call handles this start too. It searches for started
        // programs only after it has got the turn.
        if isAnswering { return }
        isAnswering = true
        await turn.begin()
        defer { turn.end() }
        isAnswering = false
        let seen = starts
        starts = []
        // If the store does not signal changes by other processes, the record is read here, in case a shield
        // was taken down.
        if !records.hearsOthers { await followRecord() }
        if mayBeReplaced {
            mayBeReplaced = false
            await renewIfReplaced()
        }
        let (stopper, programs) = (stopper, resolved.frozen)
        let found = await thread.run { () throws(Never) in
            seen.compactMap { stopper.finding($0, for: programs) }
        }
        if !found.isEmpty {
            let processes = Set(found.map(\.process))
            do throws(ShieldError) {
                try await changeRecord { $0.stopped.formUnion(processes) }
                if record.union == resolved.selection {
                    await stop(processes, of: programs)
                    try await confirm(processes)
                    for token in Set(found.compactMap(\.program.token)) { tell(.stopped(token)) }
                }
            } catch {
                tell(.problem(error))
            }
        }
        // Without the process connector, one opened file causes several searches, and most of these searches
        // find nothing. So if no process was reported, a search examines the list of all processes once
        // (`patience: .zero`), and stopped processes are continued only if the record has changed. If a
        // reported process has ended, its program may run in other short-lived processes. In that case the
        // search takes up to 200 ms and not up to 20 ms.
        let isGone = !seen.isEmpty && found.isEmpty
        if process == nil, found.isEmpty, !isGone {
            await settle(releasesRest: false, patience: .zero)
        } else {
            await settle(patience: .milliseconds(isGone ? 200 : 20))
        }
    }

    /// Reports a denied start. If the store does not signal changes by other processes, the record is read
    /// too, in case the shield was taken down.
    private func denied(_ file: FileID) async {
        defer { denials.withLock { _ = $0.remove(file) } }
        let tokens = resolved.programs.filter { $0.files[file] != nil }.compactMap(\.token)
        for token in Set(tokens) { tell(.denied(token)) }
        if !records.hearsOthers { await lookAtRecord() }
    }

    /// Reads the catalogue again, since an app may have been installed, removed or replaced.
    ///
    /// The entries are read before the call begins its ``turn``. So while the reading takes long, other calls
    /// can still stop programs that start. A change of the catalogue during the reading causes another
    /// reading.
    private func catalogueChanged() async {
        isCatalogueOld = true
        if isLookingAtCatalogue { return }
        isLookingAtCatalogue = true
        defer { isLookingAtCatalogue = false }
        while isCatalogueOld {
            isCatalogueOld = false
            let before = resolved
            let next = await resolve(record.union, on: catalogueThread)
            await turn.begin()
            defer { turn.end() }
            // During the reading, another call may have changed the shields, or may have resolved them again
            // because a file was replaced. In both cases the result of the reading is out of date.
            if record.union == next.selection, resolved == before {
                resolved = next
                await look(for: next)
            } else {
                await renew()
            }
            await settle()
        }
    }

    /// Resolves the shielded programs again if a file was replaced, as by an upgrade.
    private func renewIfReplaced() async {
        let programs = resolved.programs
        let isOld = await thread.run { () throws(Never) in
            programs.contains { $0.files.contains { FileID(path: $0.value) != $0.key } }
        }
        if isOld { await renew() }
    }
}
#endif
