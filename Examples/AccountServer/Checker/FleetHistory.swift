#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

/// The history of a run: the acts of its clients, as lines of JSON.
public struct FleetHistory: Sendable {
    private struct Line: Decodable {
        /// `write`, `read`, `try`, `count` or `use`.
        var kind: String
        /// The account, or the code.
        var subject: String
        var begin: Int64
        var end: Int64?
        /// The value that was written or read.
        var value: String?
        /// The count that a try was told, or the final count.
        var number: Int?
        /// Whether the server accepted a use.
        var isAccepted: Bool?
    }

    private var registers: [String: [Operation<RegisterHistory.Act>]] = [:]
    private var tries: [String: [Operation<Int?>]] = [:]
    private var counts: [String: Int] = [:]
    private var uses: [Operation<UseHistory.Use>] = []
    /// How many acts there are, and how many of them have a known outcome.
    public private(set) var size = (acts: 0, known: 0)

    /// Reads lines of JSON.
    ///
    /// - Throws: ``BadLine`` for a line that cannot be understood.
    public init(lines: some Sequence<Substring>) throws(BadLine) {
        for (number, text) in lines.enumerated() where !text.isEmpty {
            guard let line = try? JSONDecoder().decode(Line.self, from: Data(text.utf8)), add(line) else {
                throw BadLine(number: number + 1)
            }
            size.acts += 1
            size.known += line.end == nil ? 0 : 1
        }
    }

    private mutating func add(_ line: Line) -> Bool {
        switch line.kind {
        case "write":
            guard let value = line.value else { return false }
            registers[line.subject, default: []].append(
                .init(.write(value), begin: line.begin, end: line.end)
            )
        case "read":
            registers[line.subject, default: []].append(
                .init(.read(line.value), begin: line.begin, end: line.end)
            )
        case "try":
            tries[line.subject, default: []].append(.init(line.number, begin: line.begin, end: line.end))
        case "count":
            guard let number = line.number else { return false }
            counts[line.subject] = number
        case "use":
            let use = UseHistory.Use(line.subject, isAccepted: line.isAccepted ?? false)
            uses.append(.init(use, begin: line.begin, end: line.end))
        default: return false
        }
        return true
    }

    /// All violations. Each names its subject.
    public func violations() -> [Violation] {
        var found: [Violation] = []
        for (subject, operations) in registers.sorted(by: { $0.key < $1.key }) {
            if let violation = RegisterHistory(operations).violation() {
                found.append(Violation("\(subject): \(violation)"))
            }
        }
        for (subject, operations) in tries.sorted(by: { $0.key < $1.key }) {
            let history = CountHistory(operations, final: counts[subject])
            found += history.violations().map { Violation("\(subject): \($0)") }
        }
        return found + UseHistory(uses).violations()
    }

    /// The error for a line that does not belong to a history.
    public struct BadLine: Error, CustomStringConvertible {
        /// The number of the line. The first line has the number 1.
        public let number: Int

        /// The error as a text with the line's number.
        public var description: String { "line \(number) is none of a history" }
    }
}
