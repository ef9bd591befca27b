internal import TerminalScreens

#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#elseif canImport(Darwin)
internal import Darwin
#endif

/// The person's terminal, put into raw mode and back.
struct GuardedTerminal: Sendable {
    /// Where keys come from.
    let input: Int32 = STDIN_FILENO
    /// Where pictures go.
    let output: Int32 = STDOUT_FILENO
    /// The attributes that standard input had; `nil` when it is no terminal.
    private let settings: termios?
    /// Whether both standard input and standard output are a terminal.
    let isTerminal: Bool

    init() {
        var found = termios()
        let isKnown = unsafe isatty(STDIN_FILENO) == 1 && tcgetattr(STDIN_FILENO, &found) == 0
        settings = isKnown ? found : nil
        isTerminal = isKnown && isatty(STDOUT_FILENO) == 1
    }

    /// Whether standard input is none, whatever standard output is.
    var hasPipedInput: Bool { settings == nil }

    /// The attributes it had; `nil` when it is no terminal.
    var attributes: termios? { isTerminal ? settings : nil }

    /// Whether it obeys no sequences, as the environment says.
    var isDumb: Bool { Self.variable("TERM") == "dumb" }

    /// What it is in, as the environment says; nothing where the output goes into a file or a pipe.
    var around: SurroundingTerminals {
        guard isatty(output) == 1 else { return .none }
        let names = ["TERM", "STY", "TMUX"]
        return SurroundingTerminals(
            environment: Dictionary(uniqueKeysWithValues: names.map { ($0, Self.variable($0)) })
        )
    }

    /// The size; 80×24 where the terminal does not tell it.
    var size: TerminalSize { Self.size(of: output) }

    /// How many cells a row of a terminal has; 80 where the terminal does not tell it.
    static func columns(of descriptor: Int32) -> Int { size(of: descriptor).columns }

    private static func size(of descriptor: Int32) -> TerminalSize {
        var window = winsize()
        guard unsafe ioctl(descriptor, UInt(TIOCGWINSZ), &window) == 0, window.ws_col > 0, window.ws_row > 0
        else {
            return TerminalSize(columns: 80, rows: 24)
        }
        return TerminalSize(columns: Int(window.ws_col), rows: Int(window.ws_row))
    }

    /// What it can show, as the environment says.
    var abilities: TerminalAbilities {
        let locale = ["LC_ALL", "LC_CTYPE", "LANG"].map(Self.variable).first { !$0.isEmpty } ?? ""
        let spelled = locale.lowercased()
        return TerminalAbilities(
            colours: Self.variable("NO_COLOR").isEmpty && !isDumb,
            unicode: spelled.contains("utf-8") || spelled.contains("utf8")
        )
    }

    private static func variable(_ name: String) -> String {
        unsafe getenv(name).map { unsafe String(cString: $0) } ?? ""
    }

    /// Keys come byte by byte, unechoed and without a meaning to the terminal.
    func enterRaw() {
        guard var raw = attributes else { return }
        unsafe cfmakeraw(&raw)
        _ = unsafe tcsetattr(input, TCSANOW, &raw)
    }

    /// Where only standard input is a terminal it keeps its lines, and what is typed for a screen of ours is not shown.
    ///
    /// What was typed before is dropped.
    func setEcho(_ isOn: Bool) {
        guard !isTerminal, var wanted = settings else { return }
        if !isOn { wanted.c_lflag &= ~tcflag_t(ECHO | ECHONL) }
        _ = unsafe tcsetattr(input, TCSAFLUSH, &wanted)
    }

    /// As it was.
    func restore() {
        guard var settings else { return }
        _ = unsafe tcsetattr(input, TCSANOW, &settings)
    }
}
