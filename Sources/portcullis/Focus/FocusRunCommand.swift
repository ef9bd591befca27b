#if os(Linux)
internal import ArgumentParser
internal import ConsoleNotifier
internal import GcryptKeystore
internal import GoalLock
internal import LinuxSystem
internal import PortcullisCore
internal import ProcessShield
internal import ProgressSources
internal import SystemClock
internal import TerminalHost

#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#endif

extension FocusCommand {
    struct Run: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "run",
            abstract: "Shut the chosen apps, and open them when the day's goal is reached.",
            discussion: """
                Example: games stay shut until a step counter has written 10,000 into a file:

                  portcullis focus run --goal 10000 --progress-file ~/steps.txt --category Game

                Progress is the day's total, a plain number, from a command, a file (it counts for the date on which \
                it was written) or lines of standard input. While it cannot be read, apps stay as they are. Run by \
                root, this also keeps the account's programs, such as a backup, from reading a shut app's file.

                On a terminal a line shows how things are; otherwise, and with --json, each change is a line of \
                JSON with the keys event (status, day, started, problem, solved, notification, ended) and, of a status, \
                date, title, progress, progressKnown (false also until this run has read a number), goal, unlocked, \
                reason, shut, apps, categories, untilNextDay.

                Ctrl-C, a signal or a closed terminal ends the run with 128 + the signal's number. What is shut \
                stays shut; the next run goes on from there, and `portcullis focus release` opens everything. The \
                run ends with 0 when that happens, or when standard input ends. With --once it ends with 0 when \
                the goal is reached and apps are open, and with 1 if it ended before.

                While App Lock is on, a lower goal, less to shut and another start of the day ask for the passcode, \
                where one is set: at a hidden prompt, or as the first line of standard input.
                """
        )

        @OptionGroup var options: FocusOptions
        @Option(help: ArgumentHelp("How far to get each day, above zero.", valueName: "number"))
        var goal: Double
        @Option(
            help: ArgumentHelp(
                "A shell command that prints the progress. Never run as root.",
                valueName: "command"
            )
        )
        var progress: String?
        @Option(
            help:
                "How often to ask for the progress, from 1s on. A command that takes longer, or over 60 s, is ended."
        )
        var every = DurationArgument(.seconds(30))
        @Option(
            help: ArgumentHelp("A file that holds the progress.", valueName: "file"),
            completion: NameCompletion.file
        )
        var progressFile: String?
        @Flag(help: "Each line of standard input is the progress.")
        var progressStdin = false
        @Option(
            help: ArgumentHelp(
                "An app to shut: its token from `focus apps`, or a program's path. (default: as chosen before)",
                valueName: "token"
            ),
            completion: NameCompletion.apps
        )
        var app: [String] = []
        @Option(
            help: ArgumentHelp("A category of apps to shut, such as Game.", valueName: "name"),
            completion: NameCompletion.categories
        )
        var category: [String] = []
        @Option(
            help: ArgumentHelp("When days start: 00:00 to 06:00. (default: as set before)", valueName: "time")
        )
        var dayStart: TimeOfDayArgument?
        @Option(help: "What the goal is called.")
        var title = "Steps"
        @Flag(help: "End when today's goal is reached.")
        var once = false
        @Flag(help: "Tell everything in lines of JSON, also on a terminal.")
        var json = false

        func validate() throws {
            guard goal.isFinite, goal > 0 else { throw ValidationError("--goal is a number above zero") }
            guard [progress != nil, progressFile != nil, progressStdin].count(where: \.self) == 1 else {
                throw ValidationError("name one of --progress, --progress-file and --progress-stdin")
            }
            guard every.duration >= .seconds(1) else { throw ValidationError("--every is at least 1s") }
            if let time = dayStart?.time, (time.hour, time.minute) > (6, 0) {
                throw ValidationError("--day-start is 00:00 to 06:00")
            }
            if progressStdin, options.store.passphraseFile == "-" {
                throw ValidationError("standard input holds either the passphrase or the progress")
            }
            if progress?.allSatisfy(\.isWhitespace) == true {
                throw ValidationError("--progress is an empty command")
            }
        }

        func run() async throws {
            let person = try options.person()
            // If root ran the command, each person who may edit the command could run any program as root.
            if progress != nil, person.isRoot {
                throw ToolFailure(
                    "a progress command never runs as root: name an ordinary user with --account",
                    .usage
                )
            }
            // The names are checked before the store is opened, so a wrong name creates no store.
            let named = try await FocusBackends.bareShield(of: person).selection(
                apps: app,
                categories: category
            )
            let (signals, continuation) = AsyncStream<Int32>.makeStream()
            let deliver: @Sendable (Int32) -> Void = { continuation.yield($0) }
            let isTerminal = !json && StandardOutput.isTerminal
            let output = Self.output(isTerminal: isTerminal) { deliver(SIGPIPE) }
            let credential = try await options.store.credential(createsIfMissing: !named.isEmpty)
            let parts: FocusBackends
            do {
                parts = try await FocusBackends(
                    options,
                    credential: credential,
                    // If the command line names neither an app nor a category, the selection must come from
                    // an existing store.
                    createsIfMissing: !named.isEmpty,
                    format: isTerminal ? .plain : .jsonLines,
                    notifications: { output.notify($0) }
                )
            } catch let error as SecretStoreError where error.code == .missingStore {
                throw Self.nothingChosen
            }
            let service = try parts.service(GoalConfiguration(goal: goal, title: title))
            let before = try await service.status()
            if named.isEmpty, before.selection.isEmpty { throw Self.nothingChosen }
            let gate = GoalGate(service, user: options.userID) { [progressStdin, backends = parts.backends] in
                try await Self.permit(
                    $1,
                    through: PasscodeGate(backends, user: $0),
                    progressStdin: progressStdin
                )
            }
            // If the command line names no app, the stored selection is kept.
            try await gate.pass(
                GoalRequest(goal: goal, selection: named.isEmpty ? nil : named, dayStart: dayStart?.time)
            )
            // From here on the run stops apps, so no signal may end this process unhandled. A signal that was
            // ignored at the start, as under `nohup`, stays ignored. Any other ending signal ends the run. If
            // the run takes longer than `patience` to end, the watch ends this process.
            let watch = try SignalWatch(sparing: .ignored, patience: .seconds(12)) { deliver($0) }
            defer { watch.end() }
            let presence = WatchPresence(store: try options.store.path())
            // The stream begins before the lock starts, so it also has the problems of the start.
            let starts = await parts.shield.events()
            try await start(service, on: parts, through: gate, selection: named)
            let ending = await FocusRun(
                parts: parts,
                service: service,
                progress: try progress(of: service, on: parts),
                starts: starts,
                output: output,
                isOnce: once,
                signals: signals
            ).run()
            _ = consume presence
            let status = ending.status(isOnce: once)
            if status != 0 { throw ExitCode(status) }
        }

        /// Asks for the passcode, if one is set.
        private static func permit(
            _ loosening: GoalLoosening,
            through gate: PasscodeGate,
            progressStdin: Bool
        ) async throws {
            guard try await gate.isShut else { return }
            let input = SecretInput()
            if progressStdin, !input.isTerminal {
                throw ToolFailure(
                    "\(loosening.text) asks for the passcode, and standard input holds the progress: "
                        + "use `portcullis focus settings`, or `portcullis focus release` first",
                    .usage
                )
            }
            // A system service has no input for a passcode, so `gate.pass` fails there. This message explains
            // the failure in the service's log.
            StandardError.write("portcullis: \(loosening.text) asks for the passcode")
            try await gate.pass(input)
        }

        private static let nothingChosen = ToolFailure(
            "no app is chosen: name some with --app or --category; `portcullis focus apps` lists them",
            .usage
        )

        private static func output(
            isTerminal: Bool,
            gone: @escaping @Sendable () -> Void
        ) -> any FocusOutput {
            let clock = SystemClock()
            return isTerminal ? FocusTerminal(clock: clock, gone: gone) : FocusLines(clock: clock, gone: gone)
        }

        /// Applies the options to the lock and switches the lock on.
        private func start(
            _ service: GoalLockService,
            on parts: FocusBackends,
            through gate: GoalGate,
            selection: ShieldSelection
        ) async throws {
            try await parts.shield.reconcile()
            try await service.launch()
            if let time = dayStart?.time { try await service.setDayStart(time) }
            if !selection.isEmpty { try await service.select(selection) }
            try await service.setGoal(goal)
            switch try await gate.enable() {
            case .enabled: break
            case .notEntitled: throw ToolFailure("App Lock is not paid for", .refused)
            case .notAuthorized(let how):
                throw ToolFailure(how ?? "apps may not be shut here", .refused)
            }
        }

        private func progress(
            of service: GoalLockService,
            on parts: FocusBackends
        ) throws(ProgressSourceError) -> AsyncStream<ProgressReading> {
            if let progress {
                return try CommandProgress(
                    progress,
                    of: parts.person,
                    every: every.duration,
                    environment: Arguments.environment,
                    clock: parts.clock
                ) {
                    try await service.status().date
                }.readings
            }
            if let progressFile {
                return try FileProgress(progressFile, every: every.duration) {
                    try await service.date(of: $0)
                }.readings
            }
            return try LineProgress().readings
        }
    }
}
#endif
