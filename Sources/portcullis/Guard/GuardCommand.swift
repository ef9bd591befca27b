internal import ArgumentParser
internal import PasscodeLock
internal import PortcullisCore

#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#elseif canImport(Darwin)
internal import Darwin
#endif

/// `portcullis guard`.
struct Guard: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "guard",
        abstract: "Run a terminal program behind the passcode lock.",
        discussion: """
            The program runs in a terminal of its own. It is covered by the lock screen when the terminal loses \
            its focus or the machine sleeps for the timeout, when nothing is typed for the idle time, and on the \
            lock key. What it prints meanwhile is kept, up to 1 MiB; then it waits.

            The exit status is the program's, 128 + signal if a signal ended it, and 125 if guard itself failed.
            """
    )

    /// The exit status for a failure of `guard` itself.
    static let ownFailure: Int32 = 125

    @OptionGroup var store: StoreOptions

    @Option(
        help: "Lock after an absence of this long: 10s, 15m, 1h or never. (default: as set; at first 15m)"
    )
    var timeout: TimeoutArgument?

    @Option(help: "Lock when nothing was typed for this long.")
    var idle: DurationArgument?

    @Option(help: "Whose passcode it is.")
    var user = "device"

    @Option(help: "The key that locks, such as ctrl-].")
    var lockKey = LockKey.standard

    @Flag(help: "Tell screens in lines of text; the default when not on a terminal.")
    var plain = false

    @Flag(
        help:
            "Reserved: sealing the store under the passcode is not available yet, and guard then refuses to start."
    )
    var seal = false

    @Argument(parsing: .postTerminator, help: "The program and its arguments. (default: $SHELL)")
    var command: [String] = []

    func validate() throws {
        guard UserID(user) != nil else { throw ValidationError("'\(user)' cannot be a user's id.") }
        if let idle, idle.duration == .zero { throw ValidationError("An idle time of nothing locks always.") }
    }

    /// How the lock behaves under these options.
    var lockConfiguration: PasscodeConfiguration {
        PasscodeConfiguration(
            appName: "Portcullis",
            timeout: timeout?.timeout ?? .accountPreset,
            idleTimeout: idle?.duration
        )
    }

    /// How the program is guarded under these options.
    var options: GuardOptions {
        let shell = unsafe getenv("SHELL").map { unsafe String(cString: $0) } ?? "/bin/sh"
        return GuardOptions(
            command: command.isEmpty ? [shell.isEmpty ? "/bin/sh" : shell] : command,
            lockKey: lockKey,
            isPlain: plain,
            timeout: timeout?.timeout
        )
    }

    func run() async throws {
        // Half of a seal would be worse than none: people would rely on it.
        guard !seal else { throw ToolFailure("--seal is not available yet", .guardFailed) }
        let backends: Backends
        do {
            backends = try await store.backends(with: try await store.credential())
        } catch {
            throw ToolFailure(ToolFailure(error)?.message ?? "\(error)", .guardFailed)
        }
        throw ExitCode(await run(on: backends))
    }

    /// Runs the program with these back ends.
    ///
    /// - Returns: the exit status.
    func run(on backends: Backends) async -> Int32 {
        do {
            let program = GuardedProgram()
            let service = try PasscodeService(
                user: UserID(user) ?? .device,
                backends: backends,
                session: program,
                configuration: lockConfiguration
            )
            let session = LockSession(service: service)
            let run = try GuardRun(
                session: session,
                program: program,
                options: options,
                clock: backends.clock
            )
            return try await run.run()
        } catch {
            Descriptors.write(Array("portcullis guard: \(error)\n".utf8), to: STDERR_FILENO)
            return Self.ownFailure
        }
    }
}
