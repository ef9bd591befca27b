import Foundation

@testable import ProcessShield

/// A table of processes on plain files, as `/proc` has it.
struct ProcessFolder {
    let scratch: Scratch
    var table: ProcessTable { ProcessTable(folder: "\(scratch.path)/proc") }

    #if os(Linux)
    /// The control groups beside the table, as in `/sys/fs/cgroup`.
    var controlGroups: ControlGroups { ControlGroups(folder: "\(scratch.path)/cgroup") }
    #endif

    init() throws { scratch = try Scratch() }

    #if os(Linux)
    /// A stopper of the table's processes. By default it is process 2, and stops those of the user 1,000.
    func stopper(
        _ rules: SafetyRules = SafetyRules(own: 2, ancestors: [], users: [1_000])
    ) -> ProcessStopper {
        ProcessStopper(table: table, controlGroups: controlGroups, rules: rules)
    }
    #endif

    /// Writes a process, or changes one.
    func write(
        _ pid: Int32,
        _ program: String?,
        parent: Int32 = 1,
        group: Int32? = nil,
        session: Int32 = 1,
        terminal: Int32 = 0,
        foreground: Int32 = -1,
        state: String = "S",
        start: Int = 5,
        tracer: Int32 = 0,
        scope: String = "/",
        words: [String] = []
    ) throws {
        let folder = "proc/\(pid)"
        try scratch.write(
            "\(pid) (x) \(state) \(parent) \(group ?? pid) \(session) \(terminal) \(foreground)"
                + " 0 0 0 0 0 0 0 0 0 20 0 1 0 \(start) 0 0\n",
            to: "\(folder)/stat"
        )
        try scratch.write("Name:\tx\nTracerPid:\t\(tracer)\nUid:\t1000\t1\t1\t1\n", to: "\(folder)/status")
        try scratch.write("0::\(scope)\n", to: "\(folder)/cgroup")
        try scratch.write(words.map { "\($0)\0" }.joined(), to: "\(folder)/cmdline")
        try? scratch.remove("\(folder)/exe")
        if let program { try scratch.link("\(folder)/exe", to: program) }
    }

    /// Puts a folder in the place of a file, which no process can read or write.
    func hide(_ file: String) throws {
        try? scratch.remove(file)
        try scratch.write("", to: "\(file)/none")
    }
}
