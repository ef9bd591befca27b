#if os(Linux)
internal import CLinux
internal import Glibc
internal import LinuxSystem
internal import PortcullisCore

/// Finds the processes of shielded apps, stops them, and continues them.
struct ProcessStopper: Sendable {
    let table: ProcessTable
    let controlGroups: ControlGroups
    let rules: SafetyRules

    init(table: ProcessTable, controlGroups: ControlGroups, rules: SafetyRules) {
        self.table = table
        self.controlGroups = controlGroups
        self.rules = rules
    }

    /// Creates a stopper for this process.
    init(_ configuration: ProcessShieldConfiguration) {
        let table = ProcessTable(folder: configuration.processFolder)
        self.init(
            table: table,
            controlGroups: ControlGroups(folder: configuration.controlGroupFolder),
            rules: SafetyRules(own: getpid(), users: configuration.users, in: table)
        )
    }

    /// Searches for the processes that should be stopped but are still running.
    ///
    /// - Parameters:
    ///   - recorded: the processes that a shield has stopped. A stopped process outside of this set was
    ///     stopped by a person. Such a process needs no signal, and no later release.
    ///   - patience: how long to search for a program that moves quickly from process to process. A single
    ///     search may miss such a program.
    /// - Returns: the processes, and whether the list of processes and each possible process of the programs
    ///   could be read.
    func search(
        for programs: [Program],
        besides recorded: Set<StoppedProcess> = [],
        patience: Duration = .zero
    ) -> (found: Set<StoppedProcess>, isRead: Bool) {
        if programs.isEmpty { return ([], true) }
        func look() -> (found: Set<StoppedProcess>, isRead: Bool, mayHide: Bool) {
            var look = table.look(for: programs, patience: patience > .zero ? patience : nil) { process in
                !process.isStopped && target(process, of: programs) != nil
                    && !controlGroups.isFrozen(process.controlGroup)
            }
            let isRead = readStarts(of: &look.processes, for: programs) && look.isRead
            let found = findings(for: programs, in: look, besides: recorded)
            return (found, isRead, found.isEmpty && look.isTorn && look.isSettled)
        }
        var last = look()
        // A program can move to a new process during a search. A new process shows its parent's program until
        // it starts its own. The first search may have read the new process in that state, and missed the
        // program. So a second search is made.
        if last.mayHide { last = look() }
        return (last.found, last.isRead)
    }

    private func findings(
        for programs: [Program],
        in look: ProcessTable.Look,
        besides recorded: Set<StoppedProcess>
    ) -> Set<StoppedProcess> {
        let all = look.processes
        let targets = targets(in: all, of: programs)
        let groups = groups(in: all)
        let own = Set(recorded.map(\.identity))
        let ownGroups = Set(recorded.compactMap(\.group))
        var apps = StoppedApps(of: programs, targets: targets, groups: groups, rules: rules)
        var found: Set<StoppedProcess> = []
        // Many processes may be in one control group, so each control group is examined once.
        var frozen: [String: Bool] = [:]
        var freezable: [String: Bool] = [:]
        // A process in a frozen control group does not run, though its state is not that of a stopped one.
        func isFrozen(_ process: RunningProcess) -> Bool {
            let scope = process.controlGroup
            let answer = frozen[scope] ?? controlGroups.isFrozen(scope)
            frozen[scope] = answer
            return answer
        }
        // The groups that need no further look. Each of their processes that has to be stopped is already in
        // `found`.
        var complete: Set<Int32> = []
        for process in all.values {
            guard targets[process.pid] != nil, !isFrozen(process) else { continue }
            let scope = process.controlGroup
            let canFreeze = freezable[scope] ?? programs.contains { mayFreeze(scope, as: $0, in: all) }
            freezable[scope] = canFreeze
            if canFreeze {
                found.insert(.init(process.identity, scope: scope, for: apps.find(for: process)))
                continue
            }
            if complete.contains(process.group) { continue }
            let members = groups[process.group] ?? []
            let group = Self.group(of: process, in: all)
            let isOwn = { (member: RunningProcess) in
                own.contains(member.identity) || ownGroups.contains(group)
            }
            // A group is not stopped as a whole in two cases:
            // - A member was stopped by hand. The `SIGCONT` that later continues the group would continue it,
            //   too.
            // - A member cannot be read. That member may run another program.
            let isGroup =
                !look.reachableUnreadGroups.contains(process.group)
                && members.allSatisfy { !$0.isStopped || isOwn($0) }
                && rules.mayStopGroup(members, targets: targets, in: all)
            // A process of the shield's own program may hold the lock of the store, which a release needs.
            // That process is spared, and the other members are stopped one by one.
            let others = members.filter { !rules.runsShield($0) }
            if isGroup {
                complete.insert(process.group)
                for member in members where !member.isStopped && !isFrozen(member) {
                    let shielded = apps.find(for: member, isWholeGroup: true)
                    found.insert(.init(member.identity, group: group, for: shielded))
                }
            } else if others.allSatisfy({ !$0.isStopped || isOwn($0) }),
                rules.mayStopGroup(others, targets: targets, in: all)
            {
                complete.insert(process.group)
                for member in others where !member.isStopped && !isFrozen(member) {
                    found.insert(.init(member.identity, for: apps.find(for: member)))
                }
            } else if !process.isStopped {
                found.insert(.init(process.identity, for: apps.find(for: process)))
            }
        }
        return found
    }

