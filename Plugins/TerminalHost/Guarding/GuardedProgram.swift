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

/// A program behind a lock. For the passcode service, the program is the signed-in session. So signing out
/// ends the program.
///
/// A ``GuardedRun`` starts the program once, in a terminal of its own and as the leader of a process session.
/// The program gets this process's environment, with the host's additional variables. All its signals have
/// default handling, and it has no descriptors except its standard streams.
public final class GuardedProgram: SignedInSession {
    /// Sends a signal to a process or a group, as `kill(2)` does, and returns whether that was allowed.
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
    /// The thread that waits for the program's end.
    private let waiter = WorkerThread()
    private let clock: any LockClock
    private let grace: Duration
    private let signal: Signal

    /// Creates a program that is not started yet.
    ///
    /// - Parameters:
    ///   - command: the program and its arguments; not empty. The program is a path or a name to look up in
    ///     `PATH`.
    ///   - variables: the variables that are added to this process's environment or replace variables of the
    ///     same names.
    ///   - clock: measures the grace period.
    ///   - grace: the longest wait for the end of the program after SIGHUP, and again after SIGKILL.
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

    /// Creates a program to which the function `signal` sends signals.
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

    /// The exit status of a program whose own status the system has not kept, because this process ignores
    /// SIGCHLD. A shell uses the same number for a program that it cannot wait for.
    static let unknownStatus: Int32 = 127

    /// Starts the thread that ``start(on:input:ended:)`` needs. A run makes this call before it changes
    /// anything, so nothing has to be undone if the system refuses the thread.
    func prepare() throws(TerminalHostError) {
        do throws(ThreadRefusal) { try waiter.start() } catch { throw TerminalHostError(error) }
    }

    /// Starts the program on a pseudo-terminal.
    ///
    /// - Parameters:
    ///   - terminal: the terminal that the program runs in.
    ///   - input: the program's standard input; `nil` if the terminal is the input.
    ///   - ended: called with the exit status. If a signal ended the program, the status is 128 + the
    ///     signal's number. If this process ignores SIGCHLD, the status is ``unknownStatus``.
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
        let isSignedOut = state.withLock { state in
            state.process = process
            return state.isSignedOut
        }
        defer {
            // `signOut()` was called while the program was being started, and found no program to end.
            if isSignedOut { Task { await end() } }
        }
        waiter.enqueue { [self] in
            var result: Int32 = 0
            var found: pid_t
            repeat { found = unsafe waitpid(process, &result, 0) } while found < 0 && errno == EINTR
            let signal = result & 0x7F
            let status =
                found < 0 ? Self.unknownStatus : signal == 0 ? (result >> 8) & 0xFF : 128 + signal
            let waiters = state.withLock { state in
                state.status = status
                defer { state.waiters = [] }
                return state.waiters
            }
            for waiter in waiters { waiter.resume() }
            ended(status)
        }
    }

    /// Sends the program SIGHUP, as when its terminal closes, and SIGKILL after a grace period. Returns when
    /// the program has ended.
    ///
    /// The call also returns if the program cannot be ended. The reason may be that the program runs as
    /// another user, as `su` does, or is stuck in a system call. When this process ends, such a program loses
    /// its terminal, and the system sends the program a signal.
    func end(isolation: isolated (any Actor)? = #isolation) async {
        let isRunning = state.withLock { $0.process > 0 && $0.status == nil }
        guard isRunning, hangUp(SIGHUP) else { return }
        let force = Task { [clock, grace] in
            // Using `isolation` keeps the timer on the caller's actor. On the shared thread pool, the timer
            // might get no thread for as long as the program runs.
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

    /// Sends a signal to the program's group, and continues a stopped program. Returns whether the signal was
    /// allowed.
    @discardableResult
    private func hangUp(_ number: Int32) -> Bool {
        state.withLock { state in
            guard state.process > 0, state.status == nil else { return true }
            // The process group of a session leader has the leader's process id. The program also gets
            // SIGCONT, so that it handles the signal if it is stopped.
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

    /// Always `nil`. The lock belongs to the device, or to the user that the passcode service names.
    public var current: UserID? { get async { nil } }

    /// Restores no user. The result is always `nil`.
    public func restore() async -> UserID? { nil }

    /// Ends the program, and prevents a later start.
    public func signOut() async {
        state.withLock { $0.isSignedOut = true }
        await end()
    }

    /// Whether ``signOut()`` was called. After that call the program must not be started.
    public var isSignedOut: Bool { state.withLock { $0.isSignedOut } }
}
