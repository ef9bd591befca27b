#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#elseif canImport(Darwin)
internal import Darwin
#endif

/// Tells with a call or two whether a process can be one of some programs.
///
/// Each program that is started on the machine is judged by it, and every process at each look: nearly all of them are
/// nobody's concern, and looking at one closely takes a dozen calls.
struct ProcessGlance: Sendable {
    /// What a glance shows.
    enum Sight: Sendable {
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
    private let hasInterpreters: Bool

    init(for programs: [Program], in table: ProcessTable) {
        self.table = table
        files = programs.reduce(into: []) { $0.formUnion($1.files.keys) }
        paths = programs.reduce(into: []) { $0.formUnion($1.files.values) }
        units = Set(programs.compactMap(\.unitID))
        hasInterpreters = programs.contains { $0.launch != nil || !$0.scripts.isEmpty }
    }

    /// What can be told of a process.
    func sight(of pid: Int32) -> Sight {
        guard let path = table.program(of: pid) else {
            // One that nobody may look at is never touched. Those that have ended and were not collected yet have no
            // program any more, and the kernel's own never had one.
            return errno == ENOENT ? .gone : .other
        }
        if paths.contains(path) { return .candidate }
        if hasInterpreters, ProtectedPrograms.reason(for: path) != nil { return .candidate }
        if let id = FileID(path: "\(table.folder)/\(pid)/exe"), files.contains(id) { return .candidate }
        if units.isEmpty { return .other }
        guard let unit = RunningProcess.unit(of: table.controlGroup(of: pid)), unit.hasPrefix("app-") else {
            return .other
        }
        return units.contains { SystemdUnit.isApp(unit, of: $0) } ? .candidate : .other
    }
}

extension ProcessTable {
    /// A look at the processes for the sake of some programs.
    struct Look: Sendable {
        /// All processes in outline, and those closely that may be one of the programs, with who is in a group with one;
        /// empty where nobody may be one of them.
        var processes: [Int32: RunningProcess] = [:]
        /// Whether processes were started meanwhile that nobody saw: one of the programs may have gone on as one of them.
        var isTorn = false
    }

    /// Judges each process that is started, as soon as it is there, until one was found or nobody can be missing.
    ///
    /// What ended during a look may have gone on as another process that the list does not have. Somebody of a program
    /// that does so again and again is there at every moment, but none of them for long: what finds one is to look at
    /// nothing but the newest.
    ///
    /// - Parameter judge: whether a process could be seen.
    /// - Returns: whether somebody may have been missed.
    private func pursue(after first: Int32, _ judge: (Int32) -> Bool, until isFound: () -> Bool) -> Bool {
        let start = ContinuousClock.now
        var (known, change, seen) = (first, start, 0)
        while !isFound() {
            let now = ContinuousClock.now
            guard let latest = latest(), now - start < .milliseconds(40) else { return true }
            if latest == known {
                // Who stays one process for longer than this, or is not given the processor, is found by the next look.
                if now - change > .milliseconds(4) { return true }
                continue
            }
            // Numbers start anew when there are no higher ones.
            let earliest = max(latest - 256, latest > known ? known + 1 : 1, 1)
            for pid in stride(from: latest, through: earliest, by: -1) where !isFound() {
                seen = judge(pid) ? seen + 1 : 0
            }
            // One that does not stay would have been among so many in a row.
            if seen >= 16 { return false }
            (known, change) = (latest, now)
        }
        return false
    }

    /// Looks for the processes of these programs, until one that runs was found or nobody can have been missed.
    ///
    /// - Parameters:
    ///   - others: groups whose members are looked at as well, whoever they are.
    ///   - isMeant: whether one is found with this process; `nil`: what is in the list is enough.
    func look(
        for programs: [Program],
        and others: Set<Int32> = [],
        until isMeant: ((RunningProcess) -> Bool)? = nil
    ) -> Look {
        var look = Look()
        let first = isMeant == nil ? nil : latest()
        let numbers = numbers()
        let glance = ProcessGlance(for: programs, in: self)
        var close: [Int32: RunningProcess] = [:]
        var isFound = false
        func judge(_ pid: Int32) -> Bool {
            guard !programs.isEmpty else { return true }
            switch glance.sight(of: pid) {
            case .other: return true
            case .gone: return false
            case .candidate:
                // At once: one that goes from process to process is not here for long.
                guard let process = process(pid), !process.hasEnded, process.executablePath != nil else {
                    return false
                }
                close[pid] = process
                if isMeant?(process) == true { isFound = true }
                return true
            }
        }
        for pid in numbers { _ = judge(pid) }
        if !isFound, !programs.isEmpty, let first, latest() != first {
            look.isTorn = pursue(after: first, judge) { isFound }
        }
        if close.isEmpty, others.isEmpty { return look }
        let groups = others.union(close.values.map(\.group))
        for pid in Set(numbers).union(close.keys) {
            if let process = close[pid] {
                look.processes[pid] = process
            } else if let outline = outline(pid) {
                look.processes[pid] = groups.contains(outline.group) ? process(pid) ?? outline : outline
            }
        }
        return look
    }
}
