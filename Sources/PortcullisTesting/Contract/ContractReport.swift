/// The result of each clause of a contract for one adapter: kept, violated or not applicable, with the
/// reason.
///
/// ```swift
/// let report = await ContractReport(of: NotifierContract.self) { clause throws(ContractViolation) in
///     try await clause.check(subject)
/// }
/// print(report)
/// ```
public struct ContractReport: Sendable, CustomStringConvertible {
    /// The result of one clause.
    public enum Outcome: Sendable {
        /// The adapter keeps the clause.
        case kept
        /// The clause does not apply to the adapter. The text is the reason.
        case notApplicable(String)
        /// The adapter violates the clause.
        case violated(ContractViolation)
    }

    /// A clause and its result.
    public struct Row: Sendable, CustomStringConvertible {
        /// The clause's id, such as `SS-09`.
        public let id: String
        /// The clause's requirement in one sentence.
        public let prose: String
        /// The clause's result.
        public let outcome: Outcome

        /// The id, the result and a text. Blanks fill the id to 5 characters and the result to 14.
        ///
        /// The text is the prose of a kept clause, the finding of a violated clause, or the reason why the
        /// clause does not apply.
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

    /// All clauses in the contract's order.
    public let rows: [Row]

    /// Whether no clause is violated.
    public var isKept: Bool {
        !rows.contains { if case .violated = $0.outcome { true } else { false } }
    }

    /// The clauses that do not apply to the adapter, with the reasons.
    public var notApplicable: [(id: String, reason: String)] {
        rows.compactMap { row in
            if case .notApplicable(let reason) = row.outcome { (row.id, reason) } else { nil }
        }
    }

    /// Checks all clauses of a contract, one after the other.
    ///
    /// - Parameters:
    ///   - contract: the clauses.
    ///   - check: checks one clause, for example by ``NotifierContract/check(_:)``.
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

    /// One line for each clause.
    public var description: String { rows.map(\.description).joined(separator: "\n") }
}
