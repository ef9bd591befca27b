import PasscodeLock
import PortcullisCore
import PortcullisTesting
import SystemClock
import Testing

@testable import TerminalHost

/// A person at a terminal, with a program behind a lock in it.
struct GuardedHost {
    let person: PersonTerminal
    let run: GuardedRun
    let program: GuardedProgram
    let service: PasscodeService
    let ending: Task<Result<GuardEnding, any Error>, Never>

    init(
        _ script: String,
        passcode: String? = nil,
        wasAsked: Bool = false,
        timeout: LockTimeout = .never,
        recording wanted: LockTimeout? = nil,
        in store: any SecretStore = InMemorySecretStore(),
        sealer: FastPasscodeSealer = FastPasscodeSealer(),
        throttle: ThrottlePolicy = .escalating,
        launch: PasscodeConfiguration.LaunchPolicy = .resume,
        idleTimeout: Duration? = nil,
        clock: any LockClock = SystemClock(),
        adding variables: [String: String] = [:],
        isPlain: Bool = false,
        lockKey: LockKey = .standard,
        writingTo output: OutputPipe? = nil,
        seal: (any GuardSeal)? = nil
    ) async throws {
        program = GuardedProgram(["sh", "-c", script], adding: variables, clock: clock)
        service = try PasscodeService(
            user: .device,
            backends: Backends(secrets: store, sealer: sealer, clock: clock),
            session: program,
            configuration: PasscodeConfiguration(
                appName: "Test",
                throttle: throttle,
                timeout: timeout,
                launch: launch,
                idleTimeout: idleTimeout
            )
        )
        if let passcode { _ = try await service.set(SecretBytes(copying: passcode.utf8)) }
        if wasAsked { try await service.noteAsked() }
        let person = try PersonTerminal()
        self.person = person
        let run = try GuardedRun(
            program,
            behind: service,
            on: output.map { person.terminal(writingTo: $0.write) } ?? person.terminal,
            options: GuardOptions(
                lockKey: lockKey,
                isPlain: isPlain,
                timeout: wanted,
                takesSignals: false
            ),
            seal: seal
        )
        self.run = run
        ending = Task {
            do { return .success(try await run.run()) } catch { return .failure(error) }
        }
    }

    /// The passcode service of another process with the same store.
    static func other(
        on store: any SecretStore,
        clock: any LockClock = SystemClock()
    ) throws -> PasscodeService {
        try PasscodeService(
            user: .device,
            backends: Backends(secrets: store, sealer: FastPasscodeSealer(), clock: clock),
            session: InMemorySession(),
            configuration: PasscodeConfiguration(appName: "Other", timeout: .never)
        )
    }

    /// Waits until the run takes a line for a screen, which is shown for a later generation of the lock.
    ///
    /// - Returns: the generation that the screen is shown for.
    @discardableResult
    func waitForLine(after generation: UInt64? = nil) async throws -> UInt64 {
        try await BoundedWait.until("a line to be taken", every: .milliseconds(5)) {
            let (present, isAwaited) = await (run.generation, run.isAwaitingLine)
            return isAwaited && present != generation
        }
        // The pump handles its commands in turn, so it takes the line now.
        _ = await run.input.lookAtClock()
        return await run.generation
    }

    /// Waits for the end, and that the terminal is as it was.
    func end() async throws -> GuardEnding {
        let ending = try await ending.value.get()
        #expect(person.attributes == person.firstAttributes)
        return ending
    }
}
