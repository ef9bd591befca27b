internal import PortcullisCore

/// Finds the apps for which processes are recorded as stopped, with the chosen categories of these apps.
///
/// Several tokens may lead to the program of one process, and a process group may hold several apps. All of
/// these apps are recorded, because the shields may later name only one of them. If that app were not
/// recorded, a controller whose catalogue does not contain the app would continue the stopped process.
struct StoppedApps {
    private let programs: [Program]
    private let targets: [Int32: Program]
    private let groups: [Int32: [RunningProcess]]
    private let rules: SafetyRules
    private var known: [Int32: ShieldSelection] = [:]

    /// - Parameters:
    ///   - targets: the processes of these programs.
    ///   - groups: the processes that have not ended, by process group.
    init(
        of programs: [Program],
        targets: [Int32: Program],
        groups: [Int32: [RunningProcess]],
        rules: SafetyRules
    ) {
        (self.programs, self.targets, self.groups, self.rules) = (programs, targets, groups, rules)
    }

    /// Returns the apps for which a process is recorded. A target that is not stopped with its whole group is
    /// recorded for its own apps. Every other process is recorded for all apps of its process group.
    mutating func find(for process: RunningProcess, isWholeGroup: Bool = false) -> ShieldSelection {
        if !isWholeGroup, targets[process.pid] != nil { return own(process) }
        if let found = known[process.group] { return found }
        var found = ShieldSelection()
        for member in groups[process.group] ?? [] where targets[member.pid] != nil {
            found.formUnion(own(member))
        }
        known[process.group] = found
        return found
    }

    private func own(_ process: RunningProcess) -> ShieldSelection {
        var apps = ShieldSelection()
        for program in programs where program.matches(process) && rules.isTouchable(process, as: program) {
            if let token = program.token { apps.apps.insert(token) }
            apps.categories.formUnion(program.categories)
        }
        return apps
    }
}
