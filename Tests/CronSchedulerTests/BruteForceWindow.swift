import Foundation

/// All fires of an expression in a few days, found by going through them as S-2 tells it.
///
/// The offsets are a parameter: what a zone says of any second, and nothing about when it changes.
struct PlainWindow {
    /// The fires, in order.
    private(set) var fires: [Int] = []
    /// The seconds at which the offset changes.
    private(set) var changes: [Int] = []
    /// Which seconds can be asked about: not so early that what came before the window matters.
    let valid: Range<Int>

    private let expression: PlainExpression
    private var done: Set<Int> = []

    /// - Parameter offset: seconds to add to UTC at a second; its changes are 20 minutes apart or more.
    init(_ expression: PlainExpression, around second: Int, offset: (Int) -> Int) {
        let day = 86_400
        let all = (second - 4 * day)..<(second + 3 * day)
        self.expression = expression
        valid = (second - 2 * day)..<all.upperBound
        var previous: (end: Int, offset: Int)?
        for piece in Self.pieces(all, offset: offset) {
            if let previous { changes.append(previous.end) }
            let shown = (piece.range.lowerBound + piece.offset)..<(piece.range.upperBound + piece.offset)
            if expression.isElapsed {
                walls(shown) { wall, window in window.fires.append(wall - piece.offset) }
            } else {
                // What the change skips is due at the gap's end.
                if let previous, previous.end + previous.offset < shown.lowerBound {
                    walls((previous.end + previous.offset)..<shown.lowerBound) { wall, window in
                        window.fire(wall, at: piece.range.lowerBound)
                    }
                }
                walls(shown) { wall, window in window.fire(wall, at: wall - piece.offset) }
            }
            previous = (piece.range.upperBound, piece.offset)
        }
    }

    /// A wall time fires once; several of one gap fire together.
    private mutating func fire(_ wall: Int, at second: Int) {
        if done.insert(wall).inserted, fires.last != second { fires.append(second) }
    }

    /// Stretches with one offset, found by asking every 20 minutes and looking closer where the answer is another.
    private static func pieces(
        _ range: Range<Int>,
        offset: (Int) -> Int
    ) -> [(range: Range<Int>, offset: Int)] {
        var pieces: [(range: Range<Int>, offset: Int)] = []
        var start = range.lowerBound
        var current = offset(start)
        for second in stride(from: range.lowerBound, through: range.upperBound, by: 1_200) {
            let found = offset(second)
            guard found != current else { continue }
            var (before, after) = (second - 1_200, second)
            while after - before > 1 {
                let middle = (before + after) / 2
                if offset(middle) == current { before = middle } else { after = middle }
            }
            pieces.append((start..<after, current))
            (start, current) = (after, found)
        }
        return pieces + [(start..<range.upperBound, current)]
    }

    /// Visits the local times that the expression names.
    private mutating func walls(_ range: Range<Int>, _ visit: (Int, inout PlainWindow) -> Void) {
        var wall = range.lowerBound
        while wall < range.upperBound {
            let time = ((wall % 86_400) + 86_400) % 86_400
            if !matches(day: (wall - time) / 86_400) {
                wall += 86_400 - time
            } else if expression.matches(time: time) {
                visit(wall, &self)
                wall += 1
            } else {
                wall += expression.hasSeconds ? 1 : 60 - time % 60
            }
        }
    }

    private var days: [Int: Bool] = [:]

    private mutating func matches(day: Int) -> Bool {
        if let known = days[day] { return known }
        let answer = expression.matches(PlainDate(number: day))
        days[day] = answer
        return answer
    }

    /// The first fire after a second, if it lies in the window.
    func next(after second: Int) -> Int? { fires.first { $0 > second } }

    /// The last fire before a second, if it lies in the window.
    func previous(before second: Int) -> Int? {
        fires.last { $0 < second }.flatMap { $0 >= valid.lowerBound ? $0 : nil }
    }
}
