internal import LinuxSystem

/// Decides which processes are never stopped. Such a process is spared even if its app is among the apps
/// that a person has chosen.
struct SafetyRules: Hashable, Sendable {
    /// The number of the process that looks after the shields.
    let own: Int32
    /// The process `own`; `nil` if this process or one of its ancestors could not be read. In that case the
    /// ancestors and the program of the process are unknown.
    let identity: RunningProcess.Identity?
    /// The ancestors of the process `own`: its parent, the parent of its parent, and so on.
    let ancestors: Set<RunningProcess.Identity>
    /// The users whose processes may be stopped.
    let users: Set<UInt32>
    /// The program of the process `own`; `nil` if the program is a shell or a launcher.
    ///
    /// All processes of this program are spared, because the program also releases the shields. A release
    /// needs the lock of the store. If a process that holds the lock were stopped, no release would be
    /// possible.
    let program: FileID?
    /// The path of ``program``; `nil` if the program is `nil`. After an upgrade the path leads to a new file,
    /// and other processes may run the new file.
    let path: String?

    init(
        own: Int32,
        identity: RunningProcess.Identity? = nil,
        ancestors: Set<RunningProcess.Identity>,
        users: Set<UInt32>,
        program: FileID? = nil,
        path: String? = nil
    ) {
        self.own = own
        self.identity = identity
        self.ancestors = ancestors
        self.users = users
        self.program = program
        self.path = path
    }

    /// Creates the rules for a process, with its ancestors from the process table.
    init(own: Int32, users: Set<UInt32>, in table: ProcessTable) {
        let found = table.process(own)
        let ancestors = found.flatMap(table.ancestors)
        let process = ancestors == nil ? nil : found
        let runsOthers = process?.executablePath.map(ProtectedPrograms.runsOthers)
        let known = runsOthers == false ? process : nil
        self.init(
            own: own,
            identity: process?.identity,
            ancestors: ancestors ?? [],
            users: users,
            program: known?.executable,
            path: known?.executablePath
        )
    }

    /// Whether a process runs the same program as the process that looks after the shields. The older and the
    /// newer version of an upgraded program count as the same program.
    func runsShield(_ process: RunningProcess) -> Bool {
        if process.pid == own || program != nil && process.executable == program { return true }
        guard let path, let other = process.executablePath, other.isSamePath(as: path) else { return false }
        return process.hasOwnPath
    }

    /// Whether the safety rules allow the stopping of `process`, if the process runs `program`.
    func isTouchable(_ process: RunningProcess, as program: Program) -> Bool {
        refusal(of: process, as: program) == nil
    }

    /// Returns why a process is never stopped, whatever program it runs. The result is `nil` if it depends on
    /// the program whether the process may be stopped.
    func refusal(of process: RunningProcess) -> String? {
        if process.pid <= 1 { return "it is the first process" }
        if process.isKernelThread { return "it belongs to the kernel" }
        if runsShield(process) || ancestors.contains(process.identity) { return "it runs the shield" }
        guard let user = process.user else { return "it was not looked at" }
        if !users.contains(user) { return "it belongs to somebody else" }
        for part in process.controlGroup.pathParts where Self.units.contains(String(part)) {
            return "it belongs to \(part)"
        }
        return nil
    }

    /// Returns why `process` must not be stopped while `program` is shielded; `nil` if it may be stopped.
    func refusal(of process: RunningProcess, as program: Program) -> String? {
        if let reason = refusal(of: process) { return reason }
        guard let path = process.executablePath else {
            // The kernel names no path of more than 4,095 bytes. The program's file may still be the app's.
            let isApp = !program.isImage && process.executable.map(program.owns) == true
            return isApp ? nil : "its program cannot be seen"
        }
        if program.isImage, process.executable.map(program.owns) == true {
            return "the files of the app come from it"
        }
        if program.spared.contains(path) { return ProtectedPrograms.terminalReason }
        guard let reason = ProtectedPrograms.reason(for: path) else { return nil }
        // If the app is an AppImage, a shell or launcher that was started from the AppImage counts as the
        // app. In all other cases, a shell or launcher counts as the app only when it runs the app's own
        // script or arguments. A shell or launcher does not count merely because it is in the app's systemd
        // unit: the person may work in such a shell.
        guard ProtectedPrograms.runsOthers(path) else { return reason }
        return (program.isImage ? program.matches(process) : program.isRun(by: process)) ? nil : reason
    }

    /// Whether one signal may stop a whole process group. This is so if each member is one of the `targets`
    /// or a descendant of one of them, and may be stopped.
    func mayStopGroup(_ members: [RunningProcess], targets: [Int32: Program], in all: [Int32: RunningProcess])
        -> Bool
    {
        members.allSatisfy { isPart($0, of: targets, in: all) }
    }

    /// Whether a process may be stopped because it is one of the `targets` or a descendant of one of the
    /// `targets`.
    func isPart(_ member: RunningProcess, of targets: [Int32: Program], in all: [Int32: RunningProcess])
        -> Bool
    {
        var next: RunningProcess? = member
        var seen: Set<Int32> = []
        while let process = next, seen.insert(process.pid).inserted {
            if let program = targets[process.pid] {
                return isTouchable(member, as: program) || runsPart(member, of: process, program)
            }
            next = all[process.parent]
        }
        return false
    }

    /// Whether a launcher, such as `java`, runs a part of an app. This is so if the app has started the
    /// launcher in the app's own process group. Shells do not count as launchers, because the person may work
    /// in a shell.
    private func runsPart(_ member: RunningProcess, of app: RunningProcess, _ program: Program) -> Bool {
        guard member.pid != app.pid, member.group == app.group, refusal(of: member) == nil,
            let path = member.executablePath, !program.spared.contains(path)
        else { return false }
        return ProtectedPrograms.reason(for: path) == ProtectedPrograms.launcherReason
    }

    private static let units: Set<String> = ["init.scope", "system.slice", "session.slice"]
}
