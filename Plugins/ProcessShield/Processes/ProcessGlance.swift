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
        /// It is there no more.
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
            // Neither a program of the kernel's own nor one that nobody may look at is ever touched.
            if errno != ENOENT { return .other }
            return FileStatus(path: "\(table.folder)/\(pid)") == nil ? .gone : .other
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
        /// Whether some ended meanwhile: what they left behind may have been missed.
        var isTorn = false
    }

    /// Judges each process that is started, as soon as it is there, until one was found or it has been quiet for a while.
    ///
    /// What ended during a look may have gone on as another process that the list does not have. Somebody of a program
    /// that does so again and again is there at every moment, but none of them for long: what finds one is to look at
    /// nothing but the newest.
    private func pursue(after first: Int32, _ judge: (Int32) -> Void, until isFound: () -> Bool) {
        let start = ContinuousClock.now
        var (known, change) = (first, start)
        while !isFound() {
            let now = ContinuousClock.now
            // A program that stays one process for longer than this is found by an ordinary look.
            if now - change > .milliseconds(4) || now - start > .milliseconds(40) { return }
            guard let latest = latest() else { return }
            if latest == known { continue }
            // Numbers start anew when there are no higher ones.
            let earliest = max(latest - 256, latest > known ? known + 1 : 1, 1)
            for pid in stride(from: latest, through: earliest, by: -1) where !isFound() { judge(pid) }
            (known, change) = (latest, now)
        }
    }

    /// Looks for the processes of these programs.
    ///
    /// - Parameter others: groups whose members are looked at as well, whoever they are.
    func look(for programs: [Program], and others: Set<Int32> = []) -> Look {
        var look = Look()
        let first = latest()
        let numbers = numbers()
        let glance = ProcessGlance(for: programs, in: self)
        var close: [Int32: RunningProcess] = [:]
        func judge(_ pid: Int32) {
            switch programs.isEmpty ? .other : glance.sight(of: pid) {
            case .other: break
            case .gone: look.isTorn = true
            // At once: one that goes from process to process is not here for long.
            case .candidate:
                if let process = process(pid) { close[pid] = process } else { look.isTorn = true }
            }
        }
        for pid in numbers { judge(pid) }
        if look.isTorn, close.isEmpty, let first {
            pursue(after: first) {
                judge($0)
            } until: {
                !close.isEmpty
            }
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
