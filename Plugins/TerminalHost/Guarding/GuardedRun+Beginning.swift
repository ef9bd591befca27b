internal import LinuxSystem
internal import PasscodeLock
internal import PortcullisCore

/// Begins the run.
extension GuardedRun {
    /// Begins the run. While the store is read, which may take long, two kinds of events are handled at
    /// once: a lock shows its screen, and a signal that ends a process ends the run. All other events are
    /// handled afterwards.
    func begin(with next: inout AsyncStream<GuardEvent>.Iterator) async {
        connectDriver()
        let launch = Task(executorPreference: executor) {
            let found = await self.launch()
            self.deliver(.begun)
            return found
        }
        var later: [GuardEvent] = []
        while exitStatus == nil, let event = await nextEvent(from: &next) {
            switch event {
            case .lockChanged: if await session.state.isLocked { await reconcile() }
            case .signal(let number) where SignalWatch.ending.contains(number): await signal(number)
            case .begun:
                await begin(after: await launch.value)
                for event in later where exitStatus == nil && failure == nil { await handle(event) }
                return
            default: later.append(event)
            }
        }
    }

    /// Launches the session, and records the timeout.
    ///
    /// - Returns: whether a passcode is set, and whether the person was asked before to set one; `nil` if the
    ///   session is locked.
    private func launch() async -> (isSet: Bool, wasAsked: Bool)? {
        await session.launch()
        await recordTimeout()
        return await session.state.isLocked ? nil : await readPasscode()
    }

    private func readPasscode() async -> (isSet: Bool, wasAsked: Bool) {
        ((try? await service.status().isSet) ?? true, (try? await service.wasAsked()) ?? true)
    }

    /// Shows the first screen, or starts the program. If the passcode's state is read here, further events,
    /// also signals, are handled after the read.
    ///
    /// - Parameter launch: what `launch()` has found; `nil` if the session was locked meanwhile.
    func begin(after launch: (isSet: Bool, wasAsked: Bool)?) async {
        // A lock that ended during the launch may have started the program already.
        guard failure == nil, !hasStarted else { return }
        if await session.state.isLocked { return await reconcileLock() }
        // If `launch` is `nil`, the lock of the session has ended since then, for example because the store
        // could be read again. So the passcode's present state is read.
        let launch = if let launch { launch } else { await readPasscode() }
        // The session may have locked during the read.
        if await session.state.isLocked { return await reconcileLock() }
        if !launch.isSet, let seal {
            guard !seal.isSealed else {
                // No passcode is set, and a new passcode could not open the sealed content. So the run fails.
                failure = TerminalHostError(
                    code: .sealedWithoutPasscode,
                    message: "no passcode is set that opens what is sealed"
                )
                return
            }
            return await showSetUp()
        }
        if !launch.isSet, !launch.wasAsked {
            guard terminal.hasPipedInput, !options.isPlain else { return await showSetUp() }
            // A pipe may hold data for the program, which must not be read as answers. So the offer is made
            // only when the lock key comes in the pipe, or if the host asks for lines of text. A hint in the
            // output would get into the program's output. If no process reads the errors, the hint must not end
            // this process. The thread is the run's own.
            Descriptors.blockBrokenPipeSignal()
            PromptOutput(terminal.errors).say(texts.howToSetInPipe(options.lockKey))
        }
        await hide()
    }

    func startProgram() {
        // A signal may have ended the run while the store was read.
        guard exitStatus == nil else { return }
        // The host may have signed out meanwhile.
        if program.isSignedOut { return signedOutHere() }
        guard seal == nil || hasOpenedSeal else {
            // This function is the only place that starts the program, so the seal is checked here.
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
}
