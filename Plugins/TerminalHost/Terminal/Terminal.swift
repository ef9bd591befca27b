public import TerminalScreens

#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#elseif canImport(Darwin)
internal import Darwin
#endif

/// A person's terminal, put into raw mode and back; or what stands for one, such as a pipe.
public struct Terminal: Sendable {
    /// Where keys come from.
    public let input: Int32
    /// Where pictures go.
    public let output: Int32
    /// The attributes that the input had; `nil` when it is no terminal.
    private let settings: termios?
    /// Whether both input and output are a terminal.
    public let isTerminal: Bool
    private let environment: ProcessVariables

    /// The terminal of two descriptors, which stay open for as long as it is used, and are not closed.
    ///
    /// The attributes that it has now are those that ``restore()`` gives back.
    ///
    /// - Parameters:
    ///   - input: where keys come from; standard input if not given.
    ///   - output: where pictures go; standard output if not given.
    ///   - environment: says what it can show, and what it is in: `TERM`, `LANG` and its kin, `NO_COLOR`, `TMUX`, `STY`;
    ///     `nil`: this process's.
    public init(
        input: Int32 = 0,
        output: Int32 = 1,
        environment: [String: String]? = nil
    ) {
        self.input = input
        self.output = output
        self.environment = ProcessVariables(environment)
        var found = termios()
        let isKnown = unsafe isatty(input) == 1 && tcgetattr(input, &found) == 0
        settings = isKnown ? found : nil
        isTerminal = isKnown && isatty(output) == 1
    }

    /// Whether the input is no terminal, whatever the output is.
    public var hasPipedInput: Bool { settings == nil }

    /// The attributes it had; `nil` when it is no terminal.
    var attributes: termios? { isTerminal ? settings : nil }

    /// Whether it obeys no sequences, as the environment says (`TERM=dumb`).
    public var isDumb: Bool { environment["TERM"] == "dumb" }

    /// What it is in, as the environment says; nothing where the output goes into a file or a pipe.
    var around: SurroundingTerminals {
        guard isatty(output) == 1 else { return .none }
        let names = ["TERM", "STY", "TMUX"]
        return SurroundingTerminals(
            environment: Dictionary(uniqueKeysWithValues: names.map { ($0, environment[$0]) })
        )
    }

    /// The size; 80×24 where the terminal does not tell it.
    public var size: TerminalSize {
        var window = winsize()
        guard unsafe ioctl(output, UInt(TIOCGWINSZ), &window) == 0, window.ws_col > 0, window.ws_row > 0
        else {
            return TerminalSize(columns: 80, rows: 24)
        }
        return TerminalSize(columns: Int(window.ws_col), rows: Int(window.ws_row))
    }

    /// What it can show, as the environment says: colours unless `NO_COLOR` is set, and UTF-8.
    public var abilities: TerminalAbilities {
        let locale = ["LC_ALL", "LC_CTYPE", "LANG"].map { environment[$0] }.first { !$0.isEmpty } ?? ""
        let spelled = locale.lowercased()
        return TerminalAbilities(
            colours: environment["NO_COLOR"].isEmpty && !isDumb,
            unicode: spelled.contains("utf-8") || spelled.contains("utf8")
        )
    }

    /// Keys come byte by byte, unechoed and without a meaning to the terminal, until ``restore()``.
    ///
    /// Does nothing where input or output is no terminal.
    public func enterRaw() {
        guard var raw = attributes else { return }
        unsafe cfmakeraw(&raw)
        _ = unsafe tcsetattr(input, TCSANOW, &raw)
    }

    /// Where only the input is a terminal it keeps its lines, and what is typed for a screen of ours is not shown.
    ///
    /// What was typed before is dropped.
    func setEcho(_ isOn: Bool) {
        guard !isTerminal, var wanted = settings else { return }
        if !isOn { wanted.c_lflag &= ~tcflag_t(ECHO | ECHONL) }
        _ = unsafe tcsetattr(input, TCSAFLUSH, &wanted)
    }

    /// Gives the input the attributes back that it had at first.
    public func restore() {
        guard var settings else { return }
        _ = unsafe tcsetattr(input, TCSANOW, &settings)
    }
}
