public import PortcullisCore

/// How things stand, as a look at the record and the machine shows it.
public struct ShieldReport: Hashable, Sendable {
    /// The shields that are up, and what each of their tokens comes to. Where no process looks after the shields, the states
    /// are those that the process which asks would give them.
    public var coverage: ShieldCoverage
    /// Whether a process looks after the shields now. Where none does, what was stopped stays so, and no process stops or
    /// denies what starts.
    public var isAttended: Bool
    /// How many processes are frozen now with their control group.
    public var frozen: Int
    /// How many processes are stopped now by a signal.
    public var signalled: Int

    /// A report of these parts.
    public init(coverage: ShieldCoverage, isAttended: Bool, frozen: Int, signalled: Int) {
        self.coverage = coverage
        self.isAttended = isAttended
        self.frozen = frozen
        self.signalled = signalled
    }

    /// How many processes are stopped now, one way or the other.
    public var stopped: Int { frozen + signalled }
}
