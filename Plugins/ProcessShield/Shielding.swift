#if os(Linux)
internal import AdapterKit
internal import PortcullisCore

// Changes of the shields, with the stopping and releasing of processes that follows each change.
extension ProcessShield {
    func change(_ body: @escaping @Sendable (inout ShieldRecord) -> Void) async throws(ShieldError) {
        await turn.begin()
        defer { turn.end() }
        // If this change leaves no shield, all recorded processes are continued, whatever programs the
        // earlier shields named. So the earlier shields are not resolved. Resolving them would read the
        // catalogue, which may be on a file system that does not answer.
        try await load { found in
            var wanted = found
            body(&wanted)
            return !wanted.union.isEmpty
        }
        var wanted = record
        body(&wanted)
        try await recognizeItself(for: wanted.union)
        let next = await resolve(wanted.union)
        var either = next.selection
        either.formUnion(resolved.selection)
        let (adds, drops) = (either != resolved.selection, either != next.selection)
        // The watch begins before the search. The watch notices programs that start from now on, and the
        // search finds programs that started earlier. Programs that leave the shields stay guarded until the
        // record is changed, because the change of the record may wait long for the store, and then fail.
        if !drops { await look(for: next) } else if adds { await look(for: next, resolved) }
        let programs = next.frozen
        let found = await search(for: programs, patience: .milliseconds(40)).found
        let keeper = keeperNote
        // One write records the shields together with the processes that will be stopped now. No process is
        // stopped before the write. So if this process ends later, the next keeper of the shields finds in
        // the record each process that may have been stopped.
        do throws(ShieldError) {
            try await changeRecord { record in
                body(&record)
                record.stopped.formUnion(found)
                keeper.note(in: &record)
            }
        } catch {
            // For a change that removes the last shield, `load` may have read the record without resolving
            // its selection. Now that the change has failed, the shield is still up. So the next call has to
            // load the record again and resolve its selection.
            if record.union != resolved.selection { isLoaded = false }
            if adds || !drops { await look(for: resolved) }
            throw error
        }
        // Apps that the change takes from the shields need no entry any more.
        if drops { unexamined = unexamined.filter(next.names) }
        resolved = next
        if drops { await look(for: next) }
        // The found processes are stopped only if no other process has changed the shields since they were
        // resolved. After such a change, `settle()` resolves the shields again and then stops processes.
        if record.union == resolved.selection {
            await stop(found, of: programs)
            do throws(ShieldError) { try await confirm(found) } catch { tell(.problem(error)) }
        }
        await settle()
        if record.union.isEmpty {
            let (stopper, keepers) = (stopper, record.keepers)
            _ = await thread.run { () throws(Never) in stopper.resume(keepers) }
            await releaseLeft()
        }
    }

    /// Reads the record of an earlier process, if it was not read yet.
    ///
    /// - Parameter adopts: whether to adopt the record that was found: the apps that its shields name are
    ///   stopped, and all other recorded processes are continued.
    func load(adopting adopts: (ShieldRecord) -> Bool = { _ in true }) async throws(ShieldError) {
        if isLoaded { return }
        if let error = stopper.table.unusable { throw error }
        // The stream of signals is opened before the record is read, so no later change of another process is
        // missed.
        let signals = changes == nil ? records.signals() : nil
        let found = try await records.read()
        let isAdopted = adopts(found)
        if isAdopted { try await recognizeItself(for: found.union) }
        takeOver(found)
        if isAdopted { await adopt() }
        isLoaded = true
        if let signals {
            changes = Task { [weak self] in
                for await _ in signals { await self?.lookAtRecord() }
            }
        }
    }

    /// Resolves the shields again, and guards the programs that were found.
    func renew() async {
        let selection = resolved.selection
        resolved = await resolve(record.union)
        if resolved.selection != selection { unexamined = [] }
        await look(for: resolved)
    }

