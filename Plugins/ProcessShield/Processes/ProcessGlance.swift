#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#elseif canImport(Darwin)
internal import Darwin
#endif

/// Tells with a call or two whether a process can be one of some programs.
///
/// Each program that is started on the machine is judged by it, and every process at each look. Nearly all of them are none
/// of the programs, and a close look at one takes a dozen calls.
struct ProcessGlance: Sendable {
    /// What a glance can tell of a process.
    enum Verdict: Hashable, Sendable {
        /// It may be one of the programs, and has to be looked at closely.
        case candidate
        case other
        /// It runs no program.
        case gone
    }

    private let table: ProcessTable
    private let files: Set<FileID>
    private let paths: Set<String>
    private let units: Set<String>
    private let interpreters: Set<String>
    private let hasInterpreters: Bool
    private let images: Bool

    init(for programs: [Program], in table: ProcessTable) {
        self.table = table
        files = programs.reduce(into: []) { $0.formUnion($1.files.keys + $1.formerFiles) }
        paths = programs.reduce(into: []) { $0.formUnion($1.files.values) }
        units = Set(programs.filter(\.isKnownByUnit).compactMap(\.unitID))
        interpreters = Set(programs.flatMap { [$0.interpreter?.path, $0.launch?.path].compactMap(\.self) })
        images = programs.contains(where: \.isImage)
        hasInterpreters = programs.contains { $0.launch != nil || !$0.scripts.isEmpty }
    }

    /// What can be told of a process.
    func verdict(on pid: Int32) -> Verdict {
        guard let path = table.program(of: pid) else {
            // A process that this one may not look at is never touched. Those that have ended and were not collected yet
            // have no program any more, and the kernel's own never had one.
            return errno == ENOENT ? .gone : .other
        }
        if paths.contains(path) || interpreters.contains(path) { return .candidate }
        if hasInterpreters, ProtectedPrograms.reason(for: path) != nil { return .candidate }
        if images, AppImage.isMounted(path) { return .candidate }
        let id = FileStatus(held: "\(table.folder)/\(pid)/exe")?.id ?? table.process(pid)?.executable
        if let id, files.contains(id) { return .candidate }
        if units.isEmpty { return .other }
        guard let unit = RunningProcess.unit(of: table.controlGroup(of: pid)) else { return .other }
        return units.contains { SystemdUnit.isApp(unit, of: $0) } ? .candidate : .other
    }
}

extension ProcessTable {
    /// A look at the processes for the sake of some programs.
    struct Look: Sendable {
        /// Those that may be one of the programs, with the members of their groups; and in outline what started them.
        var processes: [Int32: RunningProcess] = [:]
        /// Whether processes were started meanwhile: one of the programs may have gone on as one of them.
        var isTorn = false
        /// Whether so many of those were seen since that it would have been among them.
        var isSettled = false
    }

    /// Judges each process that is started, as soon as it is there, until one was found or none can be missing.
    ///
    /// What ended during a look may have gone on as another process that the list does not have. A program that does so
    /// again and again runs at every moment, but none of its processes for long. A search that looks at nothing but the
    /// newest processes finds it.
    ///
    /// - Parameters:
    ///   - patience: when to give up, counted in time in which this thread runs: a busy machine may give it none for longer
    ///     than a search takes.
    ///   - judge: whether a process could be seen.
    /// - Returns: whether no process can have been missed lately.
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
                // A program that stays one process for longer than this is found by an ordinary look.
                if time.quiet > .milliseconds(4) { return true }
                continue
            }
            // Numbers start anew when there are no higher ones.
            let earliest = max(latest - 256, latest > known ? known + 1 : 1, 1)
            for pid in stride(from: latest, through: earliest, by: -1) where !isFound() {
                if !judge(pid) { time.missed() }
                // So many may have come that all of them take longer than a step.
                time.goOn(at: ContinuousClock.now)
            }
            known = latest
        }
        return true
    }

    /// Looks for the processes of these programs, until one that runs was found or none can have been missed.
    ///
    /// - Parameters:
    ///   - others: groups whose members are looked at as well, whatever they run.
    ///   - patience: how long to search for a program that is no process for long, after the list was looked at; `nil`: the
    ///     list is enough. Where thousands have ended and were not collected, the list alone takes longer.
    ///   - isMeant: whether one is found with this process.
    func look(
        for programs: [Program],
        and others: Set<Int32> = [],
        patience: Duration? = nil,
        until isMeant: (RunningProcess) -> Bool = { _ in true }
    ) -> Look {
        var look = Look()
        let first = patience == nil ? nil : latest()
        let numbers = numbers()
        let glance = ProcessGlance(for: programs, in: self)
        var close: [Int32: RunningProcess] = [:]
        var isFound = false
        func judge(_ pid: Int32) -> Bool {
            switch glance.verdict(on: pid) {
            case .other: return true
            case .gone: return false
            case .candidate:
                // At once: one that goes from process to process is not here for long.
                guard let process = process(pid), !process.hasEnded, process.executablePath != nil else {
                    return false
                }
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
        for pid in numbers where close[pid] == nil && group(of: pid).map(groups.contains) == true {
            look.processes[pid] = process(pid)
        }
        addParents(to: &look.processes)
        return look
    }

    /// Adds the processes that have started these, in outline: they tell whose these are.
    func addParents(to processes: inout [Int32: RunningProcess]) {
        for process in Array(processes.values) {
            var parent = process.parent
            while processes[parent] == nil, let outline = outline(parent) {
                processes[parent] = outline
                parent = outline.parent
            }
        }
    }

    /// The first of the processes that were started last of which something holds.
    func latest(where isMeant: (Int32) -> Bool) -> Int32? {
        guard let latest = latest() else { return nil }
        return stride(from: latest, to: max(latest - 64, 0), by: -1).first(where: isMeant)
    }
}
