#if os(Linux)
// Checks of single processes that were started. Such a check is faster than a search.
extension ProcessStopper {
    /// Whether a started process should be stopped.
    ///
    /// A process that exists but cannot be read counts as a candidate. The search after the report of its
    /// start then finds the process, or throws an error if it still cannot be read.
    ///
    /// - Parameter glance: the cheap check for the same programs.
    func verdict(
        on pid: Int32,
        by glance: ProcessGlance,
        for programs: [Program]
    ) -> ProcessGlance.Verdict {
        // Nearly every start on the machine is the start of a program that is not shielded, so the cheap
        // check comes first.
        let verdict = glance.verdict(on: pid)
        guard case .candidate = verdict else { return verdict }
        guard let process = table.process(pid) else { return table.exists(pid) ? .candidate : .gone }
        return finding(process, for: programs) == nil ? .other : .candidate
    }

    /// Checks a single process, and returns it if it should be stopped.
    func finding(_ pid: Int32, for programs: [Program]) -> (process: StoppedProcess, program: Program)? {
        guard case .candidate = ProcessGlance(for: programs, in: table).verdict(on: pid) else { return nil }
        return table.process(pid).flatMap { finding($0, for: programs) }
    }

    private func finding(
        _ process: RunningProcess,
        for programs: [Program]
    ) -> (process: StoppedProcess, program: Program)? {
        guard !process.isStopped, let program = target(process, of: programs),
            !controlGroups.isFrozen(process.controlGroup)
        else { return nil }
        var apps = StoppedApps(of: programs, targets: [process.pid: program], groups: [:], rules: rules)
        return (StoppedProcess(process.identity, for: apps.find(for: process)), program)
    }
}
#endif
