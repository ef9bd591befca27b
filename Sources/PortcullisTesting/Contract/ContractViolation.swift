/// A clause of a contract that an adapter does not keep.
public struct ContractViolation: Error, Sendable, CustomStringConvertible {
    /// The clause's id, such as `SS-09`.
    public let clause: String
    /// What the clause asks.
    public let prose: String
    /// What was seen instead.
    public let finding: String

    /// A violation of a clause.
    public init(clause: String, prose: String, finding: String) {
        self.clause = clause
        self.prose = prose
        self.finding = finding
    }

    /// Id, prose and finding on one line.
    public var description: String { "\(clause) (\(prose)): \(finding)" }
}

/// What became of a clause that was not violated.
public enum ContractResult: Hashable, Sendable {
    /// The adapter keeps it.
    case kept
    /// It asks for something that the adapter does not claim to do; why.
    case notApplicable(String)
}

/// A clause of a port's contract: one of a list that can be gone through.
///
/// How it is checked is up to each contract, because each has a subject of its own: see its `check(_:)`, such as
/// ``SecretStoreContract/check(_:)``.
public protocol ContractClause: CaseIterable, CustomStringConvertible, RawRepresentable, Sendable
where RawValue == String {
    /// What the clause asks, in one sentence.
    var prose: String { get }
}

extension ContractClause {
    /// The clause's id, such as `SS-09`; it stays when clauses are added.
    public var id: String { rawValue }

    /// Id and prose, as a test run shows them.
    public var description: String { "\(id) \(prose)" }

    func violation(_ finding: String) -> ContractViolation {
        ContractViolation(clause: id, prose: prose, finding: finding)
    }

    /// Runs what checks the clause, and says of all that it throws which clause that stands for.
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

/// What a check found to be wrong, before it is known which clause it stands for.
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
