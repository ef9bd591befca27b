#if os(Linux)
internal import AdapterKit
internal import Glibc
public import PortcullisCore

/// The result of ``ProcessShield/releaseByForce(store:configuration:within:by:)``.
public struct ForcedRelease: Sendable {
    /// Why the record could not be read or emptied; `nil` when the record holds no shield any more.
    public internal(set) var recordError: ShieldError?
    /// The stopped processes that a signal continued.
    public internal(set) var continued: Set<Int32> = []
    /// The control groups that were thawed.
    public internal(set) var thawed: Set<String> = []
    /// Stopped processes that the release left stopped: jobs of a terminal's shell, which their user can
    /// continue with `fg`, and processes that a debugger holds.
    public internal(set) var left: Set<Int32> = []
    /// Stopped processes that this process may not signal, processes that stayed stopped after three signals,
    /// and processes of control groups that could not be thawed. A process that could not be read is included
    /// if this process may signal it.
    public internal(set) var failed: Set<Int32> = []
}

extension ProcessShield {
    /// Continues all processes that a shield has stopped. This is the last resort: it works even if no
    /// process looks after the shields.
    ///
    /// When the record can be read, the shields are removed from it first. Processes that look after the
    /// shields notice the change, and stop nothing more. Then only the recorded processes and process groups
    /// are continued, and are removed from the record. If another process puts a shield up meanwhile, they
    /// stay in the record. A process that could not be continued stays there too.
    ///
    /// When the record cannot be read, the processes that a shield has stopped are unknown. In that case the
    /// method does the following for the users of the configuration:
    /// - Frozen control groups of apps are thawed. They are recognised by their names: `app-….scope`,
    ///   `app-….service` and `snap.….scope` below the user's slice.
    /// - Stopped processes are continued, except for two kinds:
    ///   - jobs of a shell, since a person may have stopped them by hand. A process counts as a job if its
    ///     session has a terminal and its process group is not in the foreground of that terminal. In
    ///     addition, a process of the group must be the child of a shell that belongs to the same session but
    ///     not to the group. If a shield stopped a job, the person can continue it with `fg`.
    ///   - processes that a debugger holds (`TracerPid` is not 0).
    ///
    /// A process that a person stopped by hand and without a shell's job control is continued too. A process
    /// that is stopped again after it has continued counts as continued.
    ///
    /// A store on a lost network share may not answer at all. After the limit it counts as one whose record
    /// cannot be read. A call of the store that ignores the cancellation continues in the background.
    ///
    /// A record that cannot be read stays as it is. In that case, a process that looks after the shields
    /// continues to deny starts until that process ends.
    ///
    /// - Parameters:
    ///   - store: the store with the record; `nil` when the store cannot be opened.
    ///   - configuration: the users whose processes are continued, and the folders of the system.
    ///   - limit: the longest wait for the store, by the boot clock. It has to be longer than a busy store takes
    ///     for three changes and two reads.
    ///   - clock: measures the limit.
    /// - Returns: the processes and control groups that the method has continued, has left stopped or could
    ///   not continue, for the log. The method never throws. If a step fails, the method still does the
    ///   remaining steps.
    public static func releaseByForce(
        store: (any SecretStore)?,
        configuration: ProcessShieldConfiguration,
        within limit: Duration = .seconds(40),
        by clock: any LockClock
    ) async -> ForcedRelease {
        let release = await clock.answer(within: limit) { () async throws(Never) -> ForcedRelease in
            await ProcessShield.releaseByForce(store: store, configuration: configuration)
        }
        if let release { return release }
        let stopper = ProcessStopper(configuration)
        let error = ShieldError(code: .stateUnreadable, message: "the store of the record does not answer")
        return await WorkerThread().run { () throws(Never) in stopper.releaseAll(because: error) }
    }

