/// A fault of one line, as text that is put around a piece of a source file.
///
/// The text never has a line break, so what the compiler says of a line of the changed file is about the same line of the
/// file as it was.
public struct Fault: Sendable, Hashable {
    /// What is done to a piece of code.
    public enum Kind: String, Sendable, CaseIterable {
        case comparison = "comparison's boundary"
        case equality = "equality"
        case logic = "and/or"
        case arithmetic = "arithmetic"
        case literal = "literal"
        case negation = "condition negated"
        case answer = "answer negated"
        case skippedBranch = "branch not taken"
        case skippedGuard = "guard let through"
        case removedCall = "call removed"
        case removedAssignment = "assignment removed"
        case removedDefer = "defer removed"
        case nothing = "nil returned"
        case fallback = "fallback taken"
        case extreme = "min/max"
        case end = "first/last"
        case range = "range one longer"
        case jump = "continue/break"
    }

    /// The file, relative to the root of the package.
    public let path: String
    /// Where the piece begins, counted from 1.
    public let line: Int
    /// Where the piece ends.
    public let lastLine: Int
    /// The piece, in UTF-8 bytes of the file; empty where the text is only put in.
    public let range: Range<Int>
    /// What is done to the piece.
    public let kind: Kind
    /// The piece as it stands in the file.
    public let before: String
    /// The piece as it is with the fault, or what happens to it.
    public let after: String
    /// What stands before the piece; ``isOn`` in it stands for the question whether the fault is switched on.
    let opening: String
    /// What stands after the piece.
    let closing: String

    /// Stands in ``opening`` and ``closing`` for the call that asks whether the fault is switched on.
    static let isOn = "\u{0}"

    /// Whether one of the two could hide the other, or be taken for it by the compiler's messages.
    func touches(_ other: Fault) -> Bool {
        path == other.path && line <= other.lastLine && other.line <= lastLine
    }
}
