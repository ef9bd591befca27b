/// What became of every clause of a contract on one adapter: kept, violated, or not asked of it, and why.
///
/// ```swift
/// let report = await ContractReport(of: NotifierContract.self) { clause throws(ContractViolation) in
///     try await clause.check(subject)
/// }
/// print(report)
/// ```
public struct ContractReport: Sendable, CustomStringConvertible {
    /// What became of one clause.
    public enum Outcome: Sendable {
        /// The adapter keeps it.
        case kept
        /// It asks for something that the adapter does not claim to do; why.
        case notApplicable(String)
        /// The adapter does not keep it.
        case violated(ContractViolation)
    }

    /// A clause and what became of it.
    public struct Row: Sendable, CustomStringConvertible {
        /// The clause's id, such as `SS-09`.
        public let id: String
        /// What the clause asks.
        public let prose: String
        /// What became of it.
        public let outcome: Outcome

        /// Id, outcome and, in its place, the prose, the reason or the finding; columns are 5 and 14 characters wide.
        public var description: String {
            let (outcome, text) =
                switch outcome {
                case .kept: ("kept", prose)
                case .notApplicable(let reason): ("does not apply", reason)
                case .violated(let violation): ("NOT KEPT", violation.finding)
                }
            return "\(Self.filled(id, 5))  \(Self.filled(outcome, 14))  \(text)"
        }

        private static func filled(_ text: String, _ width: Int) -> String {
            text + String(repeating: " ", count: max(0, width - text.count))
        }
    }

    /// Every clause, in the contract's order.
    public let rows: [Row]

    /// Whether no clause is violated.
    public var isKept: Bool {
        !rows.contains { if case .violated = $0.outcome { true } else { false } }
    }

    /// The clauses that were not asked of the adapter, with the reasons.
    public var notApplicable: [(id: String, reason: String)] {
        rows.compactMap { row in
            if case .notApplicable(let reason) = row.outcome { (row.id, reason) } else { nil }
        }
    }

    /// Checks every clause of a contract, one after the other.
    ///
    /// - Parameters:
    ///   - contract: the clauses.
    ///   - check: checks one clause, such as with ``NotifierContract/check(_:)``.
    public init<Clause: ContractClause>(
        of contract: Clause.Type = Clause.self,
        check: (Clause) async throws(ContractViolation) -> ContractResult
    ) async {
        var rows: [Row] = []
        for clause in Clause.allCases {
            let outcome: Outcome
            do throws(ContractViolation) {
                switch try await check(clause) {
                case .kept: outcome = .kept
                case .notApplicable(let reason): outcome = .notApplicable(reason)
                }
            } catch {
                outcome = .violated(error)
            }
            rows.append(Row(id: clause.id, prose: clause.prose, outcome: outcome))
        }
        self.rows = rows
    }

    /// A line for each clause.
    public var description: String { rows.map(\.description).joined(separator: "\n") }
}
