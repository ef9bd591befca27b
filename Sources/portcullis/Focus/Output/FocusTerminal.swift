internal import AdapterKit
internal import GoalLock
internal import PortcullisCore
internal import Synchronization
internal import TerminalHost
internal import TerminalScreens

/// Shows a run on a terminal: one line with the current status, and events that scroll above it.
final class FocusTerminal: FocusOutput {
    /// The view in the status line; `nil` before the first status and after the end of the run.
    private final class Shown: Sendable {
        let view = Mutex<GoalView?>(nil)
    }

    private let status: StatusTerminal
    private let shown = Shown()
    private let showsNotifications: Bool

    /// - Parameters:
    ///   - clock: the clock that measures the time until the day ends.
    ///   - gone: the function that is called when the terminal accepts no output any more.
    init(clock: any LockClock, gone: @escaping @Sendable () -> Void) {
        // If standard error is a terminal, notifications appear above the status line. If it is a file or a
        // pipe, they are written to it.
        showsNotifications = StandardError.isTerminal
        let terminal = Terminal()
        status = StatusTerminal(
            on: terminal,
            line: { [shown] width in
                shown.view.withLock(\.self).map { view in
                    GoalStatusLine(
                        width: width,
                        abilities: terminal.abilities,
                        left: view.nextDay - clock.now.sinceBoot
                    ).text(view)
                }
            },
            gone: gone
        )
    }

    func show(_ message: GoalMessage) {
        switch message {
        case .status(let view): set(view)
        case .day(let date): status.write(["\(date): a new day, counted from 0."])
        case .stale(let date, let today):
            status.write(["The progress is of \(date): nothing is counted for \(today) yet."])
        // The status line already shows the progress.
        case .current: break
        case .started(let start, let view): status.write([GoalText.started(start, view)])
        case .problem(.progress, let text):
            status.write(["Progress cannot be read: \(ForeignText.line(text)). Apps stay as they are."])
        case .problem(.lock, let text), .problem(.shield, let text):
            status.write(["App Lock: \(ForeignText.line(text)). What is shut stays shut."])
        case .solved(.progress): status.write(["Progress can be read again."])
        case .solved(.lock), .solved(.shield): status.write(["App Lock works again."])
        case .ended(let ending):
            let isShut = shown.view.withLock { $0?.shut.isEmpty == false }
            set(nil)
            status.write([ending.text(isShut: isShut)])
        }
    }

    private func set(_ view: GoalView?) {
        shown.view.withLock { $0 = view }
        status.redraw(all: false)
    }

    func notify(_ line: [UInt8]) {
        // The notifier calls this function on a thread of its own, so the function may block.
        guard showsNotifications else {
            return StandardError.write(partial: String(decoding: line, as: UTF8.self))
        }
        let text = String(decoding: line, as: UTF8.self)
        status.write([ForeignText.line(text.hasSuffix("\n") ? String(text.dropLast()) : text)])
    }

    func redraw(all: Bool) { status.redraw(all: all) }

    /// Removes the status line while `body` stops this process.
    func withoutLine(_ body: @escaping @Sendable () -> Void) async { await status.withoutLine(body) }

    func settle() async { await status.settle() }
}
