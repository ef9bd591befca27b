#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

/// What a run's clients saw, as lines of JSON, and what is wrong with it.
public struct FleetHistory: Sendable {
    private struct Line: Decodable {
        /// `write`, `read`, `try`, `count` or `use`.
        var kind: String
        /// The account, or the code.
        var subject: String
        var begin: Int64
        var end: Int64?
        /// What was written or read.
        var value: String?
        /// The number that a try was told, or the last count.
        var number: Int?
        /// Whether a use was let pass.
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

    /// All that is wrong, each with what it is about.
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

    /// A line that is none of a history.
    public struct BadLine: Error, CustomStringConvertible {
        /// Which line, from 1 on.
        public let number: Int

        /// Where it is.
        public var description: String { "line \(number) is none of a history" }
    }
}
