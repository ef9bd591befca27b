/// The flags of the kitty keyboard protocol on one screen of the terminal.
struct ProgramKeyboard: Sendable, Hashable {
    /// Terminals bound the stack too.
    private static let deepest = 16

    /// What was set before anything was put on the stack.
    private var base = 0
    /// Innermost last.
    private var stack: [Int] = []

    /// None.
    init() {}

    mutating func push(_ flags: Int) {
        if stack.count >= Self.deepest { stack.removeFirst() }
        stack.append(flags)
    }

    mutating func pop(_ count: Int) {
        // What takes more than there is clears all of it.
        if count > stack.count { base = 0 }
        stack.removeLast(min(stack.count, count))
    }

    /// Changes the innermost flags.
    ///
    /// - Parameters:
    ///   - flags: which.
    ///   - how: 1 for these alone, 2 for these as well, 3 for all but these.
    mutating func set(_ flags: Int, _ how: Int) {
        let old = stack.last ?? base
        let new: Int
        switch how {
        case 1: new = flags
        case 2: new = old | flags
        case 3: new = old & ~flags
        default: return
        }
        if stack.isEmpty { base = new } else { stack[stack.count - 1] = new }
    }

    /// Switches them off.
    var undo: String {
        (stack.isEmpty ? "" : "\u{1B}[<\(stack.count)u") + (base == 0 ? "" : Self.off)
    }

    /// Gives the terminal what the program had.
    var redo: String {
        (base == 0 ? "" : "\u{1B}[=\(base);1u") + stack.map { "\u{1B}[>\($0)u" }.joined()
    }

    /// No flags, whatever they were.
    static let off = "\u{1B}[=0;1u"
}
