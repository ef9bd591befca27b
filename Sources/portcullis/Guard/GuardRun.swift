internal import AdapterKit
internal import LockScreens
internal import PasscodeLock
internal import PortcullisCore
internal import SealedSession
internal import TerminalScreens

#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#elseif canImport(Darwin)
internal import Darwin
#endif

/// One run of a program behind the lock: takes what happens, one event after the other, and moves input and
/// output between the terminal, the program and the screens.
///
/// Nothing in it blocks: terminal, program and signals have threads of their own.
actor GuardRun {
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
    let session: LockSession
    let driver: LockDriver
    let program: GuardedProgram
    let options: GuardOptions
    let clock: any LockClock
    /// The seal of the store; `nil` for a session whose secrets its key file opens.
    let seal: SessionSeal?
    let terminal = GuardedTerminal()
    let pseudo: PseudoTerminal
    let output: OutputPump
    let input: InputPump
    /// The program's standard input; `nil` where that is the terminal.
    let pipe: ProgramPipe?
    let events: AsyncStream<GuardEvent>
    let deliver: @Sendable (GuardEvent) -> Void

    /// How screens are shown.
    let style: GuardFace

    var screen: Screen?
    /// Whether the screen is done with: it takes no more input and is about to go.
    var isClosing = false
    /// The lock that the screen was drawn for.
    var generation: UInt64 = 0
    /// Why the program was ended; `nil` where it ended by itself, or a signal ended it.
    var endReason: String?
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
    var failure: GuardFailure?

    var service: PasscodeService { session.service }
    var isFullScreen: Bool { style == .drawn }
    /// Whether the program is what the person sees and types at.
    var isProgramInFront: Bool { screen == nil && !isCovered }

    nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe executor.asUnownedSerialExecutor() }

    /// A run before it begins; opens the program's terminal.
    ///
    /// - Parameter executor: the session's, too.
    init(
        session: LockSession,
        on executor: ThreadExecutor,
        program: GuardedProgram,
        options: GuardOptions,
        clock: any LockClock,
        seal: SessionSeal? = nil
    ) throws(GuardFailure) {
        self.executor = executor
        self.session = session
        self.driver = LockDriver(session: session)
        self.program = program
        self.options = options
        self.clock = clock
        self.seal = seal
        let (events, continuation) = AsyncStream<GuardEvent>.makeStream()
        let deliver: @Sendable (GuardEvent) -> Void = { continuation.yield($0) }
        self.events = events
        self.deliver = deliver
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

    /// Runs until the program has ended.
    ///
    /// - Returns: the exit status.
    nonisolated func run() async throws(GuardFailure) -> Int32 {
        // What is delivered wakes the task where it prefers to run, though it goes on with the actor.
        let ending = Task(executorPreference: executor) { () async -> Result<Int32, GuardFailure> in
            do throws(GuardFailure) { return .success(try await self.takeEvents()) } catch {
                return .failure(error)
            }
        }
        return try await ending.value.get()
    }

    private func takeEvents() async throws(GuardFailure) -> Int32 {
        // Every thread that it takes to lock, before anything is done to the terminal.
        try program.prepare()
        try SignalWatch.start { [deliver] in deliver(.signal($0)) }
        terminal.enterRaw()
        output.draw(Array(style.begin.utf8))
        let watcher = Task(executorPreference: executor) { await self.watchLock() }
        defer { watcher.cancel() }
        await begin()
        var next = events.makeAsyncIterator()
        while exitStatus == nil, failure == nil, let event = await next.next(isolation: self) {
            await handle(event)
        }
        await finish()
        if let failure { throw failure }
        return exitStatus ?? 0
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
                failure = GuardFailure(
                    "no passcode is set that opens the sealed store; `portcullis secret unseal` opens it with the recovery passphrase"
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
        let isNoted = noteAbsence()
        await program.end()
        seal?.end()
        await output.finish(isCovered: isCovered)
        terminal.restore()
        for await _ in isNoted {}
    }

    /// The session is over, which is leaving it: the next one asks if it begins after the timeout.
    ///
    /// - Returns: what ends when that is written down, or when the store is not to be had for too long.
    private func noteAbsence() -> AsyncStream<Void> {
        let (isNoted, continuation) = AsyncStream<Void>.makeStream()
        guard !program.isSignedOut else {
            continuation.finish()
            return isNoted
        }
        Task(executorPreference: executor) { [session] in
            await session.phaseChanged(to: .background)
            continuation.finish()
        }
        Task(executorPreference: executor) { [clock] in
            try? await clock.sleep(until: .sinceBoot(clock.now.sinceBoot + Self.lastPatience))
            continuation.finish()
        }
        return isNoted
    }

    func startProgram() {
        guard seal?.hasOpened != false else {
            // Whatever led here: the person relies on the seal.
            failure = GuardFailure("the store is not sealed: it takes a passcode")
            return
        }
        hasStarted = true
        do {
            try program.start(options.command, on: pseudo, input: pipe, agent: seal?.agent.socket) {
                [deliver] in
                deliver(.programEnded($0))
            }
        } catch {
            failure = error
            return
        }
        output.attach(master: pseudo.master)
        input.attach(master: pseudo.master, pipe: pipe?.write)
        if hasInputEnded { input.end() }
    }

    /// The passcode of a locked session is gone: it is signed out here, too.
    ///
    /// Who removed it need not have known it, as logging out in another session takes nothing: what is covered stays so.
    func signOutWithoutPasscode() async {
        endReason = GuardTexts.lostPasscode(hasStarted: hasStarted)
        await program.signOut()
        exitStatus = exitStatus ?? Self.signedOut
    }

    func readTimeout() async {
        do throws(PasscodeError) {
            if let wanted = options.timeout, try await service.status().isSet {
                do throws(PasscodeError) { try await service.setTimeout(wanted) } catch {
                    // Not what was asked for: better no program than one that locks later than the person thinks.
                    failure = GuardFailure("cannot set the timeout: \(error.message)")
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
