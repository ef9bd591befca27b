public import PortcullisCore

/// The state of the shields, as the record and the machine show it.
public struct ShieldReport: Hashable, Sendable {
    /// The shields, and the coverage of each of their tokens. If no process looks after the shields, the
    /// report gives for each token the state that the calling process could reach.
    public var coverage: ShieldCoverage
    /// Whether a process looks after the shields now. Without such a process, stopped processes stay stopped,
    /// but programs that start now are not stopped, and no start is denied.
    public var isAttended: Bool
    /// The number of processes that are frozen now with their control group.
    public var frozen: Int
    /// The number of processes that are stopped now by a signal.
    public var signalled: Int
    /// The number of recorded processes that were stopped in another process namespace, such as a container
    /// that shares the store. Only a process of that namespace can continue them.
    public var stoppedElsewhere: Int

    /// Creates a report.
    public init(
        coverage: ShieldCoverage,
        isAttended: Bool,
        frozen: Int,
        signalled: Int,
        stoppedElsewhere: Int = 0
    ) {
        self.coverage = coverage
        self.isAttended = isAttended
        self.frozen = frozen
        self.signalled = signalled
        self.stoppedElsewhere = stoppedElsewhere
    }

    /// The number of processes that are stopped now: frozen with their control group, or stopped by a signal.
    public var stopped: Int { frozen + signalled }
}
