/// Acts on one value that is written and read as a whole, such as an account's revision.
///
/// It is right when the acts have an order in which each read gives what was written last, and which no act leaves the time
/// between its begin and end for: linearizability (Herlihy and Wing, *Linearizability: A Correctness Condition for Concurrent
/// Objects*, 1990). The search is that of Wing and Gong, with what was seen before left out (Lowe, *Testing for
/// Linearizability*, 2017). Each value is written once at most.
public struct RegisterHistory: Sendable {
    /// An act on the value.
    public enum Act: Sendable, Hashable {
        /// This was written, or may have been.
        case write(String)
        /// This was read; `nil`: nothing was there.
        case read(String?)
    }

    private let operations: [Operation<Act>]

    /// A history, in any order. Reads without an end say nothing and are left out, and so are writes without an end whose value
    /// no read gave: that they were not made fits as well.
    public init(_ operations: [Operation<Act>]) {
        let read = Set(
            operations.compactMap { operation -> String? in
                if case .read(let value) = operation.act, operation.end != nil { value } else { nil }
            }
        )
        self.operations =
            operations.filter { operation in
                guard operation.end == nil else { return true }
                if case .write(let value) = operation.act { return read.contains(value) }
                return false
            }.sorted { $0.begin < $1.begin }
    }

    /// How far a search has got: all acts before the first are done, and these after it.
    private struct Position: Hashable {
        var first = 0
        var done: Set<Int> = []
        var value: String?
    }

    /// What is wrong; `nil` where an order fits.
    public func violation() -> Violation? {
        var seen: Set<Position> = [Position()]
        var waiting = [Position()]
        var furthest = 0
        while let position = waiting.popLast() {
            if isOver(position) { return nil }
            furthest = max(furthest, position.first + position.done.count)
            for next in successors(of: position) where seen.insert(next).inserted { waiting.append(next) }
        }
        return Violation(
            "no order of the acts fits: the longest that does has \(furthest) of \(operations.count)"
        )
    }

    private func isOver(_ position: Position) -> Bool {
        (position.first..<operations.count).allSatisfy {
            position.done.contains($0) || operations[$0].end == nil
        }
    }

    private func successors(of position: Position) -> [Position] {
        // What began after the end of one that is not done yet comes after that one.
        var (bound, candidates) = (Int64.max, [Int]())
        for index in position.first..<operations.count {
            let operation = operations[index]
            if operation.begin > bound { break }
            guard !position.done.contains(index) else { continue }
            candidates.append(index)
            bound = min(bound, operation.end ?? .max)
        }
        return candidates.compactMap { index in
            guard operations[index].begin <= bound else { return nil }
            var next = position
            switch operations[index].act {
            case .read(let value): guard value == position.value else { return nil }
            case .write(let value): next.value = value
            }
            next.done.insert(index)
            while next.done.remove(next.first) != nil { next.first += 1 }
            return next
        }
    }
}
