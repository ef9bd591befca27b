internal import AdapterKit
internal import GoalLock
internal import LinuxSystem
internal import PortcullisCore
internal import Synchronization
internal import TerminalScreens

#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#elseif canImport(Darwin)
internal import Darwin
#endif

/// A run told on a terminal: one line that always shows how things are, and events that scroll by above it.
final class FocusTerminal: FocusOutput {
    private struct State: Sendable {
        var view: GoalView?
        /// Events that were not written yet.
        var lines: [String] = []
        /// The line as it stands on the terminal.
        var drawn: String?
        var mustRedraw = false
        var isOver = false
        var isWriting = false
    }

    private let terminal = GuardedTerminal()
    private let clock: any LockClock
    private let gone: @Sendable () -> Void
    private let thread = WorkerThread()
    private let state = Mutex(State())
    private let showsNotifications: Bool

    /// - Parameters:
    ///   - clock: tells how long the day still lasts.
    ///   - gone: called when the terminal is not there any more.
    init(clock: any LockClock, gone: @escaping @Sendable () -> Void) {
        self.clock = clock
        self.gone = gone
        // Standard error that goes to a file gets them, and nothing else would tell them here.
        showsNotifications = isatty(STDERR_FILENO) == 1
    }

    func show(_ message: GoalMessage) {
        enqueue { state in
            switch message {
            case .status(let view): state.view = view
            case .day(let date): state.lines.append("\(date): a new day, counted from 0.")
            case .stale(let date, let today):
                state.lines.append("The progress is of \(date): nothing is counted for \(today) yet.")
            // The line itself tells the number.
            case .current: break
            case .started(let start, let view): state.lines.append(GoalText.started(start, view))
            case .problem(.progress, let text):
                state.lines.append(
                    "Progress cannot be read: \(ForeignText.line(text)). Apps stay as they are."
                )
            case .problem(.lock, let text), .problem(.shield, let text):
                state.lines.append("App Lock: \(ForeignText.line(text)). What is shut stays shut.")
            case .solved(.progress): state.lines.append("Progress can be read again.")
            case .solved(.lock), .solved(.shield): state.lines.append("App Lock works again.")
            case .ended(let ending):
                state.lines.append(ending.text(isShut: state.view?.shut.isEmpty == false))
                state.isOver = true
            }
        }
    }

    func notify(_ line: [UInt8]) {
        // The notifier calls this on a thread of its own, which may wait.
        guard showsNotifications else {
            return StandardError.write(partial: String(decoding: line, as: UTF8.self))
        }
        let text = String(decoding: line, as: UTF8.self)
        enqueue { $0.lines.append(ForeignText.line(text.hasSuffix("\n") ? String(text.dropLast()) : text)) }
    }

    func redraw(all: Bool) {
        enqueue { if all { $0.mustRedraw = true } }
    }

    /// Takes the line away for as long as this process is stopped.
    func withoutLine(_ body: @escaping @Sendable () -> Void) async {
        await thread.run { [self] () throws(Never) in
            state.withLock { $0.drawn = nil }
            write("\r\u{1B}[J")
            body()
            redraw(all: true)
        }
    }

    func settle() async { await thread.run { () throws(Never) in } }

    private func enqueue(_ change: (inout State) -> Void) {
        let mustStart = state.withLock { state in
            change(&state)
            defer { state.isWriting = true }
            return !state.isWriting
        }
        if mustStart { thread.enqueue { [self] in draw() } }
    }

    private func draw() {
        while true {
            let size = terminal.size
            let now = clock.now.sinceBoot
            let text: String? = state.withLock { state in
                let line = state.isOver ? nil : state.view.map { self.line($0, in: size.columns, now: now) }
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
                let rows = lines.flatMap { CellWidth.wrap($0, to: max(1, size.columns - 1)) }
                return "\r\u{1B}[J" + rows.map { "\($0)\r\n" }.joined() + (line.map { "\($0)\r" } ?? "")
            }
            guard let text else { return }
            guard write(text) else { return gone() }
        }
    }

    private func line(_ view: GoalView, in columns: Int, now: Duration) -> String {
        // The last column is left alone: there terminals differ.
        GoalStatusLine(
            width: max(1, columns - 1),
            abilities: terminal.abilities,
            left: view.nextDay - now
        ).text(view)
    }

    @discardableResult
    private func write(_ text: String) -> Bool { Descriptors.write(Array(text.utf8), to: STDOUT_FILENO) }
}
