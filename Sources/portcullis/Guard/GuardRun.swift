internal import PasscodeLock
internal import PortcullisCore
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
    enum Screen: Sendable {
        case lock(LockScreen, generation: UInt64)
        case setUp(FirstSetUpScreen)

        var content: ScreenContent {
            switch self {
            case .lock(let screen, _): screen.content
            case .setUp(let screen): screen.content
            }
        }
    }

    /// The exit status after logging out, which hangs the program up: 128 + SIGHUP.
    static let signedOut: Int32 = 129

    let session: LockSession
    let program: GuardedProgram
    let options: GuardOptions
    let clock: any LockClock
    /// The seal of the store; `nil` for a session whose secrets its key file opens.
    let seal: SessionSeal?
    let terminal = GuardedTerminal()
    let pseudo: PseudoTerminal
    let output: OutputPump
    let input: InputPump
    let events: AsyncStream<GuardEvent>
    let deliver: @Sendable (GuardEvent) -> Void

    /// How screens are shown.
    let style: GuardFace

    var screen: Screen?
    /// Whether the screen is done with: it takes no more input and is about to go.
    var isClosing = false
    /// Whether a passcode of this lock screen unlocked, and not only news of a passcode that is gone.
    var isProven = false
    /// Why the program was ended; `nil` where it ended by itself, or a signal ended it.
    var endReason: String?
    /// Whether the program's output is held and what it showed is covered: by a screen of ours, or by nothing yet while
    /// the store is asked whether there is anything to lock with.
    var isCovered = false
    /// The format of the passcode, as it was last read.
    var format: PasscodeFormat?
    /// Rises with each screen, so that what belongs to an earlier one is not taken for this one's.
    var screenNumber: UInt64 = 0
    var face: TerminalScreen?
    var plain = PlainScreens()
    var decoder = InputDecoder()
    var keystrokes: UInt64 = 0
    var prompt: Task<Void, Never>?
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

    /// A run before it begins; opens the program's terminal.
    init(
        session: LockSession,
        program: GuardedProgram,
        options: GuardOptions,
        clock: any LockClock,
        seal: SessionSeal? = nil
    ) throws(GuardFailure) {
        self.session = session
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
            sinceBoot: { clock.now.sinceBoot },
            withheld: { deliver(.withheld) }
        )
        self.output = output
        self.input = try InputPump(
            input: terminal.input,
            isTerminal: terminal.isTerminal,
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
    func run() async throws(GuardFailure) -> Int32 {
        try SignalWatch.start { [deliver] in deliver(.signal($0)) }
        terminal.enterRaw()
        output.draw(Array(style.begin.utf8))
        let watcher = Task { await watchLock() }
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
        for task in [prompt, awayTimer] { task?.cancel() }
        await program.end()
        seal?.end()
        await output.finish(isCovered: isCovered)
        terminal.restore()
    }

    func startProgram() {
        guard seal?.hasOpened != false else {
            // Whatever led here: the person relies on the seal.
            failure = GuardFailure("the store is not sealed: it takes a passcode")
            return
        }
        hasStarted = true
        do {
            try program.start(options.command, on: pseudo, agent: seal?.agent.path) { [deliver] in
                deliver(.programEnded($0))
            }
        } catch {
            failure = error
            return
        }
        output.attach(master: pseudo.master)
        input.attach(master: pseudo.master)
        if hasInputEnded { input.sendControl(4) }
    }

    /// The passcode of a locked session is gone: it is signed out here, too.
    ///
    /// Who removed it need not have known it, as logging out in another session takes nothing: what is covered stays so.
    func signOutWithoutPasscode() async {
        endReason = GuardTexts.lostPasscode
        await program.signOut(.everything)
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
            if status.isSet { format = status.format }
        } catch {
            // Locked; its screen says why.
            timeout = .immediately
        }
        input.setTimeout(timeout)
        output.setTimeout(timeout)
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
