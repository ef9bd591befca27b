/// The multiplexers around the program, as the environment tells them, and how sequences get past them.
///
/// GNU screen and tmux hand parts of the output on to the terminal around them when they are asked to. What a program
/// began there is ended there only: what is written to the multiplexer itself ends it not.
struct SurroundingTerminals: Sendable, Hashable {
    private enum Multiplexer: Sendable, Hashable {
        case screen
        case tmux

        /// A text as the terminal around this one gets it.
        ///
        /// GNU screen ends its string with the first ST: ESC and the character behind it go in two strings. tmux
        /// takes each ESC twice, and hands nothing on unless its `allow-passthrough` is set.
        func passOn(_ text: String) -> String {
            switch self {
            case .screen:
                "\u{1B}P" + text.replacing("\u{1B}\\", with: "\u{1B}\u{1B}\\\u{1B}P\\") + "\u{1B}\\"
            case .tmux:
                "\u{1B}Ptmux;" + text.replacing("\u{1B}", with: "\u{1B}\u{1B}") + "\u{1B}\\"
            }
        }
    }

    /// No multiplexer.
    static let none = SurroundingTerminals(environment: [:])

    /// The multiplexers from the inner one outwards; more than one order where it is not told which is around which.
    private let orders: [[Multiplexer]]

    /// What these variables tell: `STY` and `TMUX`, and `TERM` where they did not come along, as over SSH.
    init(environment: [String: String]) {
        let term = environment["TERM"] ?? ""
        let isInTmux = !(environment["TMUX"] ?? "").isEmpty
        let hasScreen = !(environment["STY"] ?? "").isEmpty || !isInTmux && term.hasPrefix("screen")
        orders =
            switch (hasScreen, isInTmux || term.hasPrefix("tmux")) {
            case (false, false): []
            // There may be two of a kind.
            case (true, false): [[.screen, .screen]]
            case (false, true): [[.tmux, .tmux]]
            case (true, true) where term.hasPrefix("tmux"): [[.tmux, .screen]]
            case (true, true) where term.hasPrefix("screen."): [[.screen, .tmux]]
            case (true, true): [[.tmux, .screen], [.screen, .tmux]]
            }
    }

    /// Whether there is a GNU screen.
    var hasScreen: Bool { orders.contains { $0.contains(.screen) } }

    /// A text for the terminals around the innermost one; empty where there is none.
    ///
    /// A terminal that it reaches though it is no multiplexer takes what is for one for a string that it does not know.
    ///
    /// The wrong one of two orders reaches the terminal around a GNU screen without the beginning of its string, and begins
    /// with letters, which would be shown and move the cursor. So a string is begun there before. What the wrong order leaves
    /// open there is ended before anything else comes: with an ESC behind what is none, because tmux takes two in a row
    /// for one that is text.
    func passOn(_ text: String) -> String {
        let isOneOrder = orders.count == 1
        let end = Multiplexer.screen.passOn("\u{F}\u{1B}\\")
        return orders.map { order in
            let texts = order.indices.map { depth in
                order[...depth].reversed().reduce(text) { $1.passOn($0) }
            }
            if isOneOrder { return texts.joined() }
            let begin = order.first == .tmux ? Multiplexer.screen.passOn("\u{1B}_") : ""
            return texts.map { begin + $0 + end }.joined()
        }.joined()
    }
}
