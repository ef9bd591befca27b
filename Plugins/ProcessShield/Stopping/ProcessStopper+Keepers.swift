#if os(Linux)
internal import Glibc
internal import PortcullisCore

extension ProcessStopper {
    /// Continues the keepers that are stopped, for example by `kill -STOP`. A keeper is a process that looks
    /// after the shields.
    ///
    /// A stopped keeper does not notice that the shields are down. If the keeper has a gate, each opening of
    /// a file behind the gate waits until the keeper continues.
    ///
    /// - Returns: the keepers that got the signal, and those that this process may not continue, because they
    ///   belong to another user.
    @discardableResult
    func resume(_ keepers: Set<ShieldKeeper>) -> (continued: Set<Int32>, refused: Set<Int32>) {
        let stopped = keepers.map(\.identity).filter(table.isStopped)
        let answers = stopped.map { (pid: $0.pid, error: signal($0, SIGCONT)) }
        return (
            Set(answers.filter { $0.error == 0 }.map(\.pid)),
            Set(answers.filter { $0.error == EPERM }.map(\.pid))
        )
    }
}

extension ProcessTable {
    /// The error if processes cannot be read now, for example while no descriptor is free.
    var unreadable: ShieldError {
        ShieldError(code: .unavailable, message: "the processes in \(folder) cannot be read")
    }

    /// The error if this process cannot use the table; `nil` if it can.
    var unusable: ShieldError? {
        guard isForeign else { return nil }
        return ShieldError(
            code: .unavailable,
            message: "\(folder) lists the processes of another namespace: mount this one's own there"
        )
    }
}
#endif
