/// An error for a clause that an adapter violates.
public struct ContractViolation: Error, Sendable, CustomStringConvertible {
    /// The clause's id, such as `SS-09`.
    public let clause: String
    /// The clause's requirement in one sentence.
    public let prose: String
    /// The behaviour that the check found instead.
    public let finding: String

    /// Makes a violation of a clause.
    public init(clause: String, prose: String, finding: String) {
        self.clause = clause
        self.prose = prose
        self.finding = finding
    }

    /// The id, prose and finding on one line.
    public var description: String { "\(clause) (\(prose)): \(finding)" }
}

/// The result of a clause that was not violated.
public enum ContractResult: Hashable, Sendable {
    /// The adapter keeps the clause.
    case kept
    /// The clause does not apply to the adapter. The text is the reason.
    case notApplicable(String)
}

/// A clause of a port's contract. A conforming type is an enumeration of all clauses of one contract.
///
/// The protocol has no `check(_:)`, because each contract has its own type of subject. Each contract
/// therefore has its own function, such as ``SecretStoreContract/check(_:)``.
public protocol ContractClause: CaseIterable, CustomStringConvertible, RawRepresentable, Sendable
where RawValue == String {
    /// The clause's requirement in one sentence.
    var prose: String { get }
}

extension ContractClause {
    /// The clause's id, such as `SS-09`. It does not change when clauses are added.
    public var id: String { rawValue }

    /// The id and the prose, for the output of a test run.
    public var description: String { "\(id) \(prose)" }

    func violation(_ finding: String) -> ContractViolation {
        ContractViolation(clause: id, prose: prose, finding: finding)
    }

    /// Runs the check of the clause. Every error that the check throws becomes a violation of this clause.
    func judge(_ check: () async throws -> ContractResult) async throws(ContractViolation) -> ContractResult {
        do {
            return try await check()
        } catch let finding as Finding {
            throw violation(finding.text)
        } catch {
            throw violation("an unexpected error: \(error)")
        }
    }
}

/// An error that a check throws when the adapter violates the clause. It contains only the finding;
/// ``ContractClause/judge(_:)`` adds the clause.
struct Finding: Error {
    let text: String
    init(_ text: String) { self.text = text }
}

func require(_ holds: Bool, _ finding: @autoclosure () -> String) throws(Finding) {
    if !holds { throw Finding(finding()) }
}

func requireEqual<Value: Equatable>(_ seen: Value, _ expected: Value, _ what: String) throws(Finding) {
    if seen != expected { throw Finding("\(what): expected \(expected), was \(seen)") }
}
