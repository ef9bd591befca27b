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
/// The program runs in a terminal of its own; what it shows and what is typed goes through the run. When the lock locks, the
/// lock screen covers the person's terminal, what is typed is for it, and what the program shows is kept, up to 1 MiB;
/// then the program waits. Unlocked, the program's screen is as it was.
///
/// It locks on the lock key, when the terminal's window was without the focus, the machine asleep or the process stopped
/// for the timeout, when nothing was typed for the idle time, and when ``lock()`` says so.
///
/// A run is for once: another one takes another program. Any number of them may go on at the same time, each on a
/// terminal of its own. When it has ended, none of its threads goes on but the one that waits for a program which could
/// not be ended, and the terminal is as it was.
public actor GuardedRun {
    /// What covers the program.
    enum Screen {
        case lock(ScreenDriver<LockScreen>)
        case setUp(ScreenDriver<FirstSetUpScreen>)

        var content: ScreenContent {
            switch self {
            case .lock(let screen): screen.content
            case .setUp(let screen): screen.content
            }
        }
    }

    /// How long the end waits for the store at most.
    private static let lastPatience = Duration.seconds(5)
    /// The exit status after logging out, which hangs the program up: 128 + SIGHUP.
    static let signedOut: Int32 = 129

    /// Where all of it runs, and the session too: covering needs no thread that is not there yet.
    let executor: ThreadExecutor
    /// The lock.
    public nonisolated let session: LockSession
    let driver: LockDriver
    let program: GuardedProgram
    let options: GuardOptions
    let texts: GuardTexts
    let clock: any LockClock
    /// What is sealed; `nil` where nothing is, nor is to be.
    let seal: (any GuardSeal)?
    let terminal: Terminal
    let pseudo: PseudoTerminal
    let output: OutputPump
    let input: InputPump
    /// The program's standard input; `nil` where that is the terminal.
    let pipe: ProgramPipe?
    let events: AsyncStream<GuardEvent>
    let deliver: @Sendable (GuardEvent) -> Void
    private let ended: @Sendable () -> Void
    private let wasRun = Atomic<Bool>(false)
    private var signals: SignalWatch?

    /// How screens are shown.
    let style: GuardFace

    var screen: Screen?
    /// Whether the screen is done with: it takes no more input and is about to go.
    var isClosing = false
    /// The lock that the screen was drawn for.
    var generation: UInt64 = 0
    /// Why the program was ended; `nil` where it ended by itself, or a signal ended it.
    var endReason: GuardEnding.Reason?
    /// Whether what is sealed was opened once: before that no program may run.
    var hasOpenedSeal = false
    /// Whether the program's output is held and what it showed is covered: by a screen of ours, or by nothing yet while
    /// the store is asked whether there is anything to lock with.
    var isCovered = false
    /// Whether a passcode was set when it was last looked for.
    var isPasscodeSet = false
    /// Whether a change of what the driver shows waits in the queue.
    var isChangePending = false
    /// Rises with each screen, so that what belongs to an earlier one is not taken for this one's.
    var screenNumber: UInt64 = 0
    var face: TerminalScreen?
    var plain = PlainScreens()
    var decoder = InputDecoder()
    var keystrokes: UInt64 = 0
    var awayTimer: Task<Void, Never>?
    var timeout = LockTimeout.never
    var isAway = false
    /// How many absences were taken note of.
    var absences = 0
    var isAwaitingLine = false
    var hasStarted = false
    var hasInputEnded = false
    /// The exit status of a program that ended behind the lock screen.
    var endedBehindLock: Int32?
    var exitStatus: Int32?
    /// Why the program could not be started.
    var failure: TerminalHostError?

    var service: PasscodeService { session.service }
    var isFullScreen: Bool { style == .drawn }
    /// Whether the program is what the person sees and types at.
    var isProgramInFront: Bool { screen == nil && !isCovered }

    /// The thread that all of it runs on.
    public nonisolated var unownedExecutor: UnownedSerialExecutor {
        unsafe executor.asUnownedSerialExecutor()
    }

    /// A run before it begins.
    ///
    /// The lock's configuration, its timeout and idle time among it, is the service's.
    ///
    /// - Parameters:
    ///   - program: what is guarded; the service's session, too, so that logging out ends it.
    ///   - service: the passcode. Where none is set yet, the run offers to set one.
    ///   - terminal: the person's; what it is when the run begins it is again when that has ended.
    ///   - options: the lock key and the like.
    ///   - texts: what is said.
    ///   - seal: what is opened by the passcode, and shut when it locks. The program starts only when it has been opened.
    /// - Throws: `systemFailure` when the process has no descriptor or the system no thread left.
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
            if !terminal.isTerminal || terminal.isDumb { .stream } else if options.isPlain { .lines } else {
                .drawn
            }
        let output = try OutputPump(
            terminal: terminal.output,
            face: style,
            around: terminal.around,
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
            sinceBoot: { clock.now.sinceBoot },
            deliver: deliver
        )
        pseudo.resize(to: terminal.size)
    }

    /// Runs until the program has ended, or something has ended the run: a signal, ``end()``, or that this task is
    /// cancelled. A program that still runs is hung up then, and killed after its grace period.
    ///
    /// - Returns: how it ended.
    /// - Throws: `systemFailure` when there is no thread or descriptor for it; `cannotRun`; `outputFailed`; `timeoutNotSet`;
    ///   `notSealed` and `sealedWithoutPasscode`; `unanswered`; `runBefore`. The terminal is as it was, whatever is thrown.
    public nonisolated func run() async throws(TerminalHostError) -> GuardEnding {
        guard !wasRun.exchange(true, ordering: .relaxed) else {
            throw TerminalHostError(code: .runBefore, message: "this run has begun before")
        }
        // What is delivered wakes the task where it prefers to run, though it goes on with the actor.
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

    // MARK: What the host says

    /// Locks now; where no passcode is set nothing happens.
    public nonisolated func lock() { deliver(.toLock) }

    /// Ends the run, and the program, as SIGHUP to this process would; ``run()`` returns when that is done.
    public nonisolated func end() { deliver(.signal(SIGHUP)) }

    /// The person's terminal has another size now. Needed only where SIGWINCH does not come or is not taken: for a terminal that
    /// is not this process's own, and without ``GuardOptions/takesSignals``.
    public nonisolated func terminalWasResized() { deliver(.signal(SIGWINCH)) }

    // MARK: Running

    private func takeEvents() async throws(TerminalHostError) -> GuardEnding {
        // Every thread that it takes to lock, before anything is done to the terminal.
        do throws(TerminalHostError) {
            try program.prepare()
            try output.start()
            try input.start()
            if options.takesSignals {
                signals = try SignalWatch { [deliver] in deliver(.signal($0)) }
            }
        } catch {
            output.abandon()
            await input.finish()
            ended()
            throw error
        }
        terminal.enterRaw()
        output.draw(Array(style.begin.utf8))
        let watcher = Task(executorPreference: executor) { await self.watchLock() }
        await begin()
        var next = events.makeAsyncIterator()
        while exitStatus == nil, failure == nil, let event = await next.next(isolation: self) {
            await handle(event)
        }
        watcher.cancel()
        await finish()
        if let failure { throw failure }
        return GuardEnding(status: exitStatus ?? 0, reason: endReason, hasStarted: hasStarted)
    }

    private func begin() async {
        connectDriver()
        await session.launch()
        await readTimeout()
        guard failure == nil else { return }
        if await session.state.isLocked { return await reconcile() }
        let isSet = (try? await service.status().isSet) ?? true
        let wasAsked = (try? await service.wasAsked()) ?? true
        if !isSet, let seal {
            guard !seal.isSealed else {
                // No passcode that is set from now on would open it.
                failure = TerminalHostError(
                    code: .sealedWithoutPasscode,
                    message: "no passcode is set that opens what is sealed"
                )
                return
            }
            return await showSetUp()
        }
        if !isSet, !wasAsked { return await showSetUp() }
        await hide()
    }

    private func finish() async {
        awayTimer?.cancel()
        disconnectDriver()
        dismissScreen()
        let (isNoted, patience) = noteAbsence()
        await program.end()
        seal?.end()
        await output.finish(isCovered: isCovered)
        await input.finish()
        terminal.restore()
        for await _ in isNoted {}
        patience?.cancel()
        signals?.end()
        ended()
    }

    /// The session is over, which is leaving it: the next one asks if it begins after the timeout.
    ///
    /// - Returns: what ends when that is written down, or when the store is not to be had for too long; and what waits so long.
    private func noteAbsence() -> (AsyncStream<Void>, Task<Void, Never>?) {
        let (isNoted, continuation) = AsyncStream<Void>.makeStream()
        guard !program.isSignedOut else {
            continuation.finish()
            return (isNoted, nil)
        }
        Task(executorPreference: executor) { [session] in
            await session.phaseChanged(to: .background)
            continuation.finish()
        }
        let patience = Task(executorPreference: executor) { [clock] in
            // Cancelled: it was written down before.
            try? await clock.sleep(until: .sinceBoot(clock.now.sinceBoot + Self.lastPatience))
            continuation.finish()
        }
        return (isNoted, patience)
    }

    func startProgram() {
        guard seal == nil || hasOpenedSeal else {
            // Whatever led here: the person relies on the seal.
            failure = TerminalHostError(code: .notSealed, message: "not sealed: it takes a passcode")
            return
        }
        hasStarted = true
        do throws(TerminalHostError) {
            try program.start(on: pseudo, input: pipe) { [deliver] in deliver(.programEnded($0)) }
        } catch {
            failure = error
            return
        }
        output.attach(master: pseudo.master)
        input.attach(master: pseudo.master, pipe: pipe?.takeWriteEnd())
        if hasInputEnded { input.end() }
    }

    /// The passcode of a locked session is gone: it is signed out here, too.
    ///
    /// Who removed it need not have known it, as logging out in another session takes nothing: what is covered stays so.
    func signOutWithoutPasscode() async {
        endReason = .passcodeLost
        await program.signOut()
        exitStatus = exitStatus ?? Self.signedOut
    }

    func readTimeout() async {
        do throws(PasscodeError) {
            if let wanted = options.timeout, try await service.status().isSet {
                do throws(PasscodeError) { try await service.setTimeout(wanted) } catch {
                    // Not what was asked for: better no program than one that locks later than the person thinks.
                    failure = TerminalHostError(
                        code: .timeoutNotSet,
                        message: "cannot set the timeout: \(error.message)",
                        cause: error
                    )
                }
            }
            let status = try await service.status()
            timeout = status.timeout
            isPasscodeSet = isPasscodeSet || status.isSet
        } catch {
            // Locked; its screen says why.
            timeout = .immediately
        }
        input.setTimeout(timeout)
        output.setTimeout(timeout)
    }

    /// Lets time pass where the run is, which Swift's own sleep does not.
    func pause(for time: Duration) async {
        try? await clock.sleep(until: .sinceBoot(clock.now.sinceBoot + time))
    }

    // MARK: Watching

    private func watchLock() async {
        for await state in await session.states() {
            // At once, whatever the events before this one are waiting for.
            if state.isLocked { seal?.lock(for: state.generation) }
            deliver(.lockChanged)
        }
    }
}
