/// Uses of things that are good once, such as mailed codes.
public struct UseHistory: Sendable {
    /// A use of one of them, and whether it was let pass.
    public struct Use: Sendable, Hashable {
        /// Which one.
        public var name: String
        /// Whether it was let pass.
        public var isAccepted: Bool

        /// A use.
        public init(_ name: String, isAccepted: Bool) { (self.name, self.isAccepted) = (name, isAccepted) }
    }

    private let uses: [Operation<Use>]

    /// A history. A use without an end is one whose outcome is not known.
    public init(_ uses: [Operation<Use>]) { self.uses = uses }

    /// All that is wrong: each name that was let pass more than once.
    public func violations() -> [Violation] {
        var accepted: [String: Int] = [:]
        for operation in uses where operation.end != nil && operation.act.isAccepted {
            accepted[operation.act.name, default: 0] += 1
        }
        return accepted.filter { $0.value > 1 }.sorted { $0.key < $1.key }.map {
            Violation("\($0.key) was used \($0.value) times")
        }
    }
}
