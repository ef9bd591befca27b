internal import AdapterKit
internal import LinuxSystem
internal import Synchronization
internal import TerminalScreens

/// A status line that stays at the bottom of a terminal's output, with other lines that scroll by above it.
///
/// A thread of its own writes to the terminal, so a terminal that accepts no output does not delay the
/// callers. The thread ends with this object.
public final class StatusTerminal: Sendable {
    private struct State: Sendable {
        /// The lines that were not written yet.
        var lines: [String] = []
        /// The status line as the terminal shows it.
        var drawn: String?
        var mustRedraw = false
        var isWriting = false
        /// The number of calls of `change(_:)` so far. If the number grows while a status line is made, the
        /// line may be outdated.
        var changes: UInt64 = 0
    }

    private let terminal: Terminal
    private let line: @Sendable (_ columns: Int) -> String?
    private let gone: @Sendable () -> Void
    private let thread = WorkerThread()
    private let state = Mutex(State())

    /// Creates a status terminal, and writes nothing yet.
    ///
    /// - Parameters:
    ///   - terminal: the terminal to write to.
    ///   - line: returns the current status line, of at most the given number of cells; `nil` for none. The
    ///     thread calls the closure before each output. Foreign text in the line must not contain escape
    ///     sequences.
    ///   - gone: called when the terminal accepts no output any more.
    public init(
        on terminal: Terminal = Terminal(),
        line: @escaping @Sendable (_ columns: Int) -> String?,
        gone: @escaping @Sendable () -> Void
    ) {
        self.terminal = terminal
        self.line = line
        self.gone = gone
    }

    /// Writes lines above the status line, wrapped if they are too long, and writes the current status line
    /// below them.
    public func write(_ lines: [String]) { change { $0.lines += lines } }

    /// Rewrites the status line if it has changed. With `all`, the line is rewritten even if it has not
    /// changed. This is needed after a resize, and after another program has written to the terminal.
    public func redraw(all: Bool) { change { if all { $0.mustRedraw = true } } }

    /// Removes the status line, calls `body`, and draws the status line again. In `body`, another program can
    /// use the terminal, such as a shell while this process is stopped.
    public func withoutLine(_ body: @escaping @Sendable () -> Void) async {
        await thread.run { [self] () throws(Never) in
            state.withLock { $0.drawn = nil }
            put("\r\u{1B}[J")
            body()
            redraw(all: true)
        }
    }

    /// Waits until the output of all earlier calls is written.
    public func settle() async { await thread.run { () throws(Never) in } }

    private func change(_ change: (inout State) -> Void) {
        let mustStart = state.withLock { state in
            change(&state)
            state.changes += 1
            defer { state.isWriting = true }
            return !state.isWriting
        }
        if mustStart { thread.enqueue { [self] in draw() } }
    }

    private func draw() {
        while true {
            // The last column stays empty, because terminals differ in their behaviour after a character
            // there.
            let width = max(1, terminal.size.columns - 1)
            let changes = state.withLock { $0.changes }
            let line = line(width)
            let text: String? = state.withLock { state in
                if changes != state.changes { return "" }
                let lines = state.lines
                state.lines = []
                if lines.isEmpty, line == state.drawn, !state.mustRedraw {
                    state.isWriting = false
                    return nil
                }
                state.mustRedraw = false
                state.drawn = line
                // The cursor stays at the start of the status line. A window that becomes narrow may wrap the
                // line over several rows, so all rows from the cursor on are erased.
                let rows = lines.flatMap { CellWidth.wrap($0, to: width) }
                return "\r\u{1B}[J" + rows.map { "\($0)\r\n" }.joined() + (line.map { "\($0)\r" } ?? "")
            }
            guard let text else { return }
            guard text.isEmpty || put(text) else { return gone() }
        }
    }

    @discardableResult
    private func put(_ text: String) -> Bool { Descriptors.write(Array(text.utf8), to: terminal.output) }
}
