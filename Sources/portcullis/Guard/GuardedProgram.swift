internal import AdapterKit
internal import CLinux
internal import PortcullisCore
internal import SealedSession
internal import Synchronization

#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#elseif canImport(Darwin)
internal import Darwin
#endif

/// The program behind the lock: what the person is "signed in" to. Signing out ends it.
final class GuardedProgram: SignedInSession {
    /// Sends a process, or a group of them, a signal; says whether that was allowed, as `kill(2)` does.
    typealias Signal = @Sendable (_ process: pid_t, _ signal: Int32) -> Bool

    private struct State: Sendable {
        var process: pid_t = 0
        var status: Int32?
        var waiters: [CheckedContinuation<Void, Never>] = []
        var isSignedOut = false
    }

    private let state = Mutex(State())
    /// Waits for the program's end.
    private let waiter = WorkerThread()
    private let clock: any LockClock
    private let grace: Duration
    private let signal: Signal

    /// None yet.
    ///
    /// - Parameters:
    ///   - clock: has the grace period pass.
    ///   - grace: how long it may take to end after SIGHUP, and once more after SIGKILL.
    ///   - signal: how it is sent a signal.
    init(
        clock: any LockClock,
        grace: Duration = .seconds(2),
        signal: @escaping Signal = { kill($0, $1) == 0 || errno != EPERM }
    ) {
        self.clock = clock
        self.grace = grace
        self.signal = signal
    }

    /// Starts what ``start(_:on:input:agent:ended:)`` needs, so that it can be refused before anything has begun.
    func prepare() throws(GuardFailure) {
        do throws(ThreadRefusal) { try waiter.start() } catch { throw GuardFailure(error) }
    }

    /// Starts the program on a pseudo-terminal.
    ///
    /// - Parameters:
    ///   - arguments: the program and its arguments.
    ///   - terminal: where it runs.
    ///   - input: what its standard input is; `nil` for that terminal.
    ///   - agent: where its processes ask for what is sealed; `nil` where nothing is.
    ///   - ended: gets its exit status, 128 + signal for one that was ended by a signal.
    func start(
        _ arguments: [String],
        on terminal: PseudoTerminal,
        input: ProgramPipe? = nil,
        agent: String? = nil,
        ended: @escaping @Sendable (Int32) -> Void
    ) throws(GuardFailure) {
        var list: [UnsafeMutablePointer<CChar>?] = unsafe arguments.map { unsafe strdup($0) }
        unsafe list.append(nil)
        defer { for index in unsafe list.indices { unsafe free(list[index]) } }
        var variables = unsafe Self.environment(agent: agent).map { unsafe strdup($0) }
        unsafe variables.append(nil)
        defer { for index in unsafe variables.indices { unsafe free(variables[index]) } }
        var started: pid_t = 0
        let failure = unsafe clinux_spawn_on_terminal(
            &started,
            terminal.slavePath,
            input?.read ?? -1,
            arguments[0],
            list,
            variables
        )
        input?.closeReadEnd()
        guard failure == 0 else { throw GuardFailure("cannot run \(arguments[0])", failure) }
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

    /// This process's environment, with the agent's place in it if there is one.
    private static func environment(agent: String?) -> [String] {
        var all: [String] = []
        var next = unsafe environ
        while let variable = unsafe next.pointee {
            unsafe all.append(String(cString: variable))
            unsafe next += 1
        }
        guard let agent else { return all }
        let place = "\(SessionAgent.variable)="
        return all.filter { !$0.hasPrefix(place) } + [place + agent]
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

    var current: UserID? { get async { nil } }

    func restore() async -> UserID? { nil }

    func signOut() async {
        state.withLock { $0.isSignedOut = true }
        await end()
    }

    /// Whether it was signed out, and so must not be started any more.
    var isSignedOut: Bool { state.withLock { $0.isSignedOut } }
}
