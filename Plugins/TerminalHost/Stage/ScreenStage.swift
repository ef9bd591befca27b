public import LockScreens
public import PortcullisCore
internal import Synchronization
internal import TerminalScreens

#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#elseif canImport(Darwin)
internal import Darwin
#endif

/// Shows screens on a person's terminal, one over the other, and hands the topmost what is typed.
///
/// The terminal is read and written by threads of the stage's own, which end with it. Whatever ends it, a signal
/// included, the terminal is put back as it was. A stage is for one ``run(_:)``; any number of them may be there at the same
/// time, each on a terminal of its own.
@MainActor
public final class ScreenStage {
    /// How a stage ended.
    public enum Ending: Sendable, Hashable {
        /// ``ScreenStage/close()`` was called, or the task that ran it was cancelled.
        case closed
        /// Ctrl-C was typed.
        case interrupted
        /// A signal of this number came, or would have: a terminal that has gone is SIGHUP.
        case signal(Int32)
    }

    enum Event: Sendable {
        case terminal(GuardEvent)
        case changed
        case quiet(UInt64)
        case shake(step: Int)
        case closed
    }

    let terminal: Terminal
    private let title: String
    private let takesSignals: Bool
    private let focusChanged: @MainActor (Bool) async -> Void
    private let output: OutputPump
    private let input: InputPump
    private let events: AsyncStream<Event>
    private let finished: @Sendable () -> Void
    let deliver: @Sendable (Event) -> Void
    private var layers: [any StageLayer] = []
    /// What the terminal shows; `nil` for anything.
    private var shown: Canvas?
    private var decoder = InputDecoder()
    private var keystrokes: UInt64 = 0
    /// Whether a person looks at the terminal, as far as its focus tells.
    private var isWatched = true
    /// Whether the terminal has the focus, as it told last.
    private var isFocused = true
    private var ending: Ending?
    private var wasRun = false
    /// Whether the terminal is the stage's by now.
    private var isOpen = false

    /// A stage with nothing on it; the terminal is not touched before ``run(_:)``.
    ///
    /// - Parameters:
    ///   - terminal: where it is drawn.
    ///   - title: of the terminal's window meanwhile.
    ///   - clock: tells how the machine's sleep is to be taken.
    ///   - takesSignals: whether the stage takes the signals of this process: it ends on those that end a process, follows
    ///     SIGWINCH, and stops the process on SIGTSTP and Ctrl-Z. Without, ``terminalWasResized()`` says what concerns it.
    ///   - focusChanged: called when the terminal's window has got the focus, or lost it; also around a stop of the process.
    ///     The stage goes on when it returns.
    /// - Throws: `systemFailure` when the process has no descriptor left.
    public init(
        on terminal: Terminal = Terminal(),
        title: String,
        clock: any LockClock,
        takesSignals: Bool = true,
        focusChanged: @escaping @MainActor (_ isFocused: Bool) async -> Void = { _ in }
    ) throws(TerminalHostError) {
        self.terminal = terminal
        self.title = ForeignText.line(title)
        self.takesSignals = takesSignals
        self.focusChanged = focusChanged
        let (events, continuation) = AsyncStream<Event>.makeStream()
        let deliver: @Sendable (Event) -> Void = { continuation.yield($0) }
        self.events = events
        self.deliver = deliver
        finished = { continuation.finish() }
        output = try OutputPump(terminal: terminal.output, face: .drawn, sinceBoot: { clock.now.sinceBoot })
        input = try InputPump(
            input: terminal.input,
            isTerminal: true,
            lockKey: .standard,
            wantsFocus: { false },
            sinceBoot: { clock.now.sinceBoot },
            deliver: { deliver(.terminal($0)) }
        )
    }

    // MARK: What is shown

    /// Shows a screen over what is shown.
    ///
    /// - Parameters:
    ///   - presenter: the screen.
    ///   - watched: the event that it is to the screen when the terminal gets the focus, or loses it; `nil`: none.
    public func show<Screen: ContentScreen>(
        _ presenter: ScreenPresenter<Screen>,
        watched: (@MainActor (Bool) -> Screen.Event)? = nil
    ) {
        show(
            PresentedScreen(
                presenter,
                size: terminal.size,
                abilities: terminal.abilities,
                watched: watched,
                changed: { [deliver] in deliver(.changed) }
            )
        )
    }

    /// Shows a layer over what is shown.
    public func show(_ layer: any StageLayer) {
        layers.append(layer)
        _ = layer.refresh()
        draw()
    }

    /// Takes a screen away; what is under it is seen again. One that is not on the stage is passed over.
    public func remove<Screen: ContentScreen>(_ presenter: ScreenPresenter<Screen>) {
        remove { ($0 as? any PresentedLayer)?.shows(presenter) == true }
    }

    /// Takes a layer away; what is under it is seen again. One that is not on the stage is passed over.
    public func remove(_ layer: any StageLayer) {
        remove { $0 === layer }
    }

    private func remove(where isGone: (any StageLayer) -> Bool) {
        guard let index = layers.lastIndex(where: isGone) else { return }
        layers.remove(at: index).dismiss()
        refresh(isAnother: true)
    }

    /// What the topmost layer shows has changed, or is about to: the stage asks it once the main actor is free. Callable from
    /// any thread.
    public nonisolated func layerChanged() { deliver(.changed) }

    /// The terminal has another size now. Needed only where SIGWINCH does not come or is not taken.
    public nonisolated func terminalWasResized() { deliver(.terminal(.signal(SIGWINCH))) }

