#if os(Linux)
// What is read of the start of a process, and checks of single processes that were started.
extension ProcessStopper {
    /// Whether a started process should be stopped.
    ///
    /// A process that exists but cannot be read counts as a candidate. A candidate's start is reported, and a
    /// search follows. The search finds the process, or throws an error if the process still cannot be read.
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
        guard var process = table.process(pid) else { return table.exists(pid) ? .candidate : .gone }
        if !readStart(of: &process, by: glance, for: programs) { return .candidate }
        return finding(process, for: programs) == nil ? .other : .candidate
    }

    /// Reads the arguments and the environments that may show that processes run one of the programs. What
    /// was read before is not read again.
    ///
    /// - Returns: `false` if the arguments or the environment of a process cannot be read now, for example
    ///   while no descriptor is free. Such a process does not count as one of the programs' processes. The
    ///   caller must neither forget nor continue it.
    func readStarts(of processes: inout [Int32: RunningProcess], for programs: [Program]) -> Bool {
        let glance = ProcessGlance(for: programs, in: table)
        var isRead = true
        for (pid, found) in processes {
            var process = found
            if !readStart(of: &process, by: glance, for: programs) { isRead = false }
            if process != found { processes[pid] = process }
        }
        return isRead
    }

    /// Reads the arguments and the environment of one process, and keeps only what shows that the process
    /// runs one of the programs. The rest could need much memory: there may be thousands of processes, and
    /// each user chooses the length of their arguments.
    private func readStart(
        of process: inout RunningProcess,
        by glance: ProcessGlance,
        for programs: [Program]
    ) -> Bool {
        guard let path = process.executablePath else { return true }
        let (asksArguments, asksEnvironment) = (
            glance.asksArguments(of: path), glance.asksEnvironment(of: path)
        )
        // The user of a spared process may have written any content to its files, so they are not read.
        guard asksArguments || asksEnvironment, !process.hasEnded, rules.refusal(of: process) == nil else {
            return true
        }
        if asksArguments, process.argumentBytes == nil {
            process.argumentBytes = process.readArguments()
            if process.argumentBytes != nil, !programs.contains(where: { $0.isRun(by: process) }) {
                process.argumentBytes = []
            }
        }
        if asksEnvironment, process.images == nil {
            process.images = AppImage.images(of: process).map { named in
                glance.images.filter { image in named.contains { $0.isSamePath(as: image) } }
            }
        }
        return (process.argumentBytes != nil || !asksArguments)
            && (process.images != nil || !asksEnvironment)
    }

    /// Checks a single process, and returns it if it should be stopped. This is faster than a search.
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
