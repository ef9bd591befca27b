/// Tries that a server counts, such as wrong passcodes in a row. The answer to each try tells the new count.
public struct CountHistory: Sendable {
    private let tries: [Operation<Int?>]
    private let final: Int?

    /// Makes a history.
    ///
    /// - Parameters:
    ///   - tries: the tries, each with the count in its answer; `nil` without such an answer.
    ///   - final: the count that was read after all tries were over; `nil` if it is not known.
    public init(_ tries: [Operation<Int?>], final: Int?) {
        self.tries = tries.sorted { $0.begin < $1.begin }
        self.final = final
    }

    /// All violations: a count that two tries were told, a count that fell, a count above the number of
    /// tries, and a final count below the number of answered tries.
    public func violations() -> [Violation] {
        var found: [Violation] = []
        var told: [Int: Int] = [:]
        for operation in tries { if let number = operation.act { told[number, default: 0] += 1 } }
        for (number, times) in told.sorted(by: { $0.key < $1.key }) where times > 1 {
            found.append(Violation("the number \(number) was told \(times) times: a try was not counted"))
        }
        found += order()
        for operation in tries {
            guard let number = operation.act, let end = operation.end else { continue }
            let begun = tries.count { $0.begin <= end }
            if number > begun {
                found.append(Violation("\(begun) tries had begun, and one was told \(number)"))
            }
        }
        let known = told.values.reduce(0, +)
        if let final {
            if final < known { found.append(Violation("\(known) tries were told, and \(final) are counted")) }
            if final > tries.count {
                found.append(Violation("there were \(tries.count) tries, and \(final) are counted"))
            }
        }
        return found
    }

    /// The violations of one rule: a try that begins after another one is over is told a higher count.
    private func order() -> [Violation] {
        var found: [Violation] = []
        let over = tries.filter { $0.act != nil && $0.end != nil }.sorted { ($0.end ?? 0) < ($1.end ?? 0) }
        var (index, highest) = (0, 0)
        for operation in tries {
            guard let number = operation.act else { continue }
            while index < over.count, over[index].precedes(operation) {
                highest = max(highest, over[index].act ?? 0)
                index += 1
            }
            if number <= highest {
                found.append(Violation("a try was told \(number) after another one had been told \(highest)"))
            }
        }
        return found
    }
}
