public import TerminalScreens

#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#elseif canImport(Darwin)
internal import Darwin
#endif

/// A person's terminal, which can be set to raw mode and back, or a pipe in its place.
public struct Terminal: Sendable {
    /// The descriptor that keys are read from.
    public let input: Int32
    /// The descriptor that output is written to.
    public let output: Int32
    /// The descriptor for messages that must not get into the output.
    public let errors: Int32
    /// The attributes that ``restore()`` returns to; `nil` when the input is no terminal.
    private var settings: termios?
    /// Whether both input and output are a terminal.
    public let isTerminal: Bool
    private let environment: ProcessVariables

    /// Creates a terminal of its descriptors. They must stay open while the terminal is used. The terminal
    /// never closes them.
    ///
    /// ``restore()`` returns to the attributes that the input has now.
    ///
    /// - Parameters:
    ///   - input: the descriptor for keys; by default standard input.
    ///   - output: the descriptor for output; by default standard output.
    ///   - errors: the descriptor for messages that must not get into the output; by default standard error.
    ///   - environment: the variables that describe the terminal's abilities and multiplexers: `TERM`,
    ///     `LC_ALL`, `LC_CTYPE`, `LANG`, `NO_COLOR`, `TMUX`, `TMUX_PANE`, `STY`; `nil` for those of this
    ///     process.
    public init(
        input: Int32 = 0,
        output: Int32 = 1,
        errors: Int32 = 2,
        environment: [String: String]? = nil
    ) {
        self.input = input
        self.output = output
        self.errors = errors
        self.environment = ProcessVariables(environment)
        var found = termios()
        let isKnown = unsafe isatty(input) == 1 && tcgetattr(input, &found) == 0
        settings = isKnown ? found : nil
        isTerminal = isKnown && isatty(output) == 1
    }

    /// Whether the output is a terminal. The input does not matter.
    var hasTerminalOutput: Bool { isatty(output) == 1 }

    /// Whether the input is no terminal. The output does not matter.
    public var hasPipedInput: Bool { settings == nil }

    /// The attributes that ``restore()`` returns to; `nil` when input or output is no terminal.
    var attributes: termios? { isTerminal ? settings : nil }

    /// Whether the terminal obeys no escape sequences, according to the environment (`TERM=dumb`).
    public var isDumb: Bool { environment["TERM"] == "dumb" }

    /// The multiplexers around the program, according to the environment; none if the output is a file or a
    /// pipe.
    var around: SurroundingTerminals {
        guard hasTerminalOutput else { return .none }
        let names = ["TERM", "STY", "TMUX"]
        return SurroundingTerminals(
            environment: Dictionary(uniqueKeysWithValues: names.map { ($0, environment[$0]) })
        )
    }

    /// Whether the output is open for writing.
    var hasOutput: Bool {
        let flags = fcntl(output, F_GETFL)
        return flags >= 0 && flags & O_ACCMODE != O_RDONLY
    }

    /// The pane of tmux that this terminal is; `nil` outside of tmux, or if the output is a file or a pipe.
    var pane: TmuxPane? { hasTerminalOutput ? TmuxPane(environment) : nil }

    /// The size; 80×24 if the terminal does not report it.
    public var size: TerminalSize {
        var window = winsize()
        guard unsafe ioctl(output, UInt(TIOCGWINSZ), &window) == 0, window.ws_col > 0, window.ws_row > 0
        else {
            return TerminalSize(columns: 80, rows: 24)
        }
        return TerminalSize(columns: Int(window.ws_col), rows: Int(window.ws_row))
    }

    /// The terminal's abilities, according to the environment: UTF-8 and colours. A dumb terminal has no
    /// colours, and `NO_COLOR` switches colours off.
    public var abilities: TerminalAbilities {
        let locale = ["LC_ALL", "LC_CTYPE", "LANG"].map { environment[$0] }.first { !$0.isEmpty } ?? ""
        let spelled = locale.lowercased()
        return TerminalAbilities(
            colours: environment["NO_COLOR"].isEmpty && !isDumb,
            unicode: spelled.contains("utf-8") || spelled.contains("utf8")
        )
    }

    /// Reads the attributes for ``restore()`` again.
    ///
    /// When this value was created, the process may have been in the background, where a shell had set the
    /// attributes for its own line.
    mutating func readAttributes() {
        guard var found = settings, unsafe tcgetattr(input, &found) == 0 else { return }
        settings = found
    }

    /// Sets raw mode until ``restore()``: the terminal passes each key on at once, and neither echoes nor
    /// interprets it.
    ///
    /// Does nothing when input or output is no terminal.
    public func enterRaw() {
        guard var raw = attributes else { return }
        unsafe cfmakeraw(&raw)
        _ = unsafe tcsetattr(input, TCSANOW, &raw)
    }

    /// Sets how the terminal passes on lines, until ``restore()``. The call has an effect only if the input
    /// is a terminal and the output is not.
    ///
    /// The call does not wait until earlier output is shown. The terminal's output may be stopped, and
    /// another process may be waiting in a write to the terminal.
    ///
    /// - Parameters:
    ///   - isEchoed: whether the terminal shows the typed input. The value is `false` for the run's
    ///     screens, whose input must not be shown.
    ///   - key: the byte of a key that the terminal passes on at once, together with the line before it. The
    ///     terminal gives the key no other meaning, for example as a key that sends a signal. A key with the
    ///     byte 0 is an exception: the terminal passes it on like a letter, with the rest of its line.
    ///   - dropping: whether earlier input is dropped.
    func setLines(isEchoed: Bool, passing key: UInt8, dropping: Bool) {
        guard !isTerminal, var wanted = settings else { return }
        if !isEchoed { wanted.c_lflag &= ~tcflag_t(ECHO | ECHONL) }
        unsafe withUnsafeMutableBytes(of: &wanted.c_cc) { keys in
            for place in Self.keys where unsafe keys[Int(place)] == key {
                unsafe keys[Int(place)] = Self.noKey
            }
            // A line also ends after the key, so the key is read without a typed Return.
            unsafe keys[Int(VEOL)] = key
        }
        _ = unsafe tcsetattr(input, TCSANOW, &wanted)
        if dropping { dropInput() }
    }

    /// Drops the input that waits in the terminal, including the start of an unfinished line. The call does
    /// nothing when the input is no terminal.
    func dropInput() {
        if settings != nil { tcflush(input, TCIFLUSH) }
    }

    /// The indices in `c_cc` of the keys that a terminal itself interprets while it passes on whole lines.
    private static let keys = [
        VINTR, VQUIT, VSUSP, VEOF, VEOL, VEOL2, VERASE, VKILL, VWERASE, VREPRINT, VLNEXT, VDISCARD, VSTART,
        VSTOP,
    ]
    /// The value in `c_cc` that means that no key has the function (`_POSIX_VDISABLE`).
    #if canImport(Darwin)
    private static let noKey = cc_t.max
    #else
    private static let noKey: cc_t = 0
    #endif

    /// Restores the attributes that the input had when this value was created.
    public func restore() {
        guard var settings else { return }
        _ = unsafe tcsetattr(input, TCSANOW, &settings)
    }
}
