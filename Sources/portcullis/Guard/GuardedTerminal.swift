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
    /// The attributes it had; `nil` when it is no terminal.
    let attributes: termios?

    init() {
        var found = termios()
        let isTerminal = isatty(STDIN_FILENO) == 1 && isatty(STDOUT_FILENO) == 1
        let isKnown = unsafe tcgetattr(STDIN_FILENO, &found) == 0
        attributes = isTerminal && isKnown ? found : nil
    }

    var isTerminal: Bool { attributes != nil }

    /// Whether it obeys no sequences, as the environment says.
    var isDumb: Bool { Self.variable("TERM") == "dumb" }

    /// The size; 80×24 where nobody knows.
    var size: TerminalSize { Self.size(of: output) }

    /// How many cells a row of a terminal has; 80 where nobody knows.
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

    /// As it was.
    func restore() {
        guard var attributes else { return }
        _ = unsafe tcsetattr(input, TCSANOW, &attributes)
    }
}