    /// Does the same without a limit for the store.
    static func releaseByForce(
        store: (any SecretStore)?,
        configuration: ProcessShieldConfiguration
    ) async -> ForcedRelease {
        let stopper = ProcessStopper(configuration)
        let thread = WorkerThread()
        guard let store else {
            let error = ShieldError(code: .stateUnreadable, message: "the store of the record was not opened")
            return await thread.run { () throws(Never) in stopper.releaseAll(because: error) }
        }
        if let error = stopper.table.unusable { return ForcedRelease(recordError: error) }
        let records = ShieldRecordStore(store: store, configuration: configuration)
        let recorded: Set<StoppedProcess>
        let keepers: Set<ShieldKeeper>
        // The stopped processes are listed before the record is changed. After the change, another keeper may
        // continue some of them. Because of the list, the result contains these processes too.
        let before = await thread.run { () throws(Never) in stopper.standing() }
        do throws(ShieldError) {
            // The shields are removed first, so that no keeper stops the released processes again.
            let record: ShieldRecord
            do throws(ShieldError) { record = try await records.change { $0.shields = [:] } } catch {
                // A stopped keeper may hold the store's lock. So the keepers are continued, and the change is
                // tried a second time.
                guard let keepers = try? await records.read().keepers,
                    await !thread.run({ () throws(Never) in stopper.resume(keepers).continued }).isEmpty
                else { throw error }
                record = try await records.change { $0.shields = [:] }
            }
            (recorded, keepers) = (record.stopped, record.keepers)
        } catch {
            let known = try? await records.read().stopped
            // The record may be readable but not writable, as on a full disk. The recorded processes are
            // continued all the same.
            return await thread.run { () throws(Never) in
                known.map { stopper.release($0, of: before, because: error).result }
                    ?? stopper.releaseAll(because: error)
            }
        }
        let (result, stopped, refused) = await thread.run { () throws(Never) in
            let (result, stopped) = stopper.release(recorded, of: before, because: nil)
            let refused = stopper.resume(keepers).refused
            return (result, stopped, refused)
        }
        var release = result
        release.failed.formUnion(refused)
        let continued = recorded.subtracting(stopped)
        do throws(ShieldError) {
            // If another process has put a shield up meanwhile, it may have stopped the same processes again.
            // In that case their entries stay, and the other process examines them.
            _ = try await records.change { record in
                if record.shields.isEmpty { record.forget(continued) }
            }
        } catch {
            release.recordError = error
        }
        return release
    }
}

extension ProcessStopper {
    /// Returns the stopped processes and the frozen control groups.
    fileprivate func standing() -> (stopped: [RunningProcess], frozen: Set<String>) {
        let all = table.all().values
        let scopes = Set(all.lazy.map(\.controlGroup))
        return (stopped(in: all), scopes.filter(controlGroups.isFrozen))
    }

    /// Continues the recorded processes.
    ///
    /// - Returns: the result, and the entries of processes that may still be stopped.
    fileprivate func release(
        _ recorded: Set<StoppedProcess>,
        of before: (stopped: [RunningProcess], frozen: Set<String>),
        because error: ShieldError?
    ) -> (result: ForcedRelease, stopped: Set<StoppedProcess>) {
        var release = ForcedRelease(recordError: error)
        let meant = Set(recorded.map(\.identity))
        let all = Dictionary(uniqueKeysWithValues: before.stopped.map { ($0.pid, $0) })
        let membersOf = members(in: all)
        let ofGroups = Set(Set(recorded.compactMap(\.group)).flatMap(membersOf).map(\.identity))
        release.thawed = before.frozen.intersection(recorded.compactMap(\.scope))
        let refused = resume(recorded)
        letGoOn(
            before.stopped.filter { meant.contains($0.identity) || ofGroups.contains($0.identity) },
            into: &release
        )
        let scopes = Set(refused.compactMap(\.scope))
        // A process or control group of another user may be continued by a shield of that user at this
        // moment.
        wait(for: refused.map(\.identity), rounds: 100) { now in
            !now.isStopped && !scopes.contains(where: controlGroups.mayBeFrozen)
        }
        let failed = resume(refused)
        release.thawed.subtract(failed.compactMap(\.scope))
        release.failed.formUnion(held(by: failed).subtracting(release.continued))
        // A process that stayed stopped after the signals keeps its own entries and those of its group.
        let unmoved = release.failed
        let stuck = recorded.filter { entry in
            let members = entry.group.map(membersOf) ?? []
            return unmoved.contains(entry.identity.pid) || members.contains { unmoved.contains($0.pid) }
        }
        return (release, failed.union(stuck))
    }

