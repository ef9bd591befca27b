#if os(Linux)
internal import Glibc

// The signals that continue recorded processes.
extension ProcessStopper {
    /// Continues stopped processes.
    ///
    /// - Returns: the entries of processes that may still be stopped: this process may not signal or thaw
    ///   them, or the system had no descriptor left for that.
    @discardableResult
    func resume(_ processes: Set<StoppedProcess>) -> Set<StoppedProcess> {
        let groups = Set(processes.compactMap(\.group))
        var failedGroups: Set<ProcessGroup> = []
        if !groups.isEmpty {
            let look = table.look(for: [], and: Set(groups.map(\.number)))
            // The signal also reaches members that were started while the group was being stopped.
            let members = members(in: look.processes)
            for group in groups {
                let present = members(group)
                if !present.isEmpty, kill(-group.number, SIGCONT) == 0 || errno == ESRCH { continue }
                if look.mayHide(group) || present.contains(where: \.isStopped) { failedGroups.insert(group) }
            }
        }
        var failed = processes.filter { $0.group.map(failedGroups.contains) == true }
        for process in processes where process.scope == nil {
            let error = signal(process.identity, SIGCONT)
            if error == 0 || error == ESRCH { continue }
            // After an error, a process that runs or has ended counts as continued.
            if table.isStopped(process.identity) || table.isUnreadable(process.identity) {
                failed.insert(process)
            }
        }
        let frozen = Set(processes.compactMap(\.scope)).filter { scope in
            !controlGroups.setFrozen(false, scope) && controlGroups.mayBeFrozen(scope)
        }
        failed.formUnion(processes.filter { $0.scope.map(frozen.contains) == true })
        return failed
    }

    /// Returns those of the continued processes that are stopped or frozen again, perhaps by another
    /// controller. A stopped process is left out if a debugger, or a terminal and its shell, may have stopped
    /// it. For example, a job that reads from its terminal in the background stops at once.
    func stoppedAgain(_ continued: Set<StoppedProcess>) -> Set<StoppedProcess> {
        let frozen = continued.filter { $0.scope.map(controlGroups.isFrozen) == true }
        let stopped = continued.filter { table.isStopped($0.identity) }
        if stopped.isEmpty { return frozen }
        let all = table.all()
        return frozen.union(
            stopped.filter { entry in
                all[entry.identity.pid].map { mayBeStoppedOtherwise($0, in: all) } != true
            }
        )
    }
}

extension ProcessTable.Look {
    /// Whether the group may have members that could not be read.
    fileprivate func mayHide(_ group: ProcessGroup) -> Bool {
        !isRead || unreadGroups.contains(group.number)
    }
}
#endif
