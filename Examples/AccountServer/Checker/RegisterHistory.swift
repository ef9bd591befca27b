/// Acts on one value that is written and read as a whole, such as an account's revision.
///
/// The history is right if the acts can be put into an order with two properties: each read gives the value
/// of the last write before it, and each act lies between its begin and its end. This is linearizability
/// (Herlihy and Wing, *Linearizability: A Correctness Condition for Concurrent Objects*, 1990). The search is
/// that of Wing and Gong. It skips positions that it has seen before (Lowe, *Testing for Linearizability*,
/// 2017). Each value is written at most once.
public struct RegisterHistory: Sendable {
    /// An act on the value.
    public enum Act: Sendable, Hashable {
        /// A write of this value. Without an end the write may not have taken place.
        case write(String)
        /// A read of this value; `nil` if there was no value.
        case read(String?)
    }

    private let operations: [Operation<Act>]

    /// Makes a history. The acts may be in any order. Reads without an end say nothing and are left out. A
    /// write without an end is left out if no read gave its value, because the history also fits without this
    /// write.
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

    /// A position of the search. All acts before the index `first` are done, and so are the later acts in
    /// `done`.
    private struct Position: Hashable {
        var first = 0
        var done: Set<Int> = []
        var value: String?
    }

    /// Returns the violation; `nil` if an order fits.
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
        // If an act that is not done yet has ended before another act began, the other act is no candidate.
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
