internal import Dispatch
internal import Observation
internal import PasscodeLock
internal import PortcullisCore
internal import TerminalScreens
internal import UnixSignals

#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#elseif canImport(Darwin)
internal import Darwin
#endif

/// Draws the desk in a terminal, and hands it what is typed.
///
/// A terminal's window that loses the focus, or a program that is suspended, is an app in the background.
@MainActor
final class DeskStage {
    private enum Event: Sendable {
        case key(TerminalEvent)
        case ended
        case changed
        case shake(step: Int)
        case signal(UnixSignal)
        case toStop
    }

    private enum Face {
        case cover
        case page(PageFace)
        case screen(TerminalScreen)
    }

    private let terminal: DeskTerminal
    private let desk: Desk
    private let mails: DemoMail?
    private let events: AsyncStream<Event>
    private let deliver: @Sendable (Event) -> Void
    private var face = Face.cover
    private var canvas: Canvas?
    private var status: Int32?

    init(_ terminal: DeskTerminal, desk: Desk, mails: DemoMail?) {
        (self.terminal, self.desk, self.mails) = (terminal, desk, mails)
        let (events, continuation) = AsyncStream<Event>.makeStream()
        self.events = events
        self.deliver = { continuation.yield($0) }
    }

    /// Shows the desk until it is closed or a signal ends it.
    ///
    /// - Returns: 0, or 128 + the number of the signal.
    func run() async -> Int32 {
        // Trapped before the terminal is changed: a signal in between would leave it as it is.
        let sequence = await UnixSignalsSequence(
            trapping: .sigterm,
            .sigint,
            .sigquit,
            .sighup,
            .sigwinch,
            .sigcont
        )
        let signals = Task { [deliver] in
            for await signal in sequence { deliver(.signal(signal)) }
        }
        let stops = stopSignals()
        defer { stops.cancel() }
        terminal.enter()
        terminal.readKeys { [deliver] in deliver($0.map { .key($0) } ?? .ended) }
        refresh()
        let launch = Task { await desk.launch() }
        for await event in events {
            await handle(event)
            if status != nil { break }
        }
        launch.cancel()
        signals.cancel()
        terminal.leave()
        return status ?? 0
    }

    /// A program that is asked to stop, as by `kill -TSTP`, gives the terminal back first.
    private func stopSignals() -> any DispatchSourceSignal {
        _ = signal(SIGTSTP, SIG_IGN)
        let source = DispatchSource.makeSignalSource(signal: SIGTSTP, queue: .global())
        source.setEventHandler { @Sendable [deliver] in deliver(.toStop) }
        source.resume()
        return source
    }

    private func handle(_ event: Event) async {
        switch event {
        case .changed: refresh()
        case .shake(let step): shake(step)
        case .ended: status = 128 + SIGHUP
        case .signal(.sigwinch): redraw()
        case .toStop: await suspend()
        case .signal(.sigcont):
            // Another program may have used the terminal while this one was stopped.
            terminal.enter()
            redraw()
        case .signal(let signal): status = 128 + signal.rawValue
        case .key(.focus(let isFocused)):
            await desk.phaseChanged(to: isFocused ? .active : .background)
            // What is typed next is for what is shown now.
            refresh()
        case .key(.control("c")): status = 0
        case .key(.control("l")): redraw()
        case .key(.control("z")): await suspend()
        case .key(let key): await press(key)
        }
    }

    /// Stops as any program does; it is in the background meanwhile.
    private func suspend() async {
        await desk.phaseChanged(to: .background)
        terminal.leave()
        Self.stop()
        terminal.enter()
        canvas = nil
        await desk.phaseChanged(to: .active)
        refresh()
    }

    /// Stops the process until it is continued, as SIGTSTP does by itself.
    ///
    /// Where no shell is there that could continue it, as for the program of a terminal's window, the system drops the
    /// signal, and the process goes on at once. SIGSTOP would be obeyed there, too.
    private static func stop() {
        var watching = sigaction()
        guard unsafe sigaction(SIGTSTP, nil, &watching) == 0 else { return }
        _ = signal(SIGTSTP, SIG_DFL)
        var stop = sigset_t()
        var blocked = sigset_t()
        unsafe sigemptyset(&stop)
        unsafe sigaddset(&stop, SIGTSTP)
        // The threads of libdispatch block it.
        unsafe pthread_sigmask(SIG_UNBLOCK, &stop, &blocked)
        // To this thread: sent to the process, another may take it and this one run on for a moment.
        raise(SIGTSTP)
        unsafe pthread_sigmask(SIG_SETMASK, &blocked, nil)
        _ = unsafe sigaction(SIGTSTP, &watching, nil)
    }

    private func press(_ key: TerminalEvent) async {
        await desk.personWasActive()
        // Handed on as they come: a list of inputs would be a copy of a passcode.
        switch face {
        case .cover: break
        case .page(var page):
            page.handle(key) { desk.send($0) }
            face = .page(page)
        case .screen(var screen):
            screen.handle(key) { desk.send($0) }
            face = .screen(screen)
        }
        refresh()
    }

    // MARK: Drawing

    /// Takes what the desk shows now, and asks to be told of the next change.
    private func refresh() {
        let (shown, _) = withObservationTracking {
            (desk.shown, mails?.last)
        } onChange: { [deliver] in
            deliver(.changed)
        }
        var isError = false
        switch (shown, face) {
        case (.cover, _):
            face = .cover
        case (.page(let content), .page(var page)):
            _ = page.present(content)
            face = .page(page)
        case (.page(let content), _):
            face = .page(PageFace(content, size: terminal.size))
        case (.screen(let content), .screen(var screen)):
            isError = screen.present(content) == .error
            face = .screen(screen)
        case (.screen(let content), _):
            face = .screen(TerminalScreen(content, size: terminal.size, abilities: terminal.abilities))
        }
        draw()
        if isError { shake(1) }
    }

    private func redraw() {
        canvas = nil
        draw()
    }

    private func draw(shake: Int = 0) {
        let window = terminal.size
        // Mails have rows of their own, below what is shown; the code stands in the first of them.
        let mail =
            mails?.last.map { ForeignText.lines($0, width: window.columns).prefix(window.rows / 8) } ?? []
        let size = TerminalSize(columns: window.columns, rows: window.rows - mail.count)
        var picture = Canvas(size: window)
        switch face {
        case .cover:
            picture.draw("RepairDesk", x: max(0, size.columns / 2 - 5), y: size.rows / 2)
        case .page(var page):
            page.size = size
            face = .page(page)
            picture.draw(page.painting(shake: shake).canvas, x: 0, y: 0)
        case .screen(var screen):
            screen.size = size
            face = .screen(screen)
            picture.draw(screen.painting(shake: shake).canvas, x: 0, y: 0)
        }
        for (row, line) in mail.enumerated() {
            picture.draw(line, x: 0, y: size.rows + row, style: CellStyle(dim: true))
        }
        terminal.write(
            picture.update(from: canvas?.size == window ? canvas : nil, colours: terminal.abilities.colours)
        )
        canvas = picture
    }

    private func shake(_ step: Int) {
        let progress = Shake.frame / Shake.duration * Double(step)
        draw(shake: Shake.cells(at: progress))
        guard progress < 1 else { return }
        Task { [deliver] in
            try? await Task.sleep(for: Shake.frame)
            deliver(.shake(step: step + 1))
        }
    }
}
