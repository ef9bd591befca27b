internal import LinuxSystem
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

/// Shows screens on a person's terminal, one over the other, and passes input to the topmost one.
///
/// Threads of the stage read and write the terminal, and end with the stage. The terminal is restored after
/// every ending, also by a signal. A stage is for one call of ``run(_:)``. Several stages may exist at the
/// same time, each on a terminal of its own.
///
/// In the background of the process's terminal the stage draws nothing and leaves the terminal as it is. A
/// stage that handles the signals of the process stops the job, as the system stops a job that reads there.
/// The screens are shown when the job is in front. If no shell can put it in front, the stage ends with SIGHUP.
@MainActor
public final class ScreenStage {
    /// How a stage ended.
    public enum Ending: Sendable, Hashable {
        /// ``ScreenStage/close()`` was called, or the task that ran the stage was cancelled.
        case closed
        /// Ctrl-C was typed.
        case interrupted
        /// The process received the signal with this number. A closed terminal counts as SIGHUP.
        case signal(Int32)
    }

    enum Event: Sendable {
        case terminal(GuardEvent)
        case changed
        case quiet(UInt64)
        case shake(step: Int)
        /// The pause before the next look at the process's place at the terminal is over.
        case placeDue
        case closed
    }

    private(set) var terminal: Terminal
    private let title: String
    private let takesSignals: Bool
    private let clock: any LockClock
    private let focusChanged: @MainActor (Bool) async -> Void
    private let wasAway: @MainActor (Moment) async -> Void
    private let output: OutputPump
    private let input: InputPump
    private let events: AsyncStream<Event>
    private let finished: @Sendable () -> Void
    let deliver: @Sendable (Event) -> Void
    private var layers: [any StageLayer] = []
    /// The picture that the terminal shows; `nil` when it is unknown.
    private var shown: Canvas?
    private var decoder = InputDecoder()
    private var keystrokes: UInt64 = 0
    /// Whether a person seems to look at the terminal, judged by its focus and its input.
    private var isWatched = true
    /// Whether the terminal has the focus, according to its latest report.
    private var isFocused = true
    /// The number of absences that the host was told of.
    private var absences = 0
    private var ending: Ending?
    private var wasRun = false
    /// Whether the stage controls the terminal now.
    private var isOpen = false
    /// Whether the stage has controlled the terminal before.
    private var wasOpen = false

