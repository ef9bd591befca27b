internal import LockScreens
internal import PortcullisCore
internal import TerminalScreens

#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#elseif canImport(Darwin)
internal import Darwin
#endif

/// Shows screens on the person's terminal, one over the other, and hands the topmost what is typed.
///
/// The terminal is read and written by threads of their own. Whatever ends it, a signal included, the terminal is put
/// back as it was; there can be only one stage in a process.
@MainActor
final class ScreenStage {
    private enum Event: Sendable {
        case terminal(GuardEvent)
        case changed
        case quiet(UInt64)
        case shake(step: Int)
        case closed
    }

    private let terminal = GuardedTerminal()
    private let output: OutputPump
    private let input: InputPump
    private let events: AsyncStream<Event>
    private let deliver: @Sendable (Event) -> Void
    private var layers: [any StageLayer] = []
    /// What the terminal shows; `nil` for anything.
    private var shown: Canvas?
    private var decoder = InputDecoder()
    private var keystrokes: UInt64 = 0
    /// Whether a person looks at the terminal, as far as its focus tells.
    private var isWatched = true
    private var status: Int32?

    /// A stage with nothing on it; the terminal is not touched before ``run(_:)``.
    ///
    /// - Throws: when the process has no descriptor left.
    init(clock: any LockClock) throws(GuardFailure) {
        let (events, continuation) = AsyncStream<Event>.makeStream()
        let deliver: @Sendable (Event) -> Void = { continuation.yield($0) }
        self.events = events
        self.deliver = deliver
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
    func show<Screen: ContentScreen>(
        _ presenter: ScreenPresenter<Screen>,
        watched: (@MainActor (Bool) -> Screen.Event)? = nil
    ) {
        layers.append(
            PresentedScreen(
                presenter,
                size: terminal.size,
                abilities: terminal.abilities,
                watched: watched,
                changed: { [deliver] in deliver(.changed) }
            )
        )
        _ = layers.last?.refresh()
        draw()
    }

    /// Takes a screen away; what is under it is seen again.
    func remove(_ presenter: AnyObject) {
        guard let index = layers.lastIndex(where: { $0.shows(presenter) }) else { return }
        layers.remove(at: index).dismiss()
        refresh(isAnother: true)
    }

    /// Ends ``run(_:)``.
    func close() { deliver(.closed) }

    // MARK: Running

    /// Shows what `begin` puts on the stage until it is closed or a signal ends it.
    ///
    /// - Returns: 0 when it was closed; 128 + the number of the signal otherwise, Ctrl-C included.
    /// - Throws: when the process has no descriptor left; the terminal was not touched then.
    func run(_ begin: @MainActor () async -> Void) async throws(GuardFailure) -> Int32 {
        try SignalWatch.start { [deliver] in deliver(.terminal(.signal($0))) }
        output.draw(Array(ScreenModes.began.utf8))
        await enter()
        await begin()
        var next = events.makeAsyncIterator()
        while status == nil, let event = await next.next(isolation: MainActor.shared) { await handle(event) }
        for layer in layers { layer.dismiss() }
        output.draw(Array(Self.leave.utf8))
        await output.finish(isCovered: false)
        terminal.restore()
        return status ?? 0
    }

    /// Text that is too long at the last column must not move the picture.
    private var entering: String {
        ScreenModes.enter(from: ProgramModes(), isUnicode: terminal.abilities.unicode, around: .none)
            + "\u{1B}[?7l"
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
            typed(bytes)
        case .terminal(.inputEnded): status = 128 + SIGHUP
        case .terminal(.signal(let number)): await signal(number)
        case .terminal: break
        case .changed: refresh(isAnother: false)
        case .quiet(let number):
            if number == keystrokes, let event = decoder.giveUp() { pressed(event) }
        case .shake(let step): shake(step)
        case .closed: status = 0
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
        guard let layer = layers.last else { return }
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

    private func typed(_ bytes: SecretBytes) {
        keystrokes += 1
        for index in 0..<bytes.count {
            var event: TerminalEvent?
            bytes.withBytes { span in
                decoder.decode(span.extracting(index..<(index + 1))) { found, _ in event = found }
            }
            if let event { pressed(event) }
        }
        guard let patience = decoder.patience else { return }
        Task { [deliver, keystrokes] in
            try? await Task.sleep(for: patience)
            deliver(.quiet(keystrokes))
        }
    }

    private func pressed(_ event: TerminalEvent) {
        // A key press shows that a person is there, whatever the terminal, or one in between, said of its
        // focus.
        if case .focus(let isFocused) = event { watch(isFocused) } else if event != .ignored { watch(true) }
        switch event {
        case .control("c"): status = 128 + SIGINT
        case .control("z"): deliver(.terminal(.signal(SIGTSTP)))
        case .control("l"):
            shown = nil
            draw()
        default:
            layers.last?.handle(event)
            // What only moves the focus changes nothing in the model.
            refresh(isAnother: true)
        }
    }

    private func watch(_ isWatched: Bool) {
        guard isWatched != self.isWatched else { return }
        self.isWatched = isWatched
        for layer in layers { layer.watch(isWatched) }
    }

    private func signal(_ number: Int32) async {
        switch number {
        case SIGWINCH: draw()
        case SIGTSTP: await stop()
        case SIGCONT:
            terminal.enterRaw()
            shown = nil
            draw()
        default: status = status ?? 128 + number
        }
    }

    /// Stops as any program does, with the terminal as it was.
    private func stop() async {
        output.draw(Array(Self.leave.utf8))
        await output.flush()
        terminal.restore()
        SignalWatch.stop()
        await enter()
        draw()
    }
}