    /// Ends ``run(_:)``.
    public nonisolated func close() { deliver(.closed) }

    // MARK: Running

    /// Shows what is on the stage, and what `begin` puts there, until it is closed or a signal ends it.
    ///
    /// - Throws: `systemFailure` when the process has no descriptor or the system no thread left, `runBefore`; the terminal was not
    ///   touched then.
    public func run(_ begin: @MainActor () async -> Void = {}) async throws(TerminalHostError) -> Ending {
        guard !wasRun else {
            throw TerminalHostError(code: .runBefore, message: "this stage has begun before")
        }
        wasRun = true
        let signals = try await start()
        defer { signals?.end() }
        output.draw(Array(ScreenModes.began.utf8))
        await enter()
        isOpen = true
        await begin()
        refresh(isAnother: true)
        await withTaskCancellationHandler {
            var next = events.makeAsyncIterator()
            while ending == nil, let event = await next.next(isolation: MainActor.shared) {
                await handle(event)
            }
        } onCancel: {
            close()
        }
        isOpen = false
        for layer in layers { layer.dismiss() }
        layers = []
        output.draw(Array(Self.leave.utf8))
        await output.finish(isCovered: false)
        await input.finish()
        terminal.restore()
        finished()
        return ending ?? .closed
    }

    private func start() async throws(TerminalHostError) -> SignalWatch? {
        do throws(TerminalHostError) {
            try output.start()
            try input.start()
            guard takesSignals else { return nil }
            return try SignalWatch { [deliver] in deliver(.terminal(.signal($0))) }
        } catch {
            output.abandon()
            await input.finish()
            finished()
            throw error
        }
    }

    /// Text that is too long at the last column must not move the picture.
    private var entering: String {
        ScreenModes.enter(
            from: ProgramModes(),
            isUnicode: terminal.abilities.unicode,
            around: .none,
            titled: title
        ) + "\u{1B}[?7l"
    }
    private static let leave =
        "\u{1B}[?7h" + ScreenModes.leave(to: ProgramModes()) + ScreenModes.noFocusReports

    private func enter() async {
        terminal.enterRaw()
        output.draw(Array(entering.utf8))
        await input.send(to: .screen)
        shown = nil
    }

    private func handle(_ event: Event) async {
        switch event {
        case .terminal(.typed(let bytes)):
            input.wasTaken(bytes)
            await typed(bytes)
        case .terminal(.inputEnded): ending = .signal(SIGHUP)
        case .terminal(.signal(let number)): await signal(number)
        case .terminal: break
        case .changed: refresh(isAnother: false)
        case .quiet(let number):
            if number == keystrokes, let event = decoder.giveUp() { await pressed(event) }
        case .shake(let step): shake(step)
        case .closed: ending = .closed
        }
    }

    // MARK: Drawing

    private func refresh(isAnother: Bool) {
        switch layers.last?.refresh() {
        case .nothing, nil: if isAnother { draw() }
        case .picture: draw()
        case .error:
            draw()
            shake(1)
        }
    }

    private func draw(shake: Int = 0) {
        guard isOpen, let layer = layers.last else { return }
        if layer.size != terminal.size { layer.size = terminal.size }
        let canvas = layer.painting(shake: shake).canvas
        output.draw(canvas.update(from: shown, colours: terminal.abilities.colours))
        shown = canvas
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

    // MARK: Input

    private func typed(_ bytes: SecretBytes) async {
        keystrokes += 1
        for index in 0..<bytes.count {
            var event: TerminalEvent?
            bytes.withBytes { span in
                decoder.decode(span.extracting(index..<(index + 1))) { found, _ in event = found }
            }
            if let event { await pressed(event) }
        }
        guard let patience = decoder.patience else { return }
        Task { [deliver, keystrokes] in
            try? await Task.sleep(for: patience)
            deliver(.quiet(keystrokes))
        }
    }

    private func pressed(_ event: TerminalEvent) async {
        // A key press shows that a person is there, whatever the terminal, or one in between, said of its
        // focus.
        if case .focus(let isFocused) = event {
            await focus(isFocused)
        } else if event != .ignored {
            watch(true)
        }
        switch event {
        case .control("c"): ending = .interrupted
        case .control("z"): if takesSignals { deliver(.terminal(.signal(SIGTSTP))) }
        case .control("l"):
            shown = nil
            draw()
        default:
            await layers.last?.handle(event)
            // What only moves the focus changes nothing in the model.
            refresh(isAnother: true)
        }
    }

    private func watch(_ isWatched: Bool) {
        guard isWatched != self.isWatched else { return }
        self.isWatched = isWatched
        for layer in layers { layer.watch(isWatched) }
    }

    /// An absence that a report of the focus began ends with another one, and with no key.
    private func focus(_ isFocused: Bool) async {
        watch(isFocused)
        guard isFocused != self.isFocused else { return }
        self.isFocused = isFocused
        await focusChanged(isFocused)
    }

    private func signal(_ number: Int32) async {
        switch number {
        case SIGWINCH: draw()
        case SIGTSTP: await stop()
        case SIGCONT:
            terminal.enterRaw()
            shown = nil
            draw()
        default: ending = ending ?? .signal(number)
        }
    }

    /// Stops as any program does, with the terminal as it was.
    private func stop() async {
        await focus(false)
        output.draw(Array(Self.leave.utf8))
        await output.flush()
        terminal.restore()
        SignalWatch.stopProcess()
        await enter()
        await focus(true)
        refresh(isAnother: true)
    }
}
