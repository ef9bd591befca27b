#if os(Linux)
internal import AdapterKit
internal import PortcullisCore

// Changes of the shields, and what they come to.
extension ProcessShield {
    func change(_ body: @escaping @Sendable (inout ShieldRecord) -> Void) async throws(ShieldError) {
        await turn.begin()
        defer { turn.end() }
        try await load()
        var wanted = record
        body(&wanted)
        let next = await resolve(wanted.union)
        // First of all: what starts from now on is noticed, what started before is found.
        await look(for: next)
        let programs = next.frozen
        let found = await findings(of: programs, patience: .milliseconds(40))
        let keeper = keeper(of: wanted)
        // One write for the shields and for what is stopped first: before it nothing has happened, after it the
        // next process that shields knows all.
        do throws(ShieldError) {
            record = try await records.change { record in
                body(&record)
                record.stopped.formUnion(found)
                keeper.note(in: &record)
            }
        } catch {
            await look(for: resolved)
            throw error
        }
        resolved = next
        // Another process may have changed the other shields: then it is looked again.
        if record.union == resolved.selection {
            await stop(found, of: programs)
            do throws(ShieldError) { try await confirm(found) } catch { tell(.problem(error)) }
        }
        await settle()
    }

    func load() async throws(ShieldError) {
        if isLoaded { return }
        // Heard from before the record is read: what another process changes after that is looked at.
        let signals = changes == nil ? records.signals() : nil
        await adopt(try await records.read())
        isLoaded = true
        if let signals {
            changes = Task { [weak self] in
                for await _ in signals { await self?.lookAtRecord() }
            }
        }
    }

    private func adopt(_ found: ShieldRecord) async {
        record = found
        await renew()
        await settle()
    }

    /// Finds out anew what the shields name, and looks for it.
    func renew() async {
        resolved = await resolve(record.union)
        await look(for: resolved)
    }

    /// Does what another process changed in the record: it may have taken a shield down by force.
    func lookAtRecord() async {
        await turn.begin()
        defer { turn.end() }
        await followRecord()
    }

    /// The same within a turn.
    func followRecord() async {
        do throws(ShieldError) {
            let found = try await records.read()
            record = found
            // What others note of themselves, or have stopped for the same shields, is theirs: many that look after
            // one record would otherwise each look at all processes for each word of any of them.
            if found.union != resolved.selection { await adopt(found) }
        } catch {
            tell(.problem(error))
        }
    }

    /// Stops what the shields name until there is nothing new, lets go on what they do not, and forgets what ended.
    ///
    /// A record that cannot be written now leaves a process running, or one remembered that is gone. That is told as a
    /// problem, and the next change or start comes here again.
    ///
    /// - Parameters:
    ///   - releasesRest: whether what the shields do not name goes on; where it is not asked for, it does so only if the
    ///     record has changed. A start changes nothing for it.
    ///   - patience: how long to look for a program that goes from process to process.
    func settle(releasesRest: Bool = true, patience: Duration = .milliseconds(20)) async {
        let before = record
        do throws(ShieldError) {
            try await stopAll(patience: patience)
            if releasesRest || record != before { try await releaseRest() }
        } catch {
            tell(.problem(error))
        }
    }

    private func stopAll(patience: Duration) async throws(ShieldError) {
        var isAsked = false
        // A program that starts others while it is being stopped runs out of time well before this.
        for _ in 0..<20 {
            // Writing the record also reads what others have changed in it.
            if record.union != resolved.selection {
                await renew()
                isAsked = false
            }
            if !isAsked { await terminate() }
            isAsked = true
            let programs = resolved.stoppable
            let found = await findings(of: programs, patience: patience)
            let keeper = keeper(of: record)
            if found.isEmpty, keeper.isNoted(in: record) { return }
            record = try await records.change {
                $0.stopped.formUnion(found)
                keeper.note(in: &$0)
            }
            // The shields may have changed meanwhile. `releaseRest()` lets the recorded processes go on that no shield names any
            // more.
            if record.union == resolved.selection {
                await stop(found, of: programs)
                try await confirm(found)
            }
        }
        let programs = resolved.stoppable
        let left = await findings(of: programs)
        if left.isEmpty { return }
        throw ShieldError(
            code: .systemFailure,
            message: "\(left.count) processes of shielded apps could not be stopped"
        )
    }

    private func releaseRest() async throws(ShieldError) {
        let (stopper, programs, stopped) = (stopper, resolved.stoppable, record.stopped)
        let done = await thread.run { () throws(Never) -> Set<StoppedProcess> in
            let (released, gone) = stopper.review(stopped, of: programs)
            stopper.resume(released)
            return released.union(gone)
        }
        if done.isEmpty { return }
        // What goes on is forgotten afterwards: to be told twice to go on is harmless.
        record = try await records.change { $0.stopped.subtract(done) }
    }

    /// - Parameter other: where to read the catalogue; `nil`: where all else is done.
    func resolve(
        _ selection: ShieldSelection,
        on other: WorkerThread? = nil
    ) async -> ResolvedSelection {
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

    private func findings(of programs: [Program], patience: Duration = .zero) async -> Set<StoppedProcess> {
        let (stopper, recorded) = (stopper, record.stopped)
        return await thread.run { () throws(Never) in
            stopper.findings(for: programs, besides: recorded, patience: patience)
        }
    }

    func stop(_ processes: Set<StoppedProcess>, of programs: [Program]) async {
        let stopper = stopper
        await thread.run { () throws(Never) in stopper.stop(processes, of: programs) }
    }

    /// Looks whether the shields are still up for which these were stopped.
    ///
    /// Another process may have taken one down, let these go on and forgotten them just before the signal came: then they
    /// are recorded again, so that a later look lets them go on.
    func confirm(_ stopped: Set<StoppedProcess>) async throws(ShieldError) {
        if stopped.isEmpty { return }
        let found = try await records.read()
        if found.union == resolved.selection { return }
        record = try await records.change { $0.stopped.formUnion(stopped) }
    }

    private func terminate() async {
        let programs = resolved.stoppable.filter { $0.policy == .terminate }
        if programs.isEmpty { return }
        let (stopper, limit) = (stopper, configuration.grace / .milliseconds(1))
        let milliseconds = Int32(max(0, min(limit, 60_000)))
        await thread.run { () throws(Never) in stopper.terminate(programs, limit: milliseconds) }
    }
}

/// This process as the one that looks after the shields.
struct KeeperNote: Sendable {
    let keeper: ShieldKeeper
    let table: ProcessTable

    /// Notes it where there are shields, and takes out those that have ended.
    func note(in record: inout ShieldRecord) {
        record.keepers = record.keepers.filter { other in
            other.identity != keeper.identity && table.isAlive(other.identity)
        }
        if !record.shields.isEmpty { record.keepers.insert(keeper) }
    }

    func isNoted(in record: ShieldRecord) -> Bool {
        record.shields.isEmpty || record.keepers.contains(keeper)
    }
}

extension ProcessShield {
    private func keeper(of record: ShieldRecord) -> KeeperNote {
        KeeperNote(
            keeper: ShieldKeeper(identity: own, denies: guards?.denies ?? false),
            table: stopper.table
        )
    }
}
#endif
