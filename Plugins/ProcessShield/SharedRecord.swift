#if os(Linux)
internal import AdapterKit
internal import PortcullisCore

// What other processes change in the record of the shields.
extension ProcessShield {
    /// Changes the record, and takes over the result. The caller holds the turn.
    func changeRecord(_ body: @Sendable (inout ShieldRecord) -> Void) async throws(ShieldError) {
        var expected = record
        body(&expected)
        let (found, changed) = try await records.exchange(body)
        note(expected.lost(in: changed), under: found.union)
        record = changed
    }

    /// Takes over the record that was found in the store.
    func takeOver(_ found: ShieldRecord) {
        note(record.lost(in: found), under: found.union)
        record = found
    }

    /// Notes entries that another controller has removed from the record, for the next call of
    /// ``stopAgain()``.
    ///
    /// No entry is noted if the shields were changed as well, or if there are none. In these cases the other
    /// controller may have continued the processes rightly, and a person may have stopped some of them by
    /// hand since.
    private func note(_ removed: Set<StoppedProcess>, under shields: ShieldSelection) {
        let isSame = shields == resolved.selection && !shields.isEmpty
        unexamined = isSame ? unexamined.union(removed) : []
    }

    /// Resolves the shields of the record anew. Then the apps that they name are stopped, and all other
    /// recorded processes are continued.
    func adopt() async {
        await renew()
        await thawEntered()
        await settle()
    }

    /// Records those of the continued processes again that another controller has stopped meanwhile.
    ///
    /// This controller first continues a process and then removes its entry. Between these two steps, another
    /// controller may stop the process again and see that it is still recorded. After the removal the stopped
    /// process has no entry. Only this call notices such a process.
    ///
    /// The entries return even if the shields have changed by now. In that case a review under the new
    /// shields decides about them.
    func restoreStoppedAgain(among continued: Set<StoppedProcess>) async throws(ShieldError) {
        let stopper = stopper
        let again = await thread.run { () throws(Never) in stopper.stoppedAgain(continued) }
        if !again.isEmpty { try await changeRecord { $0.restore(again) } }
    }

    /// Thaws recorded control groups that a process of another program has entered. A group is thawed only if
    /// all its recorded apps that a shield may still name have a program here. The processes of these apps
    /// are then stopped one by one.
    ///
    /// The entries of these groups are removed. Other controllers that look after the shields notice the
    /// removal, and also stop the processes of the apps that they find.
    private func thawEntered() async {
        let (stopper, resolved, entries) = (stopper, resolved, record.stopped.filter { $0.scope != nil })
        let others = entries.filter { !resolved.findsAll($0) }
        let scopes = Set(entries.compactMap(\.scope)).subtracting(others.compactMap(\.scope))
        if scopes.isEmpty { return }
        let thawed = await thread.run { () throws(Never) in
            stopper.thaw(enteredAmong: scopes, of: resolved.stoppable)
        }
        let continued = entries.filter { $0.scope.map(thawed.contains) == true }
        if continued.isEmpty { return }
        do throws(ShieldError) {
            try await changeRecord { $0.forget(continued) }
            try await restoreStoppedAgain(among: continued)
        } catch {
            tell(.problem(error))
        }
    }

    /// Reads the record after another process may have changed it, for example by a forced release.
    func lookAtRecord() async {
        await turn.begin()
        defer { turn.end() }
        await followRecord()
    }

    /// Reads the record, and adopts it if the shields have changed. The caller holds the turn.
    func followRecord() async {
        do throws(ShieldError) {
            let found = try await records.read()
            try await recognizeItself(for: found.union)
            takeOver(found)
            // Only a change of the shields is adopted. Another process also changes the record when it begins
            // to look after the shields, or when it stops processes. If every change of the record were
            // adopted, each process that shares the record would examine all processes of the machine after
            // each change.
            if record.union != resolved.selection { await adopt() } else { await stopAgain() }
        } catch {
            tell(.problem(error))
        }
    }

    /// Stops the shielded processes again after another controller has removed the entries ``unexamined``
    /// from the record, and may have continued their processes. The entries of processes that have to stay
    /// stopped are recorded again.
    ///
    /// Other recorded processes are continued only if the shields change meanwhile. The reason: two
    /// controllers with different catalogues may know different programs for one app. If each of them
    /// continued the processes that the other one keeps stopped, they would do so without end.
    func stopAgain() async {
        let selection = resolved.selection
        do throws(ShieldError) {
            // If the processes cannot be read now, the next look at the record examines the entries.
            let (kept, unread) = try await shielded(unexamined)
            unexamined = kept.union(unread)
            if kept.isEmpty { return }
            // A process may have been stopped again already. Without its entry it would count as stopped by
            // hand.
            try await changeRecord { record in
                if record.union == selection { record.restore(kept) }
            }
            unexamined.subtract(kept)
            try await stopAll(patience: .milliseconds(20))
        } catch {
            tell(.problem(error))
        }
        if resolved.selection != selection { await settle() }
    }

    /// Returns those of the processes that belong to shielded apps of this controller, and those that cannot
    /// be read now.
    private func shielded(
        _ processes: Set<StoppedProcess>
    ) async throws(ShieldError) -> (kept: Set<StoppedProcess>, unread: Set<StoppedProcess>) {
        if processes.isEmpty || resolved.selection.isEmpty { return ([], []) }
        let (stopper, resolved) = (stopper, resolved)
        return try await thread.run {
            () throws(ShieldError) -> (kept: Set<StoppedProcess>, unread: Set<StoppedProcess>) in
            // The review examines all processes of the machine, which takes long. Most of the removed
            // processes have ended. So each is first checked alone, and the ended ones are left out.
            let present = processes.filter { process in
                process.group != nil || process.scope != nil || stopper.table.isAlive(process.identity)
                    || stopper.table.isUnreadable(process.identity)
            }
            let kept = try stopper.review(present, of: resolved).kept
            let unread = present.subtracting(kept).filter { process in
                stopper.table.isUnreadable(process.identity) && stopper.table.maySignal(process.identity.pid)
            }
            return (kept, unread)
        }
    }
}
#endif
