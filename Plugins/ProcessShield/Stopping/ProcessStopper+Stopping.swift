#if os(Linux)
internal import AdapterKit
internal import Glibc

// The signals that stop processes and process groups.
extension ProcessStopper {
    /// The largest number of processes or groups that are stopped between two checks of the shields.
    static let slice = 256

    /// A process group that one signal may stop.
    private struct ExaminedGroup: Sendable {
        var group: ProcessGroup
        /// Whether the search found no member of the group.
        var isEmpty: Bool
    }

    /// Stops control groups first, then all other processes one by one, and then whole process groups.
    ///
    /// The processes are stopped without another check, since nearly always the same processes still exist.
    /// After that each process group is examined again, because a program may have moved to another process
    /// or started others.
    ///
    /// - Parameters:
    ///   - thread: the thread for the calls that may block.
    ///   - isMeant: returns whether the processes still have to be stopped. If there are more processes than
    ///     one ``slice``, the closure is called before each slice. Once it returns `false`, no other process
    ///     is stopped.
    func stop(
        _ processes: Set<StoppedProcess>,
        of programs: [Program],
        on thread: WorkerThread,
        while isMeant: @Sendable () async -> Bool
    ) async {
        let isLong = processes.count > Self.slice
        let scopes = Set(processes.compactMap(\.scope))
        if !scopes.isEmpty { await thread.run { () throws(Never) in freeze(scopes, of: programs) } }
        let meant = processes.filter { $0.scope == nil }.map(\.identity)
        for slice in Self.slices(of: meant) {
            if isLong, await !isMeant() { return }
            await thread.run { () throws(Never) in
                for identity in slice { signal(identity, SIGSTOP) }
                // A stopped process may hold the store's lock, which the next `isMeant` needs.
                if isLong { releaseShield(among: slice) }
            }
        }
        var groups = Set(processes.compactMap(\.group)).filter { $0.hasNumber && $0.number != getpgrp() }
        for _ in 0..<20 where !groups.isEmpty {
            let present = groups
            let examined = await thread.run { () throws(Never) in examine(present, of: programs) }
            for slice in Self.slices(of: examined.ready) {
                if isLong, await !isMeant() { return }
                await thread.run { () throws(Never) in halt(slice, of: programs) }
            }
            groups = examined.unknown
        }
        await thread.run { () throws(Never) in
            let left = releaseShield(among: meant)
            wait(for: left, rounds: 60) { $0.isStopped || $0.hasEnded }
        }
    }

    private static func slices<Item>(of items: [Item]) -> [[Item]] {
        stride(from: 0, to: items.count, by: slice).map { start in
            Array(items[start..<min(start + slice, items.count)])
        }
    }

    /// Examines process groups.
    ///
    /// - Returns: the groups that one signal may stop (`ready`), and the groups that have to be examined once
    ///   more (`unknown`). An unknown group has a member whose user is unknown: the member could not be read,
    ///   or was about to end when it was read.
    private func examine(
        _ groups: Set<ProcessGroup>,
        of programs: [Program]
    ) -> (ready: [ExaminedGroup], unknown: Set<ProcessGroup>) {
        let look = table.look(for: programs, and: Set(groups.map(\.number)))
        let all = look.processes
        let targets = targets(in: all, of: programs)
        let present = self.groups(in: all)
        var ready: [ExaminedGroup] = []
        var unknown: Set<ProcessGroup> = []
        for group in groups {
            let members = present[group.number] ?? []
            // The group's number may have gone to another group, perhaps in another session.
            guard members.allSatisfy({ $0.session == group.session }), isPresent(group) else { continue }
            let isUnread = look.reachableUnreadGroups.contains(group.number)
            if isUnread || !members.allSatisfy({ $0.user != nil }) {
                unknown.insert(group)
            } else if rules.mayStopGroup(members, targets: targets, in: all) {
                ready.append(ExaminedGroup(group: group, isEmpty: members.isEmpty))
            }
        }
        return (ready, unknown)
    }

    /// Stops process groups, each with one signal.
    private func halt(_ groups: [ExaminedGroup], of programs: [Program]) {
        var halted: Set<Int32> = []
        var unseen: Set<Int32> = []
        for examined in groups {
            let number = examined.group.number
            // The group's number may have gone to another group after the examination.
            guard isPresent(examined.group), kill(-number, SIGSTOP) == 0 else { continue }
            halted.insert(number)
            if examined.isEmpty { unseen.insert(number) }
        }
        if halted.isEmpty { return }
        releaseShield(in: halted)
        // If the search found no member, the group's processes start others and end faster than the search
        // can find them. The signal has stopped these processes, so they can be examined now.
        if !unseen.isEmpty { release(strangersIn: unseen, of: programs) }
    }

    /// Whether a group's number still belongs to this group. If the process with this number leads a group
    /// and is not the recorded leader, the number belongs to another group. In all other cases the number
    /// still belongs to this group.
    private func isPresent(_ group: ProcessGroup) -> Bool {
        guard let leader = table.outline(group.number), leader.group == group.number else { return true }
        return leader.identity.start == group.leader
    }

    /// Continues each member of the groups that runs the shielding process's own program. A member may have
    /// started this program after its group was examined.
    private func releaseShield(in groups: Set<Int32>) {
        for pid in table.numbers() where table.group(of: pid).map(groups.contains) == true {
            if let process = table.process(pid), rules.runsShield(process) {
                signal(process.identity, SIGCONT)
            }
        }
    }

    /// Continues the processes that run the shielding process's own program. A process may have started this
    /// program after the search and before the signal.
    ///
    /// - Returns: the other processes.
    @discardableResult
    private func releaseShield(among processes: [RunningProcess.Identity]) -> [RunningProcess.Identity] {
        processes.filter { identity in
            guard let now = table.process(identity.pid), now.identity == identity, rules.runsShield(now)
            else { return true }
            signal(identity, SIGCONT)
            return false
        }
    }

    /// Continues each member of the groups that is not part of a shielded app.
    private func release(strangersIn groups: Set<Int32>, of programs: [Program]) {
        let all = table.look(for: programs, and: groups).processes
        let targets = targets(in: all, of: programs)
        for member in all.values where groups.contains(member.group) && !member.hasEnded {
            if !rules.isPart(member, of: targets, in: all) { signal(member.identity, SIGCONT) }
        }
    }
}
#endif
