public import PortcullisCore
internal import Synchronization

/// A ``/PortcullisCore/PasscodeAccount`` over an ``InMemoryAccountServer``. It represents one device's
/// connection, and a test can make its calls fail.
public final class InMemoryPasscodeAccount: PasscodeAccount {
    /// A call of the port, without the passcodes and codes that it contains.
    public enum Call: Hashable, Sendable, CaseIterable {
        /// A request for the status.
        case status
        /// A request to set the first passcode.
        case set
        /// A request to change the passcode.
        case change
        /// A request to check a passcode.
        case verify
        /// A request to change a setting or to switch the passcode off.
        case update
        /// A request for a reset code.
        case requestReset
        /// A request to set a new passcode with a reset code.
        case reset
    }

    /// A failure of one call.
    public enum Fault: Sendable {
        /// The request does not reach the server, and the error says so.
        case unreachable
        /// The request is lost after it left the device.
        case lostRequest
        /// The server carries out the request, and the reply is lost.
        case lostAnswer
        /// The caller stops waiting for the reply before the request reaches the server.
        /// ``InMemoryPasscodeAccount/deliverLate()`` delivers the request later. A request for the status is
        /// not delivered.
        case late
        /// The server answers with this error and carries out nothing.
        case error(PasscodeAccountError)

        /// Another device ended the session (HTTP 401).
        public static let notSignedIn = Fault.error(
            PasscodeAccountError(code: .notSignedIn, message: "Your session has ended.")
        )
        /// The server failed (HTTP 503).
        public static let serverFailure = Fault.error(
            PasscodeAccountError(
                code: .serverFailure,
                message: "The server is busy.",
                retryAfter: .seconds(5)
            )
        )
    }

    private struct State {
        var faults: [(of: Call?, fault: Fault)] = []
        var isOffline = false
        var isSignedIn = true
        var latency = Duration.zero
        var calls: [Call] = []
        var late: [AccountRequest] = []
    }

    /// The server that the calls reach.
    public let server: InMemoryAccountServer
    /// The gate that each call passes before the call reaches the server. A test can close the gate.
    public let gate = Gate()

    private let clock: any LockClock
    private let state = Mutex(State())

    /// Makes a connection to a server.
    ///
    /// - Parameters:
    ///   - server: the server.
    ///   - clock: measures the latency; by default the server's clock.
    public init(_ server: InMemoryAccountServer, clock: (any LockClock)? = nil) {
        self.server = server
        self.clock = clock ?? server.clock
    }

    /// Makes the next calls fail. The first call has the first fault, the second call has the second fault,
    /// and so on.
    public func failNext(_ faults: Fault...) {
        state.withLock { $0.faults += faults.map { (nil, $0) } }
    }

    /// Makes the next call of one kind fail with a fault.
    public func failNext(_ call: Call, _ fault: Fault) {
        state.withLock { $0.faults.append((call, fault)) }
    }

    /// Makes the server unreachable, or reachable again.
    public func setOffline(_ isOffline: Bool) { state.withLock { $0.isOffline = isOffline } }

    /// Makes the server reachable and drops the faults that have not happened yet.
    public func mend() {
        state.withLock { state in
            state.isOffline = false
            state.faults = []
        }
    }

    /// Ends the session as another device does (`false`), or begins a new session (`true`).
    public func setSignedIn(_ isSignedIn: Bool) { state.withLock { $0.isSignedIn = isSignedIn } }

    /// Sets how long each call takes, as the clock of this connection measures it.
    public func setLatency(_ latency: Duration) { state.withLock { $0.latency = latency } }

    /// The calls so far, including failed calls.
    public var calls: [Call] { state.withLock { $0.calls } }

    /// Delivers the requests that were ``Fault/late``. Their replies are dropped.
    public func deliverLate() {
        let late = state.withLock { state in
            defer { state.late = [] }
            return state.late
        }
        for request in late { _ = try? server.answer(request) }
    }