    /// Returns the processes that are stopped or frozen with these entries. A process that cannot be read is
    /// returned if this process may signal it.
    private func held(by entries: Set<StoppedProcess>) -> Set<Int32> {
        if entries.isEmpty { return [] }
        let look = table.look(for: [], and: Set(entries.compactMap(\.group).map(\.number)))
        // If the list of processes cannot be read, the process of each entry may be stopped.
        if !look.isRead { return Set(entries.map(\.identity.pid)) }
        let membersOf = members(in: look.processes)
        let scopes = Set(entries.compactMap(\.scope))
        var held: Set<Int32> = []
        if !scopes.isEmpty {
            let frozen = table.all().values.filter { !$0.hasEnded && scopes.contains($0.controlGroup) }
            held.formUnion(frozen.map(\.pid))
        }
        for entry in entries {
            let (identity, group) = (entry.identity, entry.group)
            let isUnread =
                table.isUnreadable(identity)
                ? table.maySignal(identity.pid)
                : group.map { look.reachableUnreadGroups.contains($0.number) } == true
            if isUnread || table.isStopped(identity) { held.insert(identity.pid) }
            if let group { held.formUnion(membersOf(group).filter(\.isStopped).map(\.pid)) }
        }
        return held
    }

    /// Continues all processes that a shield may have stopped.
    fileprivate func releaseAll(because error: ShieldError) -> ForcedRelease {
        var release = ForcedRelease(recordError: error)
        for user in rules.users {
            for group in controlGroups.frozenApps(below: "/user.slice/user-\(user).slice")
            where controlGroups.setFrozen(false, group) {
                release.thawed.insert(group)
            }
        }
        let all = table.all()
        let before = stopped(in: all.values)
        let left = before.filter { mayBeStoppedOtherwise($0, in: all) }
        release.left = Set(left.map(\.pid))
        letGoOn(before.filter { !release.left.contains($0.pid) }, into: &release)
        return release
    }

    private func stopped(in all: Dictionary<Int32, RunningProcess>.Values) -> [RunningProcess] {
        all.filter { process in
            process.state == "T" && process.user.map(rules.users.contains) == true
        }
    }

    /// Sends `SIGCONT` to the processes, and records the result for each of them.
    private func letGoOn(_ stopped: [RunningProcess], into release: inout ForcedRelease) {
        var waiting = stopped.map(\.identity)
        for _ in 0..<3 {
            for process in waiting { signal(process, SIGCONT) }
            // The state of a process changes shortly after the signal, so the state is read again until it
            // has changed. A process that this process may not signal may be continued by another one.
            waiting = wait(for: waiting, rounds: 100) { now in
                if now.state == "T" { return false }
                // A process that has ended by now may have ended without continuing, so it is not reported as
                // continued.
                if !now.hasEnded { release.continued.insert(now.pid) }
                return true
            }
        }
        release.failed.formUnion(waiting.map(\.pid))
    }

    /// Whether a debugger, or a terminal and its shell, may have stopped a process.
    func mayBeStoppedOtherwise(_ process: RunningProcess, in all: [Int32: RunningProcess]) -> Bool {
        isJob(process, in: all) || table.tracer(of: process.pid) ?? 0 != 0
    }

    /// Whether a process is a job that its shell has stopped or put in the background.
    private func isJob(_ process: RunningProcess, in all: [Int32: RunningProcess]) -> Bool {
        guard process.terminal != 0, process.group != process.foreground else { return false }
        return all.values.contains { member in
            guard member.group == process.group, !member.hasEnded, let parent = all[member.parent],
                parent.session == process.session, parent.group != process.group
            else { return false }
            return parent.executablePath.flatMap(ProtectedPrograms.reason) == ProtectedPrograms.shellReason
        }
    }
}
#endif
