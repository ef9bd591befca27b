#if os(Linux)
internal import CLinux
internal import Glibc

/// Finds the processes of shielded apps, stops them, and lets them go on.
struct ProcessStopper: Sendable {
    let table: ProcessTable
    let controlGroups: ControlGroups
    let rules: SafetyRules

    /// What should be stopped and is not.
    func findings(for programs: [Program]) -> Set<StoppedProcess> {
        if programs.isEmpty { return [] }
        let all = Dictionary(uniqueKeysWithValues: table.all().map { ($0.pid, $0) })
        var targets: [Int32: Program] = [:]
        for process in all.values { targets[process.pid] = target(process, of: programs) }
        let groups = Dictionary(grouping: all.values.filter { !$0.hasEnded }, by: \.group)
        var found: Set<StoppedProcess> = []
        var frozen: [String: Bool] = [:]
        for (pid, program) in targets {
            guard let process = all[pid] else { continue }
            let scope = process.controlGroup
            let canFreeze = frozen[scope] ?? mayFreeze(scope, as: program, in: all)
            frozen[scope] = canFreeze
            if canFreeze {
                if !controlGroups.isFrozen(scope) {
                    found.insert(.init(identity: process.identity, scope: scope))
                }
                continue
            }
            // Stopped by the person's own hand: there is nothing to do, and nothing to undo later.
            if process.isStopped { continue }
            let members = groups[process.group] ?? []
            if rules.mayStopGroup(members, targets: targets, in: all) {
                for member in members where !member.isStopped {
                    found.insert(.init(identity: member.identity, group: process.group))
                }
            } else {
                found.insert(.init(identity: process.identity))
            }
        }
        return found
    }

    /// One process, where it should be stopped: the quick way for one that was seen to start.
    func finding(_ pid: Int32, for programs: [Program]) -> StoppedProcess? {
        guard let process = table.process(pid), !process.isStopped, target(process, of: programs) != nil
        else { return nil }
        return StoppedProcess(identity: process.identity)
    }

    private func target(_ process: RunningProcess, of programs: [Program]) -> Program? {
        if process.isKernelThread || process.hasEnded { return nil }
        return programs.first { $0.matches(process) && rules.isTouchable(process, as: $0) }
    }

    /// Whether a control group is the app's own and holds nobody that must not be stopped.
    private func mayFreeze(_ group: String, as program: Program, in all: [Int32: RunningProcess]) -> Bool {
        guard let id = program.unitID, let unit = group.split(separator: "/").last,
            SystemdUnit.isApp(String(unit), of: id), let members = controlGroups.members(of: group)
        else { return false }
        return members.allSatisfy { pid in
            all[pid].map { $0.hasEnded || rules.isTouchable($0, as: program) } ?? true
        }
    }

    /// Stops what was found: scopes, then whole groups, then processes one by one.
    func stop(_ processes: Set<StoppedProcess>) {
        for scope in Set(processes.compactMap(\.scope)) { controlGroups.setFrozen(true, scope) }
        for (group, members) in Dictionary(grouping: processes, by: \.group) {
            guard let group, members.contains(where: { isIn(group, $0) }) else { continue }
            kill(-group, SIGSTOP)
        }
        for process in processes where process.scope == nil { signal(process.identity, SIGSTOP) }
    }

    /// Lets processes go on.
    func resume(_ processes: Set<StoppedProcess>) {
        for (group, members) in Dictionary(grouping: processes, by: \.group) {
            // Also those that were born into the group while it was being stopped.
            guard let group, members.contains(where: { isIn(group, $0) }) else { continue }
            kill(-group, SIGCONT)
        }
        for process in processes where process.scope == nil { signal(process.identity, SIGCONT) }
        for scope in Set(processes.compactMap(\.scope)) { controlGroups.setFrozen(false, scope) }
    }

    /// What is recorded and still there.
    func alive(_ processes: Set<StoppedProcess>) -> Set<StoppedProcess> {
        processes.filter { process in
            table.isAlive(process.identity) || process.scope.map(controlGroups.isFrozen) == true
        }
    }

    /// The recorded processes that no program asks to be stopped any more.
    func released(of processes: Set<StoppedProcess>, by programs: [Program]) -> Set<StoppedProcess> {
        let kept = processes.filter { stopped in
            guard let process = table.process(stopped.identity.pid), process.identity == stopped.identity
            else { return false }
            return target(process, of: programs) != nil
        }
        let groups = Set(kept.compactMap(\.group))
        let scopes = Set(kept.compactMap(\.scope))
        return processes.subtracting(kept).filter { process in
            let isInKeptGroup = process.group.map(groups.contains) ?? false
            let isInKeptScope = process.scope.map(scopes.contains) ?? false
            return !isInKeptGroup && !isInKeptScope
        }
    }

    /// Whether a group's number still means the group that a recorded process is in.
    private func isIn(_ group: Int32, _ stopped: StoppedProcess) -> Bool {
        guard group > 1, let process = table.process(stopped.identity.pid) else { return false }
        return process.identity == stopped.identity && process.group == group
    }

    private func signal(_ identity: RunningProcess.Identity, _ number: Int32) {
        let process = clinux_open_process(identity.pid)
        guard process >= 0 else { return }
        defer { close(process) }
        // Once the descriptor is held the number cannot go to somebody else unnoticed.
        guard table.isAlive(identity) else { return }
        _ = clinux_signal_process(process, number)
    }
}
#endif
