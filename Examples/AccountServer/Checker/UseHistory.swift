/// Uses of things that may be used only once, such as mailed codes.
public struct UseHistory: Sendable {
    /// A use of one of these things, and whether the server accepted it.
    public struct Use: Sendable, Hashable {
        /// The name of the thing that was used.
        public var name: String
        /// Whether the server accepted the use.
        public var isAccepted: Bool

        /// Makes a use.
        public init(_ name: String, isAccepted: Bool) { (self.name, self.isAccepted) = (name, isAccepted) }
    }

    private let uses: [Operation<Use>]

    /// Makes a history. The outcome of a use without an end is not known.
    public init(_ uses: [Operation<Use>]) { self.uses = uses }

    /// All violations: each name whose use was accepted more than once.
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