    /// Stops the shielded processes until no new one is found, and continues all other recorded processes.
    ///
    /// When the record cannot be written, a process may stay running, or an ended process may stay recorded.
    /// In that case a problem is reported, and the shield tries again at the next change or start. A process
    /// that cannot be stopped is a problem, too. The other recorded processes are continued nevertheless.
    ///
    /// - Parameters:
    ///   - releasesRest: whether processes that no shield names are always continued. With `false` they are
    ///     continued only if the record has changed. After the start of a program `false` suffices, since a
    ///     start requires no release.
    ///   - patience: how long to search for a program that moves quickly from process to process.
    func settle(releasesRest: Bool = true, patience: Duration = .milliseconds(20)) async {
        let before = record
        var problem: ShieldError?
        do throws(ShieldError) { try await stopAll(patience: patience) } catch { problem = error }
        do throws(ShieldError) {
            if releasesRest || record != before { try await releaseRest() }
        } catch {
            problem = problem ?? error
        }
        if let problem { tell(.problem(problem)) }
        await stopAgain()
        // Another process may have changed the shields before the last write of the record. In that case the
        // new shields are adopted. After a problem the next start or change tries again.
        if record.union != resolved.selection, problem == nil { await followRecord() }
    }

    func stopAll(patience: Duration) async throws(ShieldError) {
        var isAsked = false
        // A program may start other programs while it is being stopped, so one round may not be enough. Each
        // round stops the processes that it finds, so the program gets less and less processor time to start
        // others. Usually far fewer than twenty rounds suffice.
        for _ in 0..<20 {
            // Each write of the record also reads the changes of other processes. So the shields may have
            // changed since they were resolved.
            if record.union != resolved.selection {
                try await recognizeItself(for: record.union)
                await renew()
                isAsked = false
            }
            if !isAsked { await terminate() }
            isAsked = true
            let programs = resolved.stoppable
            let (found, isRead) = await search(for: programs, patience: patience)
            let keeper = keeperNote
            if found.isEmpty, keeper.isNoted(in: record) {
                // If a process cannot be read, it is not found.
                if !isRead { throw stopper.table.unreadable }
                return
            }
            try await changeRecord {
                $0.stopped.formUnion(found)
                keeper.note(in: &$0)
            }
            // The found processes are stopped only if the shields have not changed meanwhile. After a change,
            // the next round resolves the shields again, and `releaseRest()` continues the recorded processes
            // that no shield names any more.
            if record.union == resolved.selection {
                await stop(found, of: programs)
                try await confirm(found)
            }
        }
        let programs = resolved.stoppable
        let left = await search(for: programs).found
        if left.isEmpty { return }
        throw ShieldError(
            code: .systemFailure,
            message: "\(left.count) processes of shielded apps could not be stopped"
        )
    }

    /// Continues the recorded processes that no shield names, and adds missing apps to the entries of the
    /// others.
    private func releaseRest() async throws(ShieldError) {
        // If the shields could not be resolved, it is unknown which processes they name.
        if record.union != resolved.selection { return }
        let (stopper, resolved, stopped) = (stopper, resolved, record.stopped)
        let (review, failed) = try await thread.run { () throws(ShieldError) in
            let review = try stopper.review(stopped, of: resolved)
            let failed = stopper.resume(review.released)
            return (review, failed)
        }
        // The entry of a process that could not be continued stays, and the next review examines it.
        let continued = review.released.subtracting(failed)
        let (gone, renewed, selection) = (review.gone, review.renewed, resolved.selection)
        if continued.isEmpty, gone.isEmpty, renewed.isEmpty { return }
        // The processes leave the record only after the signal to continue. If this process ends between the
        // signal and the write, another process sends the signal again, which is harmless.
        try await changeRecord { record in
            record.forget(gone)
            // The other sets hold for the selection that was reviewed. If the shields have changed since
            // then, another process may have stopped the released processes again, and the renewed entries
            // may lack an app. So the old entries stay, and the next review examines them.
            guard record.union == selection else { return }
            record.forget(continued)
            for (old, new) in renewed where record.stopped.remove(old) != nil { record.stopped.insert(new) }
        }
        if continued.isEmpty || selection.isEmpty || record.union != selection { return }
        try await restoreStoppedAgain(among: continued)
    }

