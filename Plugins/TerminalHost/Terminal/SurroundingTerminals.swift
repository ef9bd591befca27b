/// The multiplexers around the program, found from the environment. This type wraps sequences so that they
/// pass through the multiplexers.
///
/// GNU screen and tmux pass parts of the output on to the surrounding terminal when asked to. A sequence that
/// a program began in the surrounding terminal can be ended only by output to that terminal. Output to the
/// multiplexer itself does not end it.
struct SurroundingTerminals: Sendable, Hashable {
    private enum Multiplexer: Sendable, Hashable {
        case screen
        case tmux

        /// Wraps a text so that the multiplexer passes it on to the terminal around it.
        ///
        /// GNU screen ends its string at the first ST. So the two characters of an ST in the text, ESC and
        /// `\`, are put into two strings. tmux expects each ESC twice, and passes a text on only if its
        /// option `allow-passthrough` is set.
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

    /// The possible orders of the multiplexers, from the innermost outwards. If the order is unknown, there
    /// are several orders.
    private let orders: [[Multiplexer]]

    /// Finds the multiplexers from `STY`, `TMUX` and `TERM`. Over SSH only `TERM` is passed on. If `STY` or
    /// `TMUX` is also set, `TERM` can show that there is a second multiplexer, or which multiplexer is the
    /// inner one.
    init(environment: [String: String]) {
        let term = environment["TERM"] ?? ""
        let isInTmux = !(environment["TMUX"] ?? "").isEmpty
        let hasScreen = !(environment["STY"] ?? "").isEmpty || !isInTmux && term.hasPrefix("screen")
        orders =
            switch (hasScreen, isInTmux || term.hasPrefix("tmux")) {
            case (false, false): []
            // A multiplexer may run inside another one of the same kind, and the environment does not show
            // this. So a single multiplexer is listed twice.
            case (true, false): [[.screen, .screen]]
            case (false, true): [[.tmux, .tmux]]
            case (true, true) where term.hasPrefix("tmux"): [[.tmux, .screen]]
            case (true, true) where term.hasPrefix("screen."): [[.screen, .tmux]]
            case (true, true): [[.tmux, .screen], [.screen, .tmux]]
            }
    }

    /// Whether one of the multiplexers is GNU screen.
    var hasScreen: Bool { orders.contains { $0.contains(.screen) } }

    /// Wraps a text for all terminals around the innermost one; empty without a multiplexer.
    ///
    /// A terminal that is no multiplexer reads the wrapping as a string that it does not know, and ignores
    /// it.
    ///
    /// If the order of two multiplexers is unknown, the text is wrapped for both orders. With the wrong
    /// order, GNU screen gets a string that is meant for tmux. GNU screen removes the string's start (ESC P),
    /// and passes the rest on to the terminal around it. That terminal would show the letters of the rest and
    /// move the cursor. So a string (ESC _) is begun in that terminal first, and the rest becomes a part of
    /// it.
    ///
    /// The wrong order may also leave a string open. So SI and ST are sent after the text, and the ST ends
    /// the string. The SI separates the ESC of the ST from an earlier ESC, because tmux reads two ESC in a
    /// row as a single ESC of text.
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