    func targets(in all: [Int32: RunningProcess], of programs: [Program]) -> [Int32: Program] {
        all.compactMapValues { target($0, of: programs) }
    }

    func target(_ process: RunningProcess, of programs: [Program]) -> Program? {
        // The rules are checked first, so that `matches` reads no files of a spared process. The process's
        // user may have written any content to these files.
        if process.hasEnded || rules.refusal(of: process) != nil { return nil }
        return programs.first { $0.matches(process) && rules.isTouchable(process, as: $0) }
    }

    /// Examines processes repeatedly, until a condition holds for each process that has not ended.
    ///
    /// On a busy machine, a process may get no processor time even to stop. This thread then waits for the
    /// processor too, so the limit is a number of rounds and not a time. To save processor time, each round
    /// examines only the given processes.
    ///
    /// - Parameter rounds: how often to examine the processes, at intervals of at most a millisecond.
    /// - Returns: the processes for which the condition does not hold yet.
    @discardableResult
    func wait(
        for processes: [RunningProcess.Identity],
        rounds: Int,
        until isDone: (RunningProcess) -> Bool
    ) -> [RunningProcess.Identity] {
        var waiting = processes
        for round in 0..<rounds where !waiting.isEmpty {
            if round > 0 { Threads.sleep(microseconds: min(1_000, 50 << min(round, 5))) }
            waiting.removeAll { identity in
                guard let now = table.outline(identity.pid), now.identity == identity else { return true }
                return isDone(now)
            }
        }
        return waiting
    }

    /// Asks the running processes of these programs to end, and waits until they have ended.
    ///
    /// - Parameter limit: how long to wait at most, in milliseconds.
    func terminate(_ programs: [Program], limit: Int32) {
        if programs.isEmpty { return }
        let all = table.look(for: programs).processes
        var asked: [Int32] = []
        for pid in targets(in: all, of: programs).keys {
            // A stopped or frozen process would get the signal only when it is continued. The process would
            // then end instead of running on, so it is not asked.
            guard let process = all[pid], !process.isStopped,
                !controlGroups.isFrozen(process.controlGroup)
            else { continue }
            let descriptor = clinux_open_process(pid)
            guard descriptor >= 0 else { continue }
            guard table.isAlive(process.identity), clinux_signal_process(descriptor, SIGTERM) == 0 else {
                close(descriptor)
                continue
            }
            asked.append(descriptor)
        }
        let due = ContinuousClock.now + .milliseconds(limit)
        for descriptor in asked {
            _ = DescriptorWait.isReady(descriptor, atMost: ContinuousClock.now.duration(to: due))
            close(descriptor)
        }
    }

    private static func group(of process: RunningProcess, in all: [Int32: RunningProcess]) -> ProcessGroup {
        ProcessGroup(
            number: process.group,
            session: process.session,
            leader: all[process.group]?.identity.start
        )
    }

    /// Returns the processes that have not ended, by the number of their process group.
    func groups(in all: [Int32: RunningProcess]) -> [Int32: [RunningProcess]] {
        Dictionary(grouping: all.values.filter { !$0.hasEnded }, by: \.group)
    }

    /// Returns a function that finds the present members of a group. The function returns an empty array if
    /// the group's number has gone to another group.
    ///
    /// The processes are grouped once, so that each call examines only the processes of one group.
    func members(in all: [Int32: RunningProcess]) -> (ProcessGroup) -> [RunningProcess] {
        let present = groups(in: all)
        return { group in
            guard group.hasNumber else { return [] }
            if let leader = all[group.number], leader.identity.start != group.leader { return [] }
            return (present[group.number] ?? []).filter { $0.session == group.session }
        }
    }

    /// Sends a signal to a process, if it still exists.
    ///
    /// - Returns: 0, or the system's error; `EIO` if the process cannot be read.
    @discardableResult
    func signal(_ identity: RunningProcess.Identity, _ number: Int32) -> Int32 {
        let process = clinux_open_process(identity.pid)
        guard process >= 0 else { return errno }
        defer { close(process) }
        // The open descriptor always refers to the same process. If that process is the recorded one, the
        // signal cannot reach any other process.
        guard table.isAlive(identity) else { return table.isUnreadable(identity) ? EIO : ESRCH }
        return clinux_signal_process(process, number) == 0 ? 0 : errno
    }
}
#endif
