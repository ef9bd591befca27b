internal import AdapterKit
internal import LockScreens
public import PasscodeLock
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

/// One run of a program in a person's terminal, behind a passcode lock.
///
/// The program runs in a terminal of its own, and all its output and input pass through the run. When the
/// session locks, the lock screen covers the person's terminal and gets the input. Meanwhile the program's
/// output is kept, up to 1 MiB. At that limit the program waits. After unlocking, the program's screen is
/// shown as before.
///
/// The run locks in these cases:
/// - The person presses the lock key.
/// - Nothing was typed for the idle time.
/// - ``lock()`` is called.
/// - The terminal's window was without the focus for the length of the timeout.
/// - The machine was asleep, or the process was stopped, for the length of the timeout.
///
/// A sleep or a stop by SIGSTOP of less than 3 seconds does not count, because a busy machine can hold a
/// process up for as long.
///
/// Input from a pipe or a file is the program's input, and waits while the run is locked. Lines after a lock
/// key in the pipe are answers for the run's screens. The first lines are answers only if the run begins
/// locked, or if a passcode has to be set for a seal before the program starts. If no passcode is set, such a
/// run offers to set one at its start only with ``GuardOptions/isPlain``, and the first lines are answers then,
/// too. Without it, a hint is written to the terminal's ``Terminal/errors``.
///
/// In the background of the process's terminal the run leaves the terminal as it is, and stops the job of the
/// process, as the system stops a job that reads there. The run goes on when the job is in front.
///
/// A run and its program can be used only once. Any number of runs may be active at the same time, each on a
/// terminal of its own. After a run the terminal is as before, and the run's threads have ended, with two
/// exceptions. A thread may still wait for a program that could not be ended. Another thread may still read
/// the input from a file whose server does not answer.
public actor GuardedRun {
    /// The screen that covers the program.
    enum Screen {
        case lock(ScreenDriver<LockScreen>)
        case setUp(ScreenDriver<FirstSetUpScreen>)
        /// The recovery screen covers the lock screen.
        case recovery(ScreenDriver<RecoverPasscodeScreen>)

        var driver: any ContentDriver {
            switch self {
            case .lock(let driver): driver
            case .setUp(let driver): driver
            case .recovery(let driver): driver
            }
        }

        var content: ScreenContent { driver.content }
    }

    /// The longest time that an ending or stopping run waits for the store.
    static let lastPatience = Duration.seconds(5)
    /// The exit status after logging out: 128 + SIGHUP, because logging out sends SIGHUP to the program.
    static let signedOut: Int32 = 129

    /// The thread on which the run and its session work. It exists from the start, so covering never waits
    /// for a new thread.
    let executor: ThreadExecutor
    /// The lock.
    public nonisolated let session: LockSession
    let driver: LockDriver
    let program: GuardedProgram
    let options: GuardOptions
    let texts: GuardTexts
    let clock: any LockClock
    /// The sealed content; `nil` if nothing is sealed.
    let seal: (any GuardSeal)?
    private(set) var terminal: Terminal
    /// Whether the run has taken the terminal before. If not, it has nothing to restore.
    private(set) var hasTakenTerminal = false
    let pseudo: PseudoTerminal
    let output: OutputPump
    let input: InputPump
    /// The program's standard input; `nil` if the terminal is its input.
    let pipe: ProgramPipe?
    let events: AsyncStream<GuardEvent>
    let deliver: @Sendable (GuardEvent) -> Void
    /// The events that came while the run waited in the background. They are handled before those of
    /// ``events``, which came later.
    var deferred: [GuardEvent] = []
    let ended: @Sendable () -> Void
    private let wasRun = Atomic<Bool>(false)
    var signals: SignalWatch?

    /// The way in which the run shows screens.
    let style: GuardFace

    var screen: Screen?
    /// The recovery screen, from the person's request until the screen ends or the run locks again.
    var recovery: ScreenDriver<RecoverPasscodeScreen>?
    /// Whether the screen is ending. An ending screen accepts no input. If the run stays locked, the screen
    /// stays; if not, the screen is removed.
    var isClosing = false
    /// Whether a lock was requested while the run's screen was ending. When the screen has ended, the run
    /// locks without uncovering the program.
    var locksAgain = false
    /// The generation of the lock that the screen was shown for.
    var generation: UInt64 = 0
    /// The reason why the lock ended the program; `nil` if the program ended by itself or by a signal.
    var endReason: GuardEnding.Reason?
    /// Whether the sealed content was opened once. Before that, the program must not run.
    var hasOpenedSeal = false
    /// Whether the program's output is held and covered: by a screen of the run, or by an empty cover while
    /// the store is read to find whether a passcode is set.
    var isCovered = false
    /// Whether a passcode was found during the run. A later removal changes nothing.
    var isPasscodeSet = false
    /// Whether the run has recorded the wanted timeout for a passcode.
    var hasRecordedTimeout = false
    /// Whether a task beside the run records the wanted timeout.
    var isRecordingTimeout = false
    /// Whether an event for a change of a screen waits in the queue.
    var isChangePending = false
    /// Whether an event for another size of the terminal waits in the queue.
    var isResizePending = false
    /// The number of the current screen. It grows with each screen. An event with the number of an earlier
    /// screen is ignored.
    var screenNumber: UInt64 = 0
    var face: TerminalScreen?
    var plain = PlainScreens()
    var decoder = InputDecoder()
    var keystrokes: UInt64 = 0
    var awayTimer: Task<Void, Never>?
    /// The timeout that the timer, ``InputPump`` and ``OutputPump`` use. The session may have a newer
    /// timeout, which ``followTimeout()`` takes over.
    var timeout = LockTimeout.never
    /// The boot-clock time at which the terminal's window lost the focus; `nil` while it has the focus.
    var awaySince: Duration?
    /// The number of absences that were handled.
    var absences = 0
    var isAwaitingLine = false
    var hasStarted = false
    var hasInputEnded = false
    /// The exit status of a program that ended while it was covered.
    var endedBehindLock: Int32?
    var exitStatus: Int32?
    /// Whether the run ends because the program has ended by itself.
    var hasProgramEnded = false
    /// The error with which the run ends.
    var failure: TerminalHostError?

    var service: PasscodeService { session.service }
    /// Whether the wanted timeout still has to be recorded, once a passcode is set.
    var owesTimeout: Bool { options.timeout != nil && !hasRecordedTimeout }
    var isFullScreen: Bool { style == .drawn }
    var isAway: Bool { awaySince != nil }
    /// Whether the person sees the program. If so, typed input is for the program.
    var isProgramInFront: Bool { screen == nil && !isCovered }

    /// The thread on which the actor runs.
    public nonisolated var unownedExecutor: UnownedSerialExecutor {
        unsafe executor.asUnownedSerialExecutor()
    }

    /// Creates a run that has not begun.
    ///
    /// The lock's configuration, including timeout and idle time, is that of the service.
    ///
    /// - Parameters:
    ///   - program: the guarded program. The program is also the service's session, so logging out ends the
    ///     program.
    ///   - service: the passcode service. If no passcode is set yet, the run offers to set one. If the input
    ///     is a pipe, that needs ``GuardOptions/isPlain``.
    ///   - terminal: the person's terminal. After the run it has the state from before the run.
    ///   - options: the lock key and further options.
    ///   - texts: the texts of the run.
    ///   - seal: the content that the passcode opens and the lock shuts. The program starts only after the
    ///     content was opened.
    /// - Throws: `systemFailure` when the process has no descriptor left, or the system has no thread left.
    public init(
        _ program: GuardedProgram,
        behind service: PasscodeService,
        on terminal: Terminal = Terminal(),
        options: GuardOptions = GuardOptions(),
        texts: GuardTexts = GuardTexts(),
        seal: (any GuardSeal)? = nil
    ) throws(TerminalHostError) {
        let executor: ThreadExecutor
        do throws(ThreadRefusal) { executor = try ThreadExecutor() } catch { throw TerminalHostError(error) }
        let clock = service.clock
        self.executor = executor
        session = LockSession(service: service, executor: executor)
        driver = LockDriver(session: session)
        self.program = program
        self.terminal = terminal
        self.options = options
        self.texts = texts
        self.clock = clock
        self.seal = seal
        let (events, continuation) = AsyncStream<GuardEvent>.makeStream()
        let deliver: @Sendable (GuardEvent) -> Void = { continuation.yield($0) }
        self.events = events
        self.deliver = deliver
        ended = { continuation.finish() }
        self.pseudo = try PseudoTerminal(attributes: terminal.attributes)
        style =
            if !terminal.hasTerminalOutput || terminal.isDumb {
                .stream
            } else if options.isPlain || !terminal.isTerminal {
                .lines(isTyped: terminal.isTerminal)
            } else {
                .drawn
            }
        let due = LockDue(idleTime: service.configuration.idleTimeout)
        let output = try OutputPump(
            terminal: terminal.output,
            face: style,
            around: terminal.around,
            due: due,
            sinceBoot: { clock.now.sinceBoot },
            withheld: { deliver(.withheld) },
            failed: { deliver(.outputFailed($0)) }
        )
        self.output = output
        pipe = terminal.hasPipedInput ? try ProgramPipe() : nil
        self.input = try InputPump(
            input: terminal.input,
            isTerminal: terminal.isTerminal,
            isPiped: terminal.hasPipedInput,
            lockKey: options.lockKey,
            wantsFocus: { output.programWantsFocus },
            due: due,
            sinceBoot: { clock.now.sinceBoot },
            deliver: deliver
        )
        pseudo.resize(to: terminal.size)
    }

    /// Runs until the program has ended, or until a signal, ``end()`` or the cancellation of this task ends
    /// the run. If the program still runs then, it gets SIGHUP, and SIGKILL after its grace period.
    ///
    /// - Returns: how the run ended.
    /// - Throws: `systemFailure`, `cannotRun`, `outputFailed`, `timeoutNotSet`, `notSealed`,
    ///   `sealedWithoutPasscode`, `unanswered` or `runBefore`. ``TerminalHostErrorCode`` explains these
    ///   codes. The terminal is restored before an error is thrown.
    public nonisolated func run() async throws(TerminalHostError) -> GuardEnding {
        guard !wasRun.exchange(true, ordering: .relaxed) else {
            throw TerminalHostError(code: .runBefore, message: "this run has begun before")
        }
        // A delivered event first wakes the task on its preferred executor. The actor continues the task
        // afterwards. Without a preferred executor, the waking would need a thread of Swift's shared pool,
        // which may have no free thread.
        let ending = Task(executorPreference: executor) {
            () async -> Result<GuardEnding, TerminalHostError> in
            do throws(TerminalHostError) { return .success(try await self.takeEvents()) } catch {
                return .failure(error)
            }
        }
        let result = await withTaskCancellationHandler {
            await ending.value
        } onCancel: {
            end()
        }
        return try result.get()
    }

    // MARK: Calls of the host

    /// Locks now. If no passcode is set, the program is covered only while the passcode store is read.
    public nonisolated func lock() { deliver(.toLock) }

    /// Ends the run and the program, as SIGHUP to this process would. ``run()`` returns when both have ended.
    public nonisolated func end() { deliver(.signal(SIGHUP)) }

    /// Tells the run that the person's terminal has another size. The host has to call this in two cases: the
    /// terminal is not this process's own, or ``GuardOptions/takesSignals`` is `false`.
    public nonisolated func terminalWasResized() { deliver(.signal(SIGWINCH)) }

    // MARK: Running

    private func takeEvents() async throws(TerminalHostError) -> GuardEnding {
        // A run needs several threads. All of them are started before the terminal is changed, so that the
        // terminal stays unchanged if the system has no thread left.
        do throws(TerminalHostError) {
            guard terminal.hasOutput else {
                throw TerminalHostError(.outputFailed, "the output cannot be written to", errno: EBADF)
            }
            try program.prepare()
            try output.start()
            try input.start()
            if options.takesSignals {
                // Without a terminal, the process may run under `nohup`. It must then outlast the person's
                // terminal.
                let sparing: SignalWatch.Sparing = terminal.hasPipedInput ? .ignored : .none
                signals = try SignalWatch(sparing: sparing) { [deliver] in deliver(.signal($0)) }
            }
        } catch {
            output.abandon()
            await input.finish()
            ended()
            throw error
        }
        await waitForFront()
        if exitStatus == nil {
            // Until now this process may have been in the background, where a shell had set the attributes
            // for its own line. The program's terminal and `restoreTerminal()` get the person's attributes.
            terminal.readAttributes()
            if let attributes = terminal.attributes { pseudo.set(attributes) }
            hasTakenTerminal = true
            takeTerminal()
            output.draw(Array(style.begin.utf8))
        }
        let watchers = [
            Task(executorPreference: executor) { await self.watchLock() },
            Task(executorPreference: executor) { await self.watchTimeout() },
        ]
        var next = events.makeAsyncIterator()
        await begin(with: &next)
        while exitStatus == nil, failure == nil, let event = await nextEvent(from: &next) {
            await handle(event)
        }
        for watcher in watchers { watcher.cancel() }
        await finish()
        if let failure { throw failure }
        return GuardEnding(status: exitStatus ?? 0, reason: endReason, hasStarted: hasStarted)
    }

    /// Handles the end of a lock without a proof. No passcode is set at this time.
    ///
    /// If the session has lost a passcode while it was locked, the passcode was removed elsewhere. The
    /// removal does not prove that the person knows the passcode, because logging out in another session
    /// removes the passcode without asking for it. So the program stays covered, and the session is signed
    /// out.
    ///
    /// If no passcode was set when the session locked, the session was locked only because the store could
    /// not be read. So the program is uncovered, or the run begins.
    func lockEndedWithoutProof() async {
        if await session.hasLostPasscode { return await endLost() }
        guard hasStarted else { return await begin(after: nil) }
        if locksAgain { return await lockBehindScreen() }
        await hide()
    }

    /// Signs the session out, because it has lost its passcode while it was locked.
    func endLost() async {
        // The host may have signed out meanwhile.
        if program.isSignedOut { return signedOutHere() }
        if hasStarted, await cover() { setLines(isEchoed: false) }
        endReason = .passcodeLost
        await program.signOut()
        exitStatus = exitStatus ?? Self.signedOut
    }

    /// Waits on the run's executor. Swift's own sleep would need a thread of the shared pool, and all threads
    /// of the pool may be busy.
    func pause(for time: Duration) async {
        try? await clock.sleep(until: .sinceBoot(clock.now.sinceBoot + time))
    }

    // MARK: Watching

    private func watchLock() async {
        for await state in await session.states() {
            // The sealed content is shut at once, before the events in the queue are handled.
            if state.isLocked { seal?.lock(for: state.generation) }
            deliver(.lockChanged)
        }
    }
}
