import GoalLock
import PortcullisCore
import PortcullisTesting
import Synchronization

/// A goal lock on adapters that a test holds in its hands.
struct ServiceBench {
    let storage = InMemorySecretStore.Storage()
    /// With an executor it needs no turns to move on, of which a busy test process has few to give.
    let clock = ManualClock(executor: ManualExecutor())
    let shield = InMemoryShieldController(authorization: .notDetermined)
    let entitlement = ScriptedEntitlement()
    let scheduler: ManualActivityScheduler
    let notifier: RecordingNotifier

    static let selection = RulesBench.selection

    init() {
        scheduler = ManualActivityScheduler(clock: clock)
        notifier = RecordingNotifier(clock: clock)
    }

    /// A service as a new process would have it, on the same storage.
    func service(
        store: (any SecretStore)? = nil,
        shield: (any ShieldController)? = nil,
        notifier: (any Notifier)? = nil,
        goal: Double = 100,
        strings: GoalStrings = .english,
        entitlement: (any Entitlement)? = nil,
        executor: (any TaskExecutor)? = nil
    ) throws -> GoalLockService {
        var configuration = GoalConfiguration(goal: goal, title: "Steps")
        configuration.strings = strings
        return try GoalLockService(
            backends: Backends(
                secrets: store ?? InMemorySecretStore(storage),
                shield: shield ?? self.shield,
                scheduler: scheduler,
                notifier: notifier ?? self.notifier,
                clock: clock
            ),
            entitlement: entitlement ?? self.entitlement,
            configuration: configuration,
            executor: executor
        )
    }

    /// A service that is on, with chosen apps.
    func enabled(
        shield: (any ShieldController)? = nil,
        executor: (any TaskExecutor)? = nil
    ) async throws -> GoalLockService {
        let service = try service(shield: shield, executor: executor)
        try await service.select(Self.selection)
        _ = try await service.enable()
        return service
    }

    /// The state in the store.
    func record() async throws -> GoalRecord? {
        try await InMemorySecretStore(storage).read(GoalNames.record).map {
            try GoalRecord(decoding: $0.value)
        }
    }

    /// Puts bytes in place of the state.
    func overwriteRecord(_ text: String) async throws {
        try await InMemorySecretStore(storage).write(
            SecretBytes(text),
            to: GoalNames.record,
            accessibility: .afterFirstUnlockThisDeviceOnly
        )
    }
}

extension InMemoryShieldController {
    /// What the goal lock shields now; `nil`: nothing.
    var applied: ShieldSelection? { shields[GoalNames.shield] }
    var isUp: Bool { applied != nil }
    var requests: Int { calls.count { $0 == .requestAuthorization } }
}

/// A shield that passes calls on to another shield. A conforming type implements only the calls that it
/// changes.
protocol ForwardingShield: ShieldController {
    /// The shield that calls are passed on to.
    var base: any ShieldController { get }
}

extension ForwardingShield {
    var authorization: ShieldAuthorization { get async { await base.authorization } }

    func requestAuthorization() async -> ShieldAuthorization { await base.requestAuthorization() }

    func apply(_ selection: ShieldSelection, as shield: ShieldName) async throws(ShieldError) {
        try await base.apply(selection, as: shield)
    }

    func clear(_ shield: ShieldName) async throws(ShieldError) { try await base.clear(shield) }

    func coverage() async -> ShieldCoverage { await base.coverage() }

    func catalogue() async -> ShieldCatalogue? { await base.catalogue() }
}

/// A feature that is paid for until a test says otherwise.
final class ScriptedEntitlement: Entitlement {
    private struct State {
        var isEntitled = true
        var listeners: [AsyncStream<Bool>.Continuation] = []
    }

    private let state = Mutex(State())
    /// Holds whoever asks.
    let gate = Gate()

    var isEntitled: Bool {
        get async {
            _ = await gate.pass()
            return state.withLock { $0.isEntitled }
        }
    }

    func set(_ isEntitled: Bool) {
        state.withLock { state in
            state.isEntitled = isEntitled
            for listener in state.listeners { listener.yield(isEntitled) }
        }
    }

    func changes() -> AsyncStream<Bool> {
        let (stream, continuation) = AsyncStream.makeStream(of: Bool.self)
        state.withLock { $0.listeners.append(continuation) }
        return stream
    }
}

/// A feature that is paid for. Each question whether it is runs a closure first.
struct InterruptedEntitlement: Entitlement {
    let interruption: @Sendable () async throws -> Void

    var isEntitled: Bool {
        get async {
            do { try await interruption() } catch { return false }
            return true
        }
    }

    func changes() -> AsyncStream<Bool> { AsyncStream { $0.finish() } }
}

/// A notifier that fails, and while it does something else happens.
struct InterruptedNotifier: Notifier {
    let interruption: @Sendable () async -> Void

    func requestAuthorization() async -> Bool { true }

    func deliver(_ notification: LockNotification) async throws(NotifierError) {
        await interruption()
        throw NotifierError(code: .systemFailure, message: "no")
    }

    func withdraw(_ ids: Set<String>) async {}
}

/// A notifier that always fails.
final class FailingNotifier: Notifier {
    let error: NotifierError
    private let count = Atomic<Int>(0)

    init(_ code: NotifierError.Code) { error = NotifierError(code: code, message: "no") }

    var tries: Int { count.load(ordering: .relaxed) }

    func requestAuthorization() async -> Bool { true }

    func deliver(_ notification: LockNotification) async throws(NotifierError) {
        count.wrappingAdd(1, ordering: .relaxed)
        throw error
    }

    func withdraw(_ ids: Set<String>) async {}
}

extension GoalLockService {
    /// Waits until the lock tells of a status like this.
    func status(where isWanted: (GoalStatus) -> Bool) async -> GoalStatus? {
        for await status in statuses() where isWanted(status) { return status }
        return nil
    }
}
