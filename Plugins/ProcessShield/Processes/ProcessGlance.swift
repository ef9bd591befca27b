#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#elseif canImport(Darwin)
internal import Darwin
#endif

/// Checks with few system calls whether a process may run one of the given programs.
///
/// The check is made for every process in each search, and for every program that is started on the machine.
/// Nearly all of these processes run other programs. A full examination of a process takes a dozen system
/// calls, so it is made only for the processes that pass this check.
struct ProcessGlance: Sendable {
    /// The result of the cheap check of a process.
    enum Verdict: Hashable, Sendable {
        /// The process may run one of the programs, and needs a full examination.
        case candidate
        case other
        /// The process runs no program: it has ended, or it is a thread of the kernel.
        case gone
    }

    private let table: ProcessTable
    private let files: Set<FileID>
    private let paths: Set<String>
    private let units: Set<String>
    private let interpreters: Set<String>
    private let hasInterpreters: Bool
    /// The paths of the AppImages among the programs.
    let images: [String]

    init(for programs: [Program], in table: ProcessTable) {
        self.table = table
        files = programs.reduce(into: []) { $0.formUnion($1.files.keys + $1.formerFiles) }
        paths = programs.reduce(into: []) { $0.formUnion($1.files.values) }
        units = Set(programs.filter(\.isKnownByUnit).compactMap(\.unitID))
        interpreters = Set(programs.flatMap { [$0.interpreter?.path, $0.launch?.path].compactMap(\.self) })
        images = programs.flatMap(\.images)
        hasInterpreters = programs.contains { $0.launch != nil || !$0.scripts.isEmpty }
    }

    /// Checks whether a process may run one of the programs.
    func verdict(on pid: Int32) -> Verdict {
        let path = table.program(of: pid)
        let error = errno
        if let path {
            if paths.contains(path) || interpreters.contains(path) { return .candidate }
            if hasInterpreters, ProtectedPrograms.reason(for: path) != nil { return .candidate }
            if asksEnvironment(of: path) { return .candidate }
        } else if error != ENAMETOOLONG {
            // ENOENT means that the process has ended or is a thread of the kernel, and has no program. Any
            // other error here means that the shielding process has no right to examine the process. Such a
            // process is never stopped. After ENAMETOOLONG the program's path is too long, and the check goes
            // on below with the program's file.
            return error == ENOENT ? .gone : .other
        }
        let id = FileStatus(held: "\(table.folder)/\(pid)/exe")?.id ?? table.process(pid)?.executable
        if let id, files.contains(id) { return .candidate }
        if units.isEmpty { return .other }
        // If the control group cannot be read, the process may be in one of the units.
        guard let group = table.controlGroup(of: pid) else { return .candidate }
        guard let unit = RunningProcess.unit(of: group) else { return .other }
        return units.contains { SystemdUnit.isApp(unit, of: $0) } ? .candidate : .other
    }

    /// Whether only the arguments of a process can show that it runs one of the programs.
    ///
    /// - Parameter path: the path of the program that the process runs.
    func asksArguments(of path: String) -> Bool {
        interpreters.contains(path) || hasInterpreters && ProtectedPrograms.runsOthers(path)
    }

    /// Whether only the environment of a process can show that it runs one of the programs.
    ///
    /// - Parameter path: the path of the program that the process runs.
    func asksEnvironment(of path: String) -> Bool { !images.isEmpty && AppImage.isMounted(path) }
}

extension ProcessTable {
    /// The result of a search for the processes of some programs.
    struct Look: Sendable {
        /// The possible processes of the programs, the members of their process groups, and an outline of the
        /// ancestors of each of these processes.
        var processes: [Int32: RunningProcess] = [:]
        /// Whether the list of processes, and the state of each listed process that may run one of the
        /// programs, could be read. The arguments and the environment of a process are not part of its state.
        var isRead = true
        /// The numbers of the process groups with a member that could not be read.
        var unreadGroups: Set<Int32> = []
        /// The ones of ``unreadGroups`` in which this process may signal such a member.
        var reachableUnreadGroups: Set<Int32> = []
        /// Whether processes were started during the search. One of the given programs may have moved to such
        /// a process.
        var isTorn = false
        /// Whether the search for new processes ended before its time was over. In that case the search found
        /// a process, or missed no process for some milliseconds. A process is missed if it ends before it is
        /// examined.
        var isSettled = false
    }

