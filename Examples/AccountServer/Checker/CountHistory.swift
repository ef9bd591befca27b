/// Tries that are counted up, each of which is told its number, such as wrong passcodes in a row.
public struct CountHistory: Sendable {
    private let tries: [Operation<Int?>]
    private let final: Int?

    /// A history.
    ///
    /// - Parameters:
    ///   - tries: the number that each was told; `nil` where it was not.
    ///   - final: the count after the last one, read when all were over; `nil`: it is not known.
    public init(_ tries: [Operation<Int?>], final: Int?) {
        self.tries = tries.sorted { $0.begin < $1.begin }
        self.final = final
    }

    /// All that is wrong: a number that was told twice or fell, a count that there were not enough tries for, or that holds
    /// fewer than were told.
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

    /// A later try is told a higher number than one that was over before it began.
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
