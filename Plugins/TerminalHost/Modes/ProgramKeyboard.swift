/// The flags of the kitty keyboard protocol on one screen of the terminal.
struct ProgramKeyboard: Sendable, Hashable {
    /// The greatest depth of the stack. Terminals have such a limit too.
    private static let deepest = 16

    /// The flags that apply while the stack is empty.
    private var base = 0
    /// The stack of flags, with the latest at the end.
    private var stack: [Int] = []

    /// Creates a stack without flags.
    init() {}

    mutating func push(_ flags: Int) {
        if stack.count >= Self.deepest { stack.removeFirst() }
        stack.append(flags)
    }

    mutating func pop(_ count: Int) {
        // If the program pops more entries than are on the stack, the base flags are cleared too.
        if count > stack.count { base = 0 }
        stack.removeLast(min(stack.count, count))
    }

    /// Changes the latest flags.
    ///
    /// - Parameters:
    ///   - flags: the flags to change.
    ///   - how: 1 sets exactly these flags, 2 adds them, 3 removes them.
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

    /// The sequences that switch the flags off.
    var undo: String {
        (stack.isEmpty ? "" : "\u{1B}[<\(stack.count)u") + (base == 0 ? "" : Self.off)
    }

    /// The sequences that set the program's flags again.
    var redo: String {
        (base == 0 ? "" : "\u{1B}[=\(base);1u") + stack.map { "\u{1B}[>\($0)u" }.joined()
    }

    /// The sequence that switches all flags off.
    static let off = "\u{1B}[=0;1u"
}
