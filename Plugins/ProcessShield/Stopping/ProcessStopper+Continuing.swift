#if os(Linux)
// Recorded processes that are stopped.
extension ProcessStopper {
    /// Returns the entries whose process is stopped, whose process group has a stopped member, or whose
    /// control group is frozen.
    func stillStopped(_ entries: Set<StoppedProcess>) -> Set<StoppedProcess> {
        let groups = Set(entries.compactMap(\.group))
        var stopped: Set<ProcessGroup> = []
        if !groups.isEmpty {
            let members = members(in: table.look(for: [], and: Set(groups.map(\.number))).processes)
            stopped = groups.filter { members($0).contains(where: \.isStopped) }
        }
        return entries.filter { entry in
            if let scope = entry.scope { return controlGroups.isFrozen(scope) }
            return entry.group.map(stopped.contains) == true || table.isStopped(entry.identity)
        }
    }
}
#endif