    /// Tries again to continue the processes that are still recorded after the last shield was taken down.
    /// Reports a problem if some of them could not be continued.
    ///
    /// Without a shield, no start of a program is noticed. So no start would lead to another attempt.
    private func releaseLeft() async {
        var problem: ShieldError?
        for _ in 0..<3 {
            if await left().isEmpty { return }
            await thread.run { () throws(Never) in Threads.sleep(microseconds: 50_000) }
            // Meanwhile another process may have changed the shields.
            await followRecord()
            if !record.union.isEmpty { return }
            problem = nil
            do throws(ShieldError) { try await releaseRest() } catch { problem = error }
        }
        if await left().isEmpty || !record.union.isEmpty { return }
        let failure = ShieldError(
            code: .systemFailure,
            message: "not all processes that were stopped could be continued"
        )
        tell(.problem(problem ?? failure))
    }

    /// Returns the recorded processes, except those that this process may neither read nor signal. The number
    /// of such a process may belong to a new process of another user.
    private func left() async -> Set<StoppedProcess> {
        let (table, stopped) = (stopper.table, record.stopped)
        return await thread.run { () throws(Never) in
            stopped.filter { !table.isUnreadable($0.identity) || table.maySignal($0.identity.pid) }
        }
    }

    /// Resolves a selection. The catalogue is read on the thread `other`, or on the usual thread if `other`
    /// is `nil`.
    func resolve(
        _ selection: ShieldSelection,
        on other: WorkerThread? = nil
    ) async -> ResolvedSelection {
        if selection.isEmpty { return ResolvedSelection() }
        let (resolver, configuration) = (resolver, configuration)
        let found = await (other ?? thread).run { () throws(Never) in
            resolver.resolve(
                selection,
                policies: configuration.policies,
                default: configuration.defaultPolicy
            )
        }
        return found.following(resolved)
    }

    private func search(
        for programs: [Program],
        patience: Duration = .zero
    ) async -> (found: Set<StoppedProcess>, isRead: Bool) {
        let (stopper, recorded) = (stopper, record.stopped)
        return await thread.run { () throws(Never) in
            stopper.search(for: programs, besides: recorded, patience: patience)
        }
    }

    /// Stops the processes. If there are many of them, and another process changes the shields meanwhile, the
    /// remaining processes are not stopped.
    func stop(_ processes: Set<StoppedProcess>, of programs: [Program]) async {
        let (stopper, records, selection) = (stopper, records, resolved.selection)
        await stopper.stop(processes, of: programs, on: thread) {
            // An unreadable record shows no change, so the stopping continues.
            guard let found = try? await records.read() else { return true }
            return found.union == selection
        }
    }

    /// Records these stopped processes again if the shields have changed meanwhile, or if one of them is not
    /// in the record.
    ///
    /// Another process may have taken a shield down and removed these processes from the record before they
    /// were stopped. It may even have put the shield up again. Without a record no process would continue
    /// them.
    func confirm(_ stopped: Set<StoppedProcess>) async throws(ShieldError) {
        if stopped.isEmpty { return }
        let found = try await records.read()
        if found.union == resolved.selection, found.stopped.isSuperset(of: stopped) { return }
        try await changeRecord { $0.stopped.formUnion(stopped) }
    }

    private func terminate() async {
        let programs = resolved.stoppable.filter { $0.policy == .terminate }
        if programs.isEmpty { return }
        let (stopper, limit) = (stopper, configuration.grace / .milliseconds(1))
        let milliseconds = Int32(max(0, min(limit, 60_000)))
        await thread.run { () throws(Never) in stopper.terminate(programs, limit: milliseconds) }
    }
}
#endif
