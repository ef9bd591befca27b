#if os(Linux)
internal import PortcullisCore

// The review of what is recorded as stopped.
extension ProcessStopper {
    /// Sorts recorded processes into these sets, which may overlap:
    /// - `released`: the processes that need not stay stopped for a shielded program any more. A keeper with
    ///   other users or another catalogue may have stopped a process of another user, or of an app that has
    ///   no program here. Such a process is not in this set while a shield may name the app.
    /// - `gone`: the processes that have ended. A process is not in this set while its recorded process group
    ///   has a member, or while its recorded control group is frozen. What cannot be read counts as present.
    /// - `kept`: the processes of this controller's shielded apps, which have to stay stopped.
    /// - `renewed`: the new entries of processes that have to stay stopped for an app that is not recorded.
    ///
    /// A process that exists and cannot be read is in none of the sets. While a shield is up, a recorded
    /// process is also in none of the sets if its process group has a member that this process may signal but
    /// cannot read.
    ///
    /// - Throws: ``/PortcullisCore/ShieldErrorCode/unavailable`` if the list of processes, or a possible
    ///   process of the shielded programs, cannot be read.
    func review(
        _ processes: Set<StoppedProcess>,
        of shields: ResolvedSelection
    ) throws(ShieldError) -> (
        released: Set<StoppedProcess>, gone: Set<StoppedProcess>, kept: Set<StoppedProcess>,
        renewed: [StoppedProcess: StoppedProcess]
    ) {
        if processes.isEmpty { return ([], [], [], [:]) }
        let programs = shields.stoppable
        var look = table.look(for: programs, and: Set(processes.compactMap(\.group).map(\.number)))
        let isRead = readStarts(of: &look.processes, for: programs) && look.isRead
        if !isRead { throw table.unreadable }
        let all = look.processes
        let targets = targets(in: all, of: programs)
        let scopes = Set(targets.keys.compactMap { all[$0]?.controlGroup })
        let targetGroups = Set(targets.keys.compactMap { all[$0]?.group })
        var keeps: [ProcessGroup: (isAlive: Bool, isKept: Bool, isForeign: Bool)] = [:]
        let membersOf = members(in: all)
        for group in Set(processes.compactMap(\.group)) {
            let members = membersOf(group)
            keeps[group] = (
                !members.isEmpty || look.unreadGroups.contains(group.number),
                members.contains { targets[$0.pid] != nil },
                members.contains(where: isForeign)
            )
        }
        // An outline does not contain the user, so the process is read.
        func whole(_ pid: Int32) -> RunningProcess? {
            if let known = all[pid], known.user != nil || known.hasEnded { return known }
            return table.process(pid) ?? table.outline(pid)
        }
        let foreignScopes = Set(processes.compactMap(\.scope)).filter { scope in
            (controlGroups.members(of: scope) ?? []).contains { whole($0).map(isForeign) == true }
        }
        var present: [RunningProcess.Identity: RunningProcess] = [:]
        for identity in Set(processes.map(\.identity)) {
            // A process with the same number and another start time is another process.
            if let now = whole(identity.pid), now.identity == identity { present[identity] = now }
        }
        let held = processes.filter { process in
            guard shields.names(process) else { return false }
            if !shields.finds(process) { return true }
            if let now = present[process.identity], isForeign(now) { return true }
            if let group = process.group, keeps[group]?.isForeign == true { return true }
            return process.scope.map(foreignScopes.contains) == true
        }
        // `held` has the entries of other controllers. The entries of one process, group or scope continue
        // together. So if one of them is in `held`, none of them is released.
        let heldProcesses = Set(held.map(\.identity))
        let heldGroups = Set(held.compactMap(\.group)).union(
            keeps.keys.filter { membersOf($0).contains { heldProcesses.contains($0.identity) } }
        )
        let heldScopes = Set(held.compactMap(\.scope))
        var released: Set<StoppedProcess> = []
        var gone: Set<StoppedProcess> = []
        var kept: Set<StoppedProcess> = []
        var renewed: [StoppedProcess: StoppedProcess] = [:]
        let groups = groups(in: all)
        var apps = StoppedApps(of: programs, targets: targets, groups: groups, rules: rules)
        for process in processes {
            let now = present[process.identity]
            if now == nil, table.isUnreadable(process.identity) { continue }
            if !shields.selection.isEmpty, let group = process.group,
                look.reachableUnreadGroups.contains(group.number)
            {
                continue
            }
            let isAlive = now.map { !$0.hasEnded } ?? false
            let isHeld =
                heldProcesses.contains(process.identity)
                || process.group.map(heldGroups.contains) == true
                || process.scope.map(heldScopes.contains) == true
            let group = process.group.flatMap { keeps[$0] }
            // If a member of an app's process group may not be stopped, the other members are stopped one by
            // one. Each of these others stays stopped while the rules count it as a part of the app.
            let isPart =
                now.map { now in
                    targetGroups.contains(now.group)
                        && rules.isPart(now, of: targets, in: all)
                } ?? false
            let isKept =
                isAlive && (targets[process.identity.pid] != nil || isPart) || group?.isKept == true
                || process.scope.map(scopes.contains) == true
            if !isKept, !isHeld { released.insert(process) }
            let isThere =
                isAlive || group?.isAlive == true || process.scope.map(controlGroups.mayBeFrozen) == true
            if !isThere { gone.insert(process) }
            if isKept, isThere { kept.insert(process) }
            if isAlive, isKept, let now {
                let present = apps.find(for: now, isWholeGroup: process.group != nil)
                renewed[process] = shields.renewed(process, for: present)
            }
        }
        return (released, gone, kept, renewed)
    }

    /// Whether a process belongs to a user whose processes may not be stopped here.
    func isForeign(_ process: RunningProcess) -> Bool {
        !process.hasEnded && process.user.map(rules.users.contains) != true
    }

    /// Counts the recorded processes that are stopped now.
    func count(_ processes: Set<StoppedProcess>) -> (frozen: Int, signalled: Int) {
        if processes.isEmpty { return (0, 0) }
        let all = table.all()
        let scopes = Set(processes.compactMap(\.scope)).filter(controlGroups.isFrozen)
        let frozen = all.values.filter { !$0.hasEnded && scopes.contains($0.controlGroup) }.map(\.pid)
        var signalled = Set(
            Set(processes.compactMap(\.group)).flatMap(members(in: all)).map(\.identity)
        )
        signalled.formUnion(processes.lazy.filter { $0.scope == nil }.map(\.identity))
        let stopped = signalled.filter { identity in
            guard let process = all[identity.pid], process.identity == identity else { return false }
            return process.isStopped && !frozen.contains(process.pid)
        }
        return (frozen.count, stopped.count)
    }
}
#endif