    /// Creates an empty stage. The terminal is not changed before ``run(_:)``.
    ///
    /// - Parameters:
    ///   - terminal: the terminal to draw on.
    ///   - title: the title of the terminal's window while the stage runs.
    ///   - clock: measures time, including the machine's sleep.
    ///   - takesSignals: whether the stage handles the signals of this process: it ends on signals that end
    ///     a process, follows SIGWINCH, and stops the process on SIGTSTP and Ctrl-Z. If the value is
    ///     `false`, the host calls ``terminalWasResized()``.
    ///   - focusChanged: called when the terminal's window has gained or lost the focus, and before and after
    ///     a stop of the process. The stage waits until the call returns.
    ///   - wasAway: called when the machine has slept or the process was stopped for at least three seconds,
    ///     also after a stop that `focusChanged` has reported. The argument is the moment at which the sleep
    ///     or stop began. The host of a lock passes the moment to
    ///     ``/PasscodeLock/LockSession/leftAtOnce(since:)`` and then reports the present phase. The stage
    ///     waits until the call returns.
    /// - Throws: `systemFailure` when the process has no descriptor left.
    public init(
        on terminal: Terminal = Terminal(),
        title: String,
        clock: any LockClock,
        takesSignals: Bool = true,
        focusChanged: @escaping @MainActor (_ isFocused: Bool) async -> Void = { _ in },
        wasAway: @escaping @MainActor (_ since: Moment) async -> Void = { _ in }
    ) throws(TerminalHostError) {
        self.terminal = terminal
        self.title = ForeignText.line(title)
        self.takesSignals = takesSignals
        self.clock = clock
        self.focusChanged = focusChanged
        self.wasAway = wasAway
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

    // MARK: Screens on the stage

    /// Shows a screen over all screens that are on the stage.
    ///
    /// - Parameters:
    ///   - presenter: the screen.
    ///   - watched: returns the event that tells the screen whether a person looks at the terminal; `nil` if
    ///     the screen has no event of this kind.
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

    /// Shows a layer over all layers that are on the stage.
    public func show(_ layer: any StageLayer) {
        layers.append(layer)
        _ = layer.refresh()
        draw()
    }

    /// Removes a screen, so that the one under it is shown again. A screen that is not on the stage is
    /// ignored.
    public func remove<Screen: ContentScreen>(_ presenter: ScreenPresenter<Screen>) {
        remove { ($0 as? any PresentedLayer)?.shows(presenter) == true }
    }

    /// Removes a layer, so that the one under it is shown again. A layer that is not on the stage is ignored.
    public func remove(_ layer: any StageLayer) {
        remove { $0 === layer }
    }

    private func remove(where isGone: (any StageLayer) -> Bool) {
        guard let index = layers.lastIndex(where: isGone) else { return }
        layers.remove(at: index).dismiss()
        refresh(isAnother: true)
    }

    /// Tells the stage that the topmost layer's content has changed or is about to change. The stage
    /// refreshes the layer when the main actor is free. Callable from any thread.
    public nonisolated func layerChanged() { deliver(.changed) }

    /// Tells the stage that the terminal has another size. The call is needed only if the stage does not
    /// handle the signals of this process.
    public nonisolated func terminalWasResized() { deliver(.terminal(.signal(SIGWINCH))) }

    /// Ends ``run(_:)``.
    public nonisolated func close() { deliver(.closed) }

    // MARK: Running

    /// Shows the screens on the stage and those that `begin` adds, until the stage is closed, or until Ctrl-C
    /// or a signal ends it.
    ///
    /// - Returns: how the stage ended.
    /// - Throws: `systemFailure` when the process has no descriptor left, or the system has no thread left;
    ///   `runBefore` when the stage was run before. After an error the terminal is unchanged.
    public func run(_ begin: @MainActor () async -> Void = {}) async throws(TerminalHostError) -> Ending {
        guard !wasRun else {
            throw TerminalHostError(code: .runBefore, message: "this stage has begun before")
        }
        wasRun = true
        let signals = try await start()
        defer { signals?.end() }
        await enter()
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
        let controlled = isOpen && TerminalPlace(at: terminal.input) == .front
        isOpen = false
        for layer in layers { layer.dismiss() }
        layers = []
        if controlled {
            output.draw(Array(Self.leave.utf8))
            await output.finish(isCovered: false)
        } else {
            output.abandon()
        }
        await input.finish()
        if controlled { terminal.restore() }
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

    /// The sequences that the stage writes at its start, and after a stop for which it has written ``leave``.
    /// Wrapping is off, so that a text that is too long for its row does not move the picture.
    private var entering: String {
        ScreenModes.enter(
            from: ProgramModes(),
            isUnicode: terminal.abilities.unicode,
            around: .none,
            titled: title
        ) + "\u{1B}[?7l"
    }
    /// The sequences for SIGCONT. Before a SIGSTOP the stage has not written ``leave``, and another program
    /// may have changed the modes since. The titles are left out, because they are still saved.
    private static let unpreparedReturn = "\u{1B}[?1049h" + ScreenModes.covering + "\u{1B}[?7l"
    private static let leave =
        "\u{1B}[?7h" + ScreenModes.leave(to: ProgramModes()) + ScreenModes.noFocusReports

    /// Takes control of the terminal. In the background of the terminal, the stage looks again after a pause.
    private func enter() async {
        let place = TerminalPlace(at: terminal.input)
        isOpen = place == .front
        guard isOpen else {
            if place == .orphaned { deliver(.terminal(.signal(SIGHUP))) }
            Task { [deliver] in
                try? await Task.sleep(for: TerminalPlace.pause)
                deliver(.placeDue)
            }
            return
        }
        // Until now this process may have been in the background, where a shell had set the attributes for
        // its own line.
        if !wasOpen { terminal.readAttributes() }
        terminal.enterRaw()
        if !wasOpen { output.draw(Array(ScreenModes.began.utf8)) }
        wasOpen = true
        output.draw(Array(entering.utf8))
        await input.send(to: .screen)
        shown = nil
    }

    /// Shows the screens again after a stop.
    private func comeBack() async {
        await enter()
        guard isOpen else { return }
        await focus(true)
        refresh(isAnother: true)
    }

    private func handle(_ event: Event) async {
        switch event {
        case .terminal(.typed(let bytes)):
            input.wasTaken(bytes)
            await typed(bytes)
        case .terminal(.inputEnded): ending = .signal(SIGHUP)
        case .terminal(.signal(let number)): await signal(number)
        case .terminal(.focus(let isFocused)): await focus(isFocused)
        case .terminal(.wasAway(let absence)):
            absences += 1
            // After a stop by SIGSTOP, the process may go on in the background.
            if isOpen, TerminalPlace(at: terminal.input) != .front { await enter() }
            await wasAway(clock.now.advanced(by: .zero - absence))
            // The host may have covered its content.
            refresh(isAnother: false)
        case .terminal: break
        case .changed: refresh(isAnother: false)
        case .quiet(let number):
            if number == keystrokes, let event = decoder.giveUp() { await pressed(event) }
        case .shake(let step): shake(step)
        case .placeDue: await lookAtPlace()
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
        // Keys after Ctrl-C or Ctrl-Z are not meant for this screen. They are decoded, so that the decoder
        // keeps its state, and then dropped.
        var isDropping = false
        for index in 0..<bytes.count {
            var event: TerminalEvent?
            bytes.withBytes { span in
                decoder.decode(span.extracting(index..<(index + 1))) { found, _ in event = found }
            }
            guard let event, !isDropping else { continue }
            await pressed(event)
            isDropping = ending != nil || (takesSignals && event == .control("z"))
        }
        guard let patience = decoder.patience else { return }
        Task { [deliver, keystrokes] in
            try? await Task.sleep(for: patience)
            deliver(.quiet(keystrokes))
        }
    }

    private func pressed(_ event: TerminalEvent) async {
        // A focus report says whether a person is at the terminal. Every key press shows that a person is
        // at the terminal, even if the terminal or a multiplexer has reported a lost focus.
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
            // Some keys move the focus from one control to another and leave the content unchanged. So the
            // layer is drawn after every key, even without a change of its content.
            refresh(isAnother: true)
        }
    }

    private func watch(_ isWatched: Bool) {
        guard isWatched != self.isWatched else { return }
        self.isWatched = isWatched
        for layer in layers { layer.watch(isWatched) }
    }

    /// Handles a gained or lost focus, and calls ``focusChanged`` if the focus has changed.
    ///
    /// A key press does not call ``focusChanged``. So for the host, an absence begins when the focus is lost
    /// and ends only when the focus is gained again.
    private func focus(_ isFocused: Bool) async {
        watch(isFocused)
        guard isFocused != self.isFocused else { return }
        self.isFocused = isFocused
        await focusChanged(isFocused)
    }

    private func signal(_ number: Int32) async {
        switch number {
        case SIGWINCH:
            // The terminal may have been smaller for a moment and may have cut off parts of the screen. So
            // the whole screen is drawn again.
            shown = nil
            draw()
        case SIGTSTP: await stop()
        case SIGCONT:
            // In the background, the stage looks at its place anyway.
            guard isOpen else { return }
            // If an absence ends with the signal, the host is told of the absence first, because the host may
            // cover its content.
            guard await input.lookAtClock() == absences else { return deliver(.terminal(.signal(number))) }
            guard TerminalPlace(at: terminal.input) == .front else { return await enter() }
            terminal.enterRaw()
            output.draw(Array(Self.unpreparedReturn.utf8))
            shown = nil
            draw()
        default: ending = ending ?? .signal(number)
        }
    }

    /// Restores the terminal and stops this process, as SIGTSTP usually does.
    private func stop() async {
        // In the background, the stage stops the process anyway.
        guard isOpen else { return }
        await focus(false)
        output.draw(Array(Self.leave.utf8))
        await output.flush()
        terminal.restore()
        SignalWatch.stopProcess()
        await comeBack()
    }

    /// Shows the screens if the process is in front by now, and stops its job otherwise. Signals that came
    /// during an earlier stop, such as SIGTERM, were handled in the pause before.
    private func lookAtPlace() async {
        if TerminalPlace(at: terminal.input) == .behind { await focus(false) }
        if takesSignals, TerminalPlace(at: terminal.input) == .behind { SignalWatch.stopJob() }
        await comeBack()
    }
}
