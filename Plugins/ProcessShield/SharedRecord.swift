#if os(Linux)
internal import AdapterKit
internal import PortcullisCore

// What other processes change in the record of the shields.
extension ProcessShield {
    /// Takes over a record whose shields may have changed: the apps that they name are stopped, and all other
    /// recorded processes are continued. The caller holds the turn.
    func adopt(_ found: ShieldRecord) async {
        record = found
        await renew()
        await settle()
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
            let lost = record.lost(in: found)
            record = found
            // Only a change of the shields is adopted. Another process also changes the record when it begins
            // to look after the shields, or when it stops processes. If every change of the record were
            // adopted, each process that shares the record would examine all processes of the machine after
            // each change.
            if found.union != resolved.selection {
                await adopt(found)
            } else {
                await stopAgain(lost)
            }
        } catch {
            tell(.problem(error))
        }
    }

    /// Stops the shielded processes again after another controller has removed the entries `lost` from the
    /// record, and may have continued their processes. The entries of processes that have to stay stopped are
    /// recorded again.
    ///
    /// Other recorded processes are continued only if the shields change meanwhile. The catalogue of the
    /// other controller may lead to another program for the same app. In that case, if each of the two
    /// controllers continued the processes that the other one keeps stopped, neither would ever come to an
    /// end.
    func stopAgain(_ lost: Set<StoppedProcess>) async {
        let selection = resolved.selection
        do throws(ShieldError) {
            // If the processes cannot be read now, the next look at the record examines the entries.
            unexamined.formUnion(lost)
            let (kept, unread) = try await shielded(unexamined)
            unexamined = kept.union(unread)
            if kept.isEmpty { return }
            // A process may have been stopped again already. Without its entry it would count as stopped by
            // hand.
            record = try await records.change { record in
                if record.union == selection { record.stopped.formUnion(kept) }
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
