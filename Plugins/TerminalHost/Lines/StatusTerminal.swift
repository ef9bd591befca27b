internal import AdapterKit
internal import LinuxSystem
internal import Synchronization
internal import TerminalScreens

/// One line that always stands below what a terminal shows, and others that scroll by above it.
///
/// It is written by a thread of its own, so that a terminal that takes nothing holds no caller up; the thread ends when this
/// goes.
public final class StatusTerminal: Sendable {
    private struct State: Sendable {
        /// What was not written yet.
        var lines: [String] = []
        /// The line as it stands on the terminal.
        var drawn: String?
        var mustRedraw = false
        var isWriting = false
        /// How often something was said: the line may be another since it was made.
        var changes: UInt64 = 0
    }

    private let terminal: Terminal
    private let line: @Sendable (_ columns: Int) -> String?
    private let gone: @Sendable () -> Void
    private let thread = WorkerThread()
    private let state = Mutex(State())

    /// Nothing is written yet.
    ///
    /// - Parameters:
    ///   - terminal: where the lines go.
    ///   - line: the line as it is now, of at most so many cells; `nil` for none. Called on the thread, whenever something is to be
    ///     written; what it holds of others' text has to be free of sequences.
    ///   - gone: called when the terminal takes nothing any more.
    public init(
        on terminal: Terminal = Terminal(),
        line: @escaping @Sendable (_ columns: Int) -> String?,
        gone: @escaping @Sendable () -> Void
    ) {
        self.terminal = terminal
        self.line = line
        self.gone = gone
    }

    /// Writes lines above, broken where they are too long, and the line anew where it has changed.
    public func write(_ lines: [String]) { change { $0.lines += lines } }

    /// Writes the line anew where it has changed; `all`: in any case, because the window is another, or was written over.
    public func redraw(all: Bool) { change { if all { $0.mustRedraw = true } } }

    /// Takes the line away for as long as something else has the terminal, such as a shell while the process is stopped.
    public func withoutLine(_ body: @escaping @Sendable () -> Void) async {
        await thread.run { [self] () throws(Never) in
            state.withLock { $0.drawn = nil }
            put("\r\u{1B}[J")
            body()
            redraw(all: true)
        }
    }

    /// Returns when all was written that was said before.
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
            // The last column is left alone: there terminals differ.
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
                // The cursor waits at the start of the line: where a window that becomes narrow breaks it in two,
                // everything from there on is still ours.
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
