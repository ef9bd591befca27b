#if os(Linux)
/// What stands between a shielded program and its next start: the gate where there is one, and the watch.
final class Guards: Sendable {
    private let gate: StartGate?
    private let watch: StartWatch?

    init(_ configuration: ProcessShieldConfiguration, notice: @escaping StartWatch.Notice) {
        gate = configuration.usesGate ? StartGate(users: configuration.users) : nil
        watch = StartWatch(usesConnector: configuration.usesConnector, notice: notice)
    }

    /// Guards these programs from now on, and no other.
    func look(for programs: [Program], with stopper: ProcessStopper) {
        let gated = programs.lazy.filter(\.canBeGated).map(\.files)
        gate?.keep(gated.reduce(into: [:]) { $0.merge($1) { path, _ in path } })
        if programs.isEmpty {
            watch?.look(for: nil)
            return
        }
        watch?.look(
            for: StartWatch.Target(
                isMeant: { stopper.finding($0, for: programs) != nil },
                files: programs.reduce(into: []) { files, program in
                    files.formUnion(program.files.values)
                    if let launch = program.launch { files.insert(launch.path) }
                }
            )
        )
    }

    /// Whether a program's start is denied.
    func isGated(_ program: Program) -> Bool {
        guard program.canBeGated, let kept = gate?.kept else { return false }
        return kept.isSuperset(of: program.files.keys)
    }

    /// Ends the watch; the gate ends with this object.
    func end() { watch?.end() }
}
#endif
