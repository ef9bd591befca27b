#if os(Linux)
internal import Glibc
internal import LinuxSystem

// Control groups that are frozen with an app.
extension ProcessStopper {
    /// Whether a control group is the app's own and holds only the app and its descendants.
    func mayFreeze(_ group: String, as program: Program, in all: [Int32: RunningProcess]) -> Bool {
        guard let id = program.unitID, let unit = group.pathParts.last,
            SystemdUnit.isApp(String(unit), of: id), let members = controlGroups.members(of: group)
        else { return false }
        let present = adding(members, to: all)
        let targets = targets(in: present, of: [program])
        return members.allSatisfy { pid in
            present[pid].map { $0.hasEnded || rules.isPart($0, of: targets, in: present) } ?? isGone(pid)
        }
    }

    /// Returns the processes together with the members of a control group and their ancestors. All properties
    /// of each member are needed. So a member is read if it is new or known only in outline.
    private func adding(_ members: [Int32], to all: [Int32: RunningProcess]) -> [Int32: RunningProcess] {
        var present = all
        for pid in members where present[pid]?.user == nil { present[pid] = table.process(pid) }
        table.addParents(to: &present)
        return present
    }

    /// Whether no process has this number.
    ///
    /// The table may hide a process that runs, for example a process of another user (`hidepid`). In the
    /// list of a control group, 0 stands for a process of another namespace.
    private func isGone(_ pid: Int32) -> Bool { pid > 0 && kill(pid, 0) != 0 && errno == ESRCH }

    /// Freezes control groups.
    ///
    /// Other processes may have entered a group after the group was examined. So each group is examined
    /// again, and is thawed if it must not be frozen. The next search then finds the processes of the app one
    /// by one.
    func freeze(_ scopes: Set<String>, of programs: [Program]) {
        for scope in scopes { controlGroups.setFrozen(true, scope) }
        let all = table.look(for: programs).processes
        for scope in scopes where !programs.contains(where: { mayFreeze(scope, as: $0, in: all) }) {
            controlGroups.setFrozen(false, scope)
        }
    }

    /// Thaws those of the frozen control groups that a process of another program has entered. Such a group
    /// remains if a controller dies after it has frozen the group and before it examines the group again.
    /// After the thawing, the next search finds the processes of the app one by one.
    ///
    /// A group stays frozen in three cases:
    /// - No member runs one of the programs. Another controller may have frozen the group rightly.
    /// - A member belongs to another user. Here, too, another controller may have frozen the group rightly.
    /// - A member, or the arguments or the environment of a process, cannot be read.
    ///
    /// - Returns: the groups that were thawed.
    func thaw(enteredAmong scopes: Set<String>, of programs: [Program]) -> Set<String> {
        let frozen = scopes.filter(controlGroups.isFrozen)
        if frozen.isEmpty { return [] }
        var all = table.look(for: programs).processes
        guard readStarts(of: &all, for: programs) else { return [] }
        return frozen.filter { scope in
            guard let numbers = controlGroups.members(of: scope) else { return false }
            var present = adding(numbers, to: all)
            guard readStarts(of: &present, for: programs) else { return false }
            let targets = targets(in: present, of: programs)
            let members = numbers.compactMap { present[$0] }
            let isKnown =
                numbers.allSatisfy { present[$0] != nil || isGone($0) } && !members.contains(where: isForeign)
            let isStranger = { (member: RunningProcess) in
                !member.hasEnded && !rules.isPart(member, of: targets, in: present)
            }
            let isEntered =
                isKnown && members.contains { targets[$0.pid] != nil } && members.contains(where: isStranger)
            return isEntered && controlGroups.setFrozen(false, scope)
        }
    }
}
#endif
