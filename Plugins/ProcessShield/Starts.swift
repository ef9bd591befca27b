#if os(Linux)
internal import AdapterKit
internal import PortcullisCore
internal import Synchronization

// Starts of shielded programs.
extension ProcessShield {
    /// Puts the gate before what the shields name, and looks for what starts all the same.
    func look(for resolved: ResolvedSelection) async {
        let programs = resolved.watched
        // Neither is needed before the first shield, and asking the kernel for them takes a moment.
        if guards == nil, !resolved.selection.isEmpty {
            let configuration = configuration
            guards = await Guards(configuration, on: thread) { [weak self] event in self?.notice(event) }
        }
        guard let guards else { return }
        let folders = resolved.selection.isEmpty ? [] : Set(configuration.catalogue.folders)
        await guards.look(for: programs, awaiting: resolved.awaited, in: folders, with: stopper)
    }

    /// Acts on what a guard tells when it is its turn.
    ///
    /// A process that opens a denied file without end asks faster than that: it is told of once, and not kept for each time.
    nonisolated func notice(_ event: Guards.Event) {
        if case .denied(let file) = event, !denials.withLock({ $0.insert(file).inserted }) { return }
        Task { [weak self] in await self?.handle(event) }
    }

    private func handle(_ event: Guards.Event) async {
        switch event {
        case .started(let process): await started(process)
        case .mayHaveStarted: await started(nil)
        case .denied(let file): await denied(file)
        case .catalogueChanged: await catalogueChanged()
        }
    }

    /// Stops a program that was seen to start, and whatever else did meanwhile.
    func started(_ process: Int32?) async {
        if let process { starts.insert(process) }
        // Starts that come while one waits for its turn are answered with it: a scan sees all of them.
        if isAnswering { return }
        isAnswering = true
        await turn.begin()
        defer { turn.end() }
        isAnswering = false
        let seen = starts
        starts = []
        // The store may not tell what others do; a shield that was taken down meanwhile stops no process.
        if !records.hearsOthers { await followRecord() }
        await renewIfReplaced()
        let (stopper, programs) = (stopper, resolved.frozen)
        let found = await thread.run { () throws(Never) in
            seen.compactMap { stopper.finding($0, for: programs) }
        }
        if !found.isEmpty {
            let processes = Set(found.map(\.process))
            do throws(ShieldError) {
                record = try await records.change { $0.stopped.formUnion(processes) }
                if record.union == resolved.selection {
                    await stop(processes, of: programs)
                    try await confirm(processes)
                    for token in Set(found.compactMap(\.program.token)) { tell(.stopped(token)) }
                }
            } catch {
                tell(.problem(error))
            }
        }
        // After a file was opened, all processes are looked at several times, and mostly nothing is found. Then no stopped
        // process has to be let go on either. A process that was seen a moment ago and is gone may still run as another
        // process, but not for long.
        let isGone = !seen.isEmpty && found.isEmpty
        if process == nil, found.isEmpty, !isGone {
            await settle(releasesRest: false, patience: .zero)
        } else {
            await settle(patience: .milliseconds(isGone ? 200 : 20))
        }
    }

    /// A start was denied: time to look whether the shield is still up.
    private func denied(_ file: FileID) async {
        defer { denials.withLock { _ = $0.remove(file) } }
        let tokens = resolved.programs.filter { $0.files[file] != nil }.compactMap(\.token)
        for token in Set(tokens) { tell(.denied(token)) }
        if !records.hearsOthers { await lookAtRecord() }
    }

    /// An app may have come, gone or been replaced.
    ///
    /// The entries are read outside of a turn: programs that start meanwhile are stopped, however long that takes. What
    /// changes during a look is seen by one more.
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
            // The shields may be others by now, and a program that was replaced may have been found again meanwhile.
            if record.union == next.selection, resolved == before {
                resolved = next
                await look(for: next)
            } else {
                await renew()
            }
            await settle()
        }
    }

    /// Finds the shielded programs again where one was replaced, as by an upgrade.
    private func renewIfReplaced() async {
        let programs = resolved.programs
        let isOld = await thread.run { () throws(Never) in
            programs.contains { $0.files.contains { FileID(path: $0.value) != $0.key } }
        }
        if isOld { await renew() }
    }
}
#endif
