internal import AdapterKit
internal import CLinux
public import PortcullisCore
internal import Synchronization

#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#elseif canImport(Darwin)
internal import Darwin
#endif

/// The program behind a lock: what the person is "signed in" to. Signing out ends it.
///
/// It is for one ``GuardedRun``, which starts it in a terminal of its own, as the leader of a session. Its environment is this
/// process's, with variables of the host's own; all signals are at their defaults, and no other descriptor is open in it.
public final class GuardedProgram: SignedInSession {
    /// Sends a process, or a group of them, a signal; says whether that was allowed, as `kill(2)` does.
    typealias Signal = @Sendable (_ process: pid_t, _ signal: Int32) -> Bool

    private struct State: Sendable {
        var process: pid_t = 0
        var status: Int32?
        var waiters: [CheckedContinuation<Void, Never>] = []
        var isSignedOut = false
    }

    /// The program and its arguments.
    public let command: [String]
    private let variables: [String: String]
    private let state = Mutex(State())
    /// Waits for the program's end.
    private let waiter = WorkerThread()
    private let clock: any LockClock
    private let grace: Duration
    private let signal: Signal

    /// A program that is not started yet.
    ///
    /// - Parameters:
    ///   - command: the program, by its path or looked up in `PATH`, and its arguments; not empty.
    ///   - variables: added to this process's environment, in place of variables of the same names.
    ///   - clock: has the grace period pass.
    ///   - grace: how long it may take to end after SIGHUP, and once more after SIGKILL.
    public convenience init(
        _ command: [String],
        adding variables: [String: String] = [:],
        clock: any LockClock,
        grace: Duration = .seconds(2)
    ) {
        self.init(command, adding: variables, clock: clock, grace: grace) {
            kill($0, $1) == 0 || errno != EPERM
        }
    }

    /// - Parameter signal: how it is sent a signal.
    init(
        _ command: [String],
        adding variables: [String: String] = [:],
        clock: any LockClock,
        grace: Duration,
        signal: @escaping Signal
    ) {
        precondition(!command.isEmpty, "a program has a name")
        self.command = command
        self.variables = variables
        self.clock = clock
        self.grace = grace
        self.signal = signal
    }

    /// Starts what ``start(on:input:ended:)`` needs, so that it can be refused before anything has begun.
    func prepare() throws(TerminalHostError) {
        do throws(ThreadRefusal) { try waiter.start() } catch { throw TerminalHostError(error) }
    }

    /// Starts the program on a pseudo-terminal.
    ///
    /// - Parameters:
    ///   - terminal: where it runs.
    ///   - input: what its standard input is; `nil` for that terminal.
    ///   - ended: gets its exit status, 128 + signal for one that was ended by a signal.
    func start(
        on terminal: PseudoTerminal,
        input: ProgramPipe? = nil,
        ended: @escaping @Sendable (Int32) -> Void
    ) throws(TerminalHostError) {
        var list: [UnsafeMutablePointer<CChar>?] = unsafe command.map { unsafe strdup($0) }
        unsafe list.append(nil)
        defer { for index in unsafe list.indices { unsafe free(list[index]) } }
        var environment = unsafe ProcessVariables.current(with: variables).map { unsafe strdup($0) }
        unsafe environment.append(nil)
        defer { for index in unsafe environment.indices { unsafe free(environment[index]) } }
        var started: pid_t = 0
        let failure = unsafe clinux_spawn_on_terminal(
            &started,
            terminal.slavePath,
            input?.read ?? -1,
            command[0],
            list,
            environment
        )
        input?.closeReadEnd()
        guard failure == 0 else {
            throw TerminalHostError(.cannotRun, "cannot run \(command[0])", errno: failure)
        }
        let process = started
        state.withLock { $0.process = process }
        waiter.enqueue { [self] in
            var result: Int32 = 0
            while unsafe waitpid(process, &result, 0) < 0, errno == EINTR {}
            let signal = result & 0x7F
            let status = signal == 0 ? (result >> 8) & 0xFF : 128 + signal
            let waiters = state.withLock { state in
                state.status = status
                defer { state.waiters = [] }
                return state.waiters
            }
            for waiter in waiters { waiter.resume() }
            ended(status)
        }
    }

    /// Ends it as a closed terminal would, and by force after a grace period; returns when it is gone.
    ///
    /// Returns as well when it cannot be ended: it has become another user's, as `su` does, or is stuck in the system.
    /// It then loses its terminal when this process ends, which the system tells it.
    func end(isolation: isolated (any Actor)? = #isolation) async {
        let isRunning = state.withLock { $0.process > 0 && $0.status == nil }
        guard isRunning, hangUp(SIGHUP) else { return }
        let force = Task { [clock, grace] in
            // Where the caller runs: the pool may have no thread before this ends.
            _ = isolation
            try await clock.sleep(until: .sinceBoot(clock.now.sinceBoot + grace))
            hangUp(SIGKILL)
            try await clock.sleep(until: .sinceBoot(clock.now.sinceBoot + grace))
            giveUp()
        }
        await withCheckedContinuation { continuation in
            let isOver = state.withLock { state in
                if state.status == nil { state.waiters.append(continuation) }
                return state.status != nil
            }
            if isOver { continuation.resume() }
        }
        force.cancel()
    }

    /// - Returns: whether that was allowed.
    @discardableResult
    private func hangUp(_ number: Int32) -> Bool {
        state.withLock { state in
            guard state.process > 0, state.status == nil else { return true }
            // The session's leader has its process id as the group's; stopped jobs need waking to hear of it.
            let isAllowed = signal(-state.process, number)
            _ = signal(state.process, SIGCONT)
            return isAllowed
        }
    }

    private func giveUp() {
        let waiters = state.withLock { state in
            defer { state.waiters = [] }
            return state.waiters
        }
        for waiter in waiters { waiter.resume() }
    }

    // MARK: SignedInSession

    /// None: the lock is the device's, or of the user that its service names.
    public var current: UserID? { get async { nil } }

    /// None.
    public func restore() async -> UserID? { nil }

    /// Ends it, and keeps it from being started.
    public func signOut() async {
        state.withLock { $0.isSignedOut = true }
        await end()
    }

    /// Whether it was signed out, and so must not be started any more.
    public var isSignedOut: Bool { state.withLock { $0.isSignedOut } }
}