    /// Examines each process as soon as it is started. The search ends when it has found a process, when it
    /// cannot have missed a process, or when the time `patience` is over.
    ///
    /// A program whose process ended during a search may run in a new process, which the list of processes
    /// does not contain. Some programs always run, but move from one short-lived process to the next. A
    /// search of only the newest processes finds such a program.
    ///
    /// - Parameters:
    ///   - first: the number of the newest process before the search.
    ///   - patience: how long to search. Only the time in which this thread runs is counted, because a busy
    ///     machine may suspend the thread for longer than a search takes.
    ///   - judge: examines a process. Returns `false` if the process ended before or during the examination.
    ///   - isFound: whether the search has found a process.
    /// - Returns: `false` when the search ended while it may have missed a process.
    private func pursue(
        after first: Int32,
        patience: Duration,
        _ judge: (Int32) -> Bool,
        until isFound: () -> Bool
    ) -> Bool {
        var known = first
        var time = SearchTime(since: ContinuousClock.now)
        while !isFound() {
            time.goOn(at: ContinuousClock.now)
            guard let latest = latest(), time.spent < patience else { return false }
            if latest == known {
                // This search is for a program that moves to a new process within 4 milliseconds. If a
                // program stays in a process for longer, the list of all processes shows that process. A
                // process is missed if it ends before it is judged. So the search is complete when no process
                // was missed for 4 milliseconds.
                if time.quiet > .milliseconds(4) { return true }
                continue
            }
            // After the highest process number, the kernel begins again with low numbers. So if the latest
            // number is lower than the last known number, all numbers up to the latest are new.
            let earliest = max(latest - 256, latest > known ? known + 1 : 1, 1)
            for pid in stride(from: latest, through: earliest, by: -1) where !isFound() {
                if !judge(pid) { time.missed() }
                // Judging many new processes may take long, so the search time is also counted after each of
                // them.
                time.goOn(at: ContinuousClock.now)
            }
            known = latest
        }
        return true
    }

    /// Searches for the processes of the given programs. The search ends when it has found a running process,
    /// when it cannot have missed one, or when the time `patience` is over.
    ///
    /// - Parameters:
    ///   - others: process groups whose members are added, whatever they run.
    ///   - patience: how long to search for a program that moves quickly from process to process. This search
    ///     begins after the listed processes were checked, and the time for that check is not included. With
    ///     `nil` only the listed processes are checked.
    ///   - isMeant: returns whether the search may end with the given process. The closure is called with
    ///     each process that may run one of the programs.
    func look(
        for programs: [Program],
        and others: Set<Int32> = [],
        patience: Duration? = nil,
        until isMeant: (RunningProcess) -> Bool = { _ in true }
    ) -> Look {
        var look = Look()
        let first = patience == nil ? nil : latest()
        let numbers = numbers()
        // The list contains at least this process.
        look.isRead = !numbers.isEmpty
        let glance = ProcessGlance(for: programs, in: self)
        var close: [Int32: RunningProcess] = [:]
        var isFound = false
        func judge(_ pid: Int32) -> Bool {
            switch glance.verdict(on: pid) {
            case .other: return true
            case .gone: return false
            case .candidate:
                // The process is examined at once, because it may soon start its program anew in another
                // process and end.
                guard let process = process(pid) else {
                    // The check could read the process's link to its program, so this process has the right
                    // to examine the process. The examination failed for another reason, for example because
                    // no descriptor was free.
                    if exists(pid) { look.isRead = false }
                    return false
                }
                // If the path of the program is too long, only the file of the program is known.
                let hasProgram = process.executablePath != nil || process.executable != nil
                guard !process.hasEnded, hasProgram else { return false }
                close[pid] = process
                if isMeant(process) { isFound = true }
                return true
            }
        }
        for pid in numbers where !programs.isEmpty { _ = judge(pid) }
        if !isFound, !programs.isEmpty, let patience, let first, latest() != first {
            look.isTorn = true
            look.isSettled = pursue(after: first, patience: patience, judge) { isFound }
        }
        if close.isEmpty, others.isEmpty { return look }
        look.processes = close
        let groups = others.union(close.values.map(\.group))
        for pid in numbers where close[pid] == nil {
            guard let group = group(of: pid), groups.contains(group) else { continue }
            look.processes[pid] = process(pid)
            guard look.processes[pid] == nil, exists(pid) else { continue }
            look.unreadGroups.insert(group)
            if maySignal(pid) { look.reachableUnreadGroups.insert(group) }
        }
        addParents(to: &look.processes)
        return look
    }

    /// Adds an outline of the ancestors of these processes.
    func addParents(to processes: inout [Int32: RunningProcess]) {
        for process in Array(processes.values) {
            var parent = process.parent
            while processes[parent] == nil, let outline = outline(parent) {
                processes[parent] = outline
                parent = outline.parent
            }
        }
    }

    /// Examines the processes with the 64 latest numbers, and returns the newest one that satisfies a
    /// condition.
    func latest(where isMeant: (Int32) -> Bool) -> Int32? {
        guard let latest = latest() else { return nil }
        return stride(from: latest, to: max(latest - 64, 0), by: -1).first(where: isMeant)
    }
}
