internal import AdapterKit
internal import ArgumentParser
internal import CLinux
internal import GcryptKeystore
internal import LinuxSystem
internal import PasscodeLock
internal import PortcullisCore
internal import SealedSession
internal import SystemClock
internal import TerminalHost

/// `portcullis guard`: runs a terminal program behind the passcode lock.
struct Guard: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "guard",
        _superCommandName: "portcullis",
        abstract: "Run a terminal program behind the passcode lock.",
        discussion: """
            The program runs in a terminal of its own. It is covered by the lock screen when the terminal loses \
            its focus or the machine sleeps for the timeout, when nothing is typed for the idle time, and on the \
            lock key. What it prints meanwhile is kept, up to 1 MiB; then it waits. In a pipe, lines after the \
            lock key are answers, and the first ones where guard begins locked, needs a passcode for --seal or, \
            with --plain, offers one.

            With --seal, whenUnlocked values can be read while the session is unlocked and by its programs only: they \
            find guard through PORTCULLIS_AGENT, as `portcullis secret` does. From elsewhere, and while it is locked, \
            the key file does not open them. They are sealed under the passcode, and under a recovery passphrase for \
            when that is forgotten: `portcullis secret unseal`. A store sealed before needs no --seal.

            When a session ends it counts as left: one that begins later than the timeout asks for the passcode. \
            After a kill it asks only if it was locked or left before.

            "Forgot Passcode?" and Logout remove the passcode and end the program, with unsaved work. The shell that \
            started guard is then open; where it must not be, start `exec portcullis guard`. The next guard runs \
            unlocked, and the lock key sets a passcode again. If an app set a limit of wrong passcodes, only it logs out.

            The exit status is the program's, 128 + signal if a signal, or Ctrl-C before the program runs, ended it, \
            125 if guard itself failed, and 2 for options that it does not understand.
            """
    )

    /// The exit status for a failure of `guard` itself.
    static let ownFailure: Int32 = 125

    @OptionGroup var store: StoreOptions

    @Option(
        help: "Lock after a later absence this long: 10s, 15m, 1h or never. (default: as set; at first 15m)"
    )
    var timeout: TimeoutArgument?

    @Option(help: "Lock when nothing was typed for this long.")
    var idle: DurationArgument?

    @Option(help: "Whose passcode it is.")
    var user = "device"

    @Option(help: "The key that locks: ctrl- and a letter but h, i, j and m, or one of ] \\ ^ _ @.")
    var lockKey = LockKey.standard

    @Flag(help: "Tell screens in lines of text; the default when not on a terminal.")
    var plain = false

    @Flag(help: "Seal the store, so that its whenUnlocked values open in this session only.")
    var seal = false

    @OptionGroup var recovery: RecoveryOptions

    @Argument(
        parsing: .captureForPassthrough,
        help: "The program and its arguments, after the options or --. (default: $SHELL)",
        completion: NameCompletion.file
    )
    var command: [String] = []

    func validate() throws {
        if let first = command.first, first.hasPrefix("-"), first != "--", !asksForHelp {
            throw ValidationError(
                "Unknown option '\(first)'. A program whose name begins with a hyphen needs -- before it."
            )
        }
        guard UserID(user) != nil else { throw ValidationError("'\(user)' cannot be a user's id.") }
        if let idle, idle.duration == .zero { throw ValidationError("An idle time of nothing locks always.") }
    }

    /// The lock's configuration for these options.
    ///
    /// A sealed session always starts locked, because only the passcode opens the seal. At a limit that an app
    /// has set the session stays locked, because `guard` cannot sign the person out of the app.
    func lockConfiguration(isSealed: Bool) -> PasscodeConfiguration {
        PasscodeConfiguration(
            appName: "Portcullis",
            timeout: timeout?.timeout ?? .accountPreset,
            launch: isSealed ? .always : .resume,
            idleTimeout: idle?.duration,
            unlockNeedsKey: isSealed,
            carriesOutLimitAction: false
        )
    }

    private var program: [String] {
        let program = Array(command.first == "--" ? command.dropFirst() : command[...])
        guard program.isEmpty else { return program }
        let shell = Arguments.environment["SHELL"] ?? ""
        return [shell.isEmpty ? "/bin/sh" : shell]
    }

    /// Whether the command line requests help. `--help` counts only in front of the program, because later
    /// options belong to the program.
    private var asksForHelp: Bool { ["-h", "--help"].contains(command.first) }

    func run() async throws {
        if asksForHelp { throw CleanExit.helpRequest(self) }
        guard clinux_deny_tracing() == 0 else {
            throw ToolFailure("other processes cannot be kept from tracing guard", .guardFailed)
        }
        do {
            // The thread starts now, because the guarded program could use up the user's limit of threads.
            let worker = WorkerThread()
            do throws(ThreadRefusal) { try worker.start() } catch { throw SystemCallError(error) }
            let credential = try await store.credential(createsIfMissing: true)
            let keystore = try await store.open(with: credential, createsIfMissing: true, worker: worker)
            let seal = try await sessionSeal(of: keystore)
            let status = await run(on: keystore, seal: seal)
            await seal?.agent.stop()
            throw ExitCode(status)
        } catch let code as ExitCode {
            throw code
        } catch {
            throw ToolFailure(ToolFailure(error)?.message ?? "\(error)", .guardFailed)
        }
    }

    /// The seal of the store; `nil` if the store is not sealed and `--seal` is not given.
    ///
    /// If the store is not sealed yet, this method reads a new recovery passphrase. If no passphrase is
    /// given, the command fails before a passcode is set. A store is never sealed without a recovery
    /// passphrase, because a forgotten passcode would make the sealed data unreadable.
    private func sessionSeal(of keystore: GcryptKeystore) async throws -> SessionSeal? {
        guard seal || keystore.isSealed else { return nil }
        let environment = Arguments.environment
        var passphrase: SecretBytes?
        if !keystore.isSealed { passphrase = try await recovery.newPassphrase(store) }
        return try SessionSeal(of: keystore, recovery: passphrase, at: store.path(), environment: environment)
    }

    /// Runs the program with this store.
    ///
    /// - Returns: the exit status.
    private func run(on keystore: GcryptKeystore, seal: SessionSeal?) async -> Int32 {
        do {
            let software = GcryptPasscodeSealer()
            let sealer = try store.sealer(on: keystore, chip: store.tpm?.address, software: software)
            let clock = SystemClock()
            do throws(ThreadRefusal) {
                try software.start()
                try clock.start()
            } catch {
                throw SystemCallError(error)
            }
            let guarded = GuardedProgram(
                program,
                adding: seal.map { [SessionAgent.variable: $0.agent.socket] } ?? [:],
                clock: clock
            )
            let service = try PasscodeService(
                user: UserID(user) ?? .device,
                backends: Backends(secrets: keystore, sealer: sealer, clock: clock),
                session: guarded,
                configuration: lockConfiguration(isSealed: seal != nil)
            )
            try await service.demandHardware()
            let ending = try await GuardedRun(
                guarded,
                behind: service,
                options: GuardOptions(lockKey: lockKey, isPlain: plain, timeout: timeout?.timeout),
                texts: .ofTool,
                seal: seal
            ).run()
            if let reason = ending.text { say(reason) }
            if seal?.isSealedByOther == true { say(Self.sealedByOther) }
            if let seal, seal.hasOpened, !seal.isSealed { say(Self.isUnsealed) }
            if guarded.isSignedOut {
                if seal?.isSealed == true { say(Self.staysSealed) }
                do throws(SecretStoreError) { try await keystore.compact() } catch { say(Self.keepsRecord) }
            }
            return ending.status
        } catch {
            say(ToolFailure(error)?.message ?? "\(error)")
            return Self.ownFailure
        }
    }

    private static let sealedByOther =
        "the store was sealed from elsewhere first: the recovery passphrase given there opens it, and this one does not"
    private static let isUnsealed =
        "the store is not sealed any more: the seal was taken off while this session ran"
    private static let staysSealed =
        "the store stays sealed; `portcullis secret unseal` opens it with the recovery passphrase"
    private static let keepsRecord = "`portcullis secret compact` has to remove the passcode's record"

    private func say(_ message: String) {
        StandardError.write(partial: "portcullis guard: \(ForeignText.line(message))\n")
    }
}