    private func send(_ request: AccountRequest) async throws(PasscodeAccountError) -> AccountReply {
        let (fault, latency) = state.withLock { state -> (Fault?, Duration) in
            state.calls.append(request.call)
            if state.isOffline { return (.unreachable, state.latency) }
            if !state.isSignedIn { return (.notSignedIn, state.latency) }
            let index = state.faults.firstIndex { $0.of == nil || $0.of == request.call }
            let fault = index.map { state.faults.remove(at: $0).fault }
            return (fault, state.latency)
        }
        guard !Task.isCancelled, await gate.pass() else { throw Self.cancelled }
        if latency > .zero {
            do { try await clock.sleep(until: .sinceBoot(clock.now.sinceBoot + latency)) } catch {
                throw Self.cancelled
            }
        }
        let isAct = request.call != .status
        switch fault {
        case nil: return try server.answer(request)
        case .unreachable: throw Self.unreachable
        case .error(let error): throw error
        case .lostRequest: throw isAct ? Self.unknown : Self.unreachable
        case .lostAnswer:
            _ = try server.answer(request)
            throw isAct ? Self.unknown : Self.unreachable
        case .late:
            if isAct { state.withLock { $0.late.append(request) } }
            throw isAct ? Self.unknown : Self.unreachable
        }
    }

    private static let cancelled = PasscodeAccountError(
        code: .cancelled,
        message: "The request was cancelled."
    )
    private static let unreachable = PasscodeAccountError(
        code: .unreachable,
        message: "The server cannot be reached."
    )
    private static let unknown = PasscodeAccountError(code: .outcomeUnknown, message: "No answer came.")
    private static let mixedUp = PasscodeAccountError(
        code: .invalidAnswer,
        message: "The answer is to another question."
    )

    /// Returns the server's status.
    public func status() async throws(PasscodeAccountError) -> AccountPasscodeStatus {
        guard case .status(let status) = try await send(.status) else { throw Self.mixedUp }
        return status
    }

    /// Sets the first passcode. The server refuses a passcode that does not have six digits.
    public func set(
        _ passcode: SecretBytes,
        as revision: AccountRevision
    ) async throws(PasscodeAccountError) -> AccountSetOutcome {
        guard case .set(let outcome) = try await send(.set(passcode, revision)) else { throw Self.mixedUp }
        return outcome
    }

    /// Changes the passcode.
    public func change(
        from current: SecretBytes,
        to new: SecretBytes,
        as revision: AccountRevision
    ) async throws(PasscodeAccountError) -> AccountVerifyOutcome {
        try await verified(.change(current, new, revision))
    }

    /// Checks a passcode.
    public func verify(_ passcode: SecretBytes) async throws(PasscodeAccountError) -> AccountVerifyOutcome {
        try await verified(.verify(passcode))
    }

    /// Changes a setting of the account, or switches the passcode off.
    public func update(
        _ change: AccountSettingsChange
    ) async throws(PasscodeAccountError) -> AccountVerifyOutcome {
        try await verified(.update(change))
    }

    private func verified(_ request: AccountRequest) async throws(PasscodeAccountError)
        -> AccountVerifyOutcome
    {
        guard case .verified(let outcome) = try await send(request) else { throw Self.mixedUp }
        return outcome
    }

    /// Asks the server to mail a reset code. ``InMemoryAccountServer/mailedCode`` returns the code.
    public func requestReset() async throws(PasscodeAccountError) -> AccountCodeRequest {
        guard case .requested(let request) = try await send(.requestReset) else { throw Self.mixedUp }
        return request
    }

    /// Sets a passcode with a mailed code.
    public func reset(
        code: SecretBytes,
        of request: AccountCodeRequest,
        to new: SecretBytes,
        as revision: AccountRevision
    ) async throws(PasscodeAccountError) -> AccountResetOutcome {
        let answer = try await send(.reset(code, request, new, revision))
        guard case .reset(let outcome) = answer else { throw Self.mixedUp }
        return outcome
    }
}

extension AccountRequest {
    var call: InMemoryPasscodeAccount.Call {
        switch self {
        case .status: .status
        case .set: .set
        case .change: .change
        case .verify: .verify
        case .update: .update
        case .requestReset: .requestReset
        case .reset: .reset
        }
    }
}
