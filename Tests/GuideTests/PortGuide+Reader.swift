import FakeBiometrics
import PortcullisCore
import PortcullisTesting
import Synchronization
import Testing

/// What the platform gives. `show` and `hide` return at once and report nothing while they run.
protocol Sensor: Sendable {
    var availability: BiometricAvailability { get }
    /// Shows a prompt in the place of the one that is up; `ended` may be called late, and more than once.
    func show(
        reason: String,
        fallbackTitle: String,
        hint: @escaping @Sendable (BiometricHint) -> Void,
        ended: @escaping @Sendable (BiometricOutcome) -> Void
    )
    func hide()
}

final class SensorReader: BiometricAuthenticator {
    private typealias Prompt = (id: UInt64, answer: CheckedContinuation<BiometricOutcome, Never>)

    private let sensor: any Sensor
    private let ids = Atomic<UInt64>(0)
    private let prompt = Mutex<Prompt?>(nil)

    init(_ sensor: any Sensor) { self.sensor = sensor }
    func availability(for user: UserID) async -> BiometricAvailability { sensor.availability }

    func enroll(_ key: SecretBytes, for user: UserID) async throws(BiometricError) {
        guard let refusal = sensor.availability.state.refusal else { return }
        throw BiometricError(code: refusal.code, message: "the sensor cannot be used now")
    }
    func forget(_ user: UserID) async throws(BiometricError) {}

    func authenticate(
        user: UserID,
        reason: String,
        fallbackTitle: String,
        hint: @escaping @Sendable (BiometricHint) -> Void
    ) async -> BiometricOutcome {
        if let refusal = sensor.availability.state.refusal { return refusal.outcome }
        let id = ids.wrappingAdd(1, ordering: .relaxed).newValue
        return await withTaskCancellationHandler {
            await withCheckedContinuation { answer in
                let old = prompt.withLock { prompt -> Prompt? in
                    // Within the lock, which `end` takes too: a cancellation is seen here, or finds the prompt.
                    if Task.isCancelled { return (id, answer) }
                    defer { prompt = (id, answer) }
                    sensor.show(
                        reason: reason,
                        fallbackTitle: fallbackTitle,
                        hint: { [weak self] new in self?.prompt.withLock { if $0?.id == id { hint(new) } } },
                        ended: { [weak self] outcome in self?.end(id, outcome) }
                    )
                    return prompt
                }
                old?.answer.resume(returning: .cancelled(by: old?.id == id ? .app : .system))
            }
        } onCancel: {
            end(id, .cancelled(by: .app))
        }
    }

    private func end(_ id: UInt64, _ outcome: BiometricOutcome) {
        let ended = prompt.withLock { prompt -> Prompt? in
            guard prompt?.id == id else { return nil }
            defer { prompt = nil }
            sensor.hide()
            return prompt
        }
        // After the lock was given back.
        ended?.answer.resume(returning: outcome)
    }
}

extension BiometricState {
    /// How enrolling and a prompt end while the sensor cannot be used; `nil` while it can.
    fileprivate var refusal: (code: BiometricErrorCode, outcome: BiometricOutcome)? {
        switch self {
        case .available: nil
        case .notAvailable: (.notAvailable, .notAvailable)
        case .notEnrolled: (.notEnrolled, .notEnrolled)
        case .lockedOut: (.lockedOut, .lockedOut)
        }
    }
}

@Suite("Guides: a biometric reader", .timeLimit(.minutes(5)))
struct ReaderPortGuide {
    private static let subject = BiometricAuthenticatorSubject {
        let sensor = MySensor()
        return .init(
            authenticator: SensorReader(sensor),
            reader: .init(
                prompt: { sensor.prompt },
                present: { event in sensor.happen(event) },
                events: Set(BiometricAuthenticatorSubject.PromptEvent.allCases),
                give: { hint in sensor.give(hint) },
                failuresToLockOut: 5
            ),
            setSwitchedOn: { isOn in sensor.setSwitchedOn(isOn) },
            changeEnrolment: { sensor.addFinger() },
            clearEnrolment: { sensor.removeFingers() },
            enterPasscode: { sensor.enterPasscode() },
            letPass: { duration in sensor.letPass(duration) }
        )
    }

    @Test("X-3: keeps the contract", arguments: BiometricAuthenticatorContract.allCases)
    func contract(_ clause: BiometricAuthenticatorContract) async throws {
        let subject = BiometricAuthenticatorSubject {
            let sensor = MySensor()
            return .init(
                authenticator: SensorReader(sensor),
                reader: .init(
                    prompt: { sensor.prompt },
                    present: { event in sensor.happen(event) },
                    events: Set(BiometricAuthenticatorSubject.PromptEvent.allCases),
                    give: { hint in sensor.give(hint) },
                    failuresToLockOut: 5
                ),
                setSwitchedOn: { isOn in sensor.setSwitchedOn(isOn) },
                changeEnrolment: { sensor.addFinger() },
                clearEnrolment: { sensor.removeFingers() },
                enterPasscode: { sensor.enterPasscode() },
                letPass: { duration in sensor.letPass(duration) }
            )
        }
        try await clause.check(subject)
    }

    @Test("X-3: one that releases keys", arguments: BiometricAuthenticatorContract.allCases)
    func keys(_ clause: BiometricAuthenticatorContract) async throws {
        let subject = BiometricAuthenticatorSubject {
            let reader = FakeBiometrics(clock: ManualClock())
            let keychain = MyKeychain(reader)
            var place = BiometricAuthenticatorSubject.Place(
                authenticator: MyAuthenticator(keychain),
                reader: .init(
                    prompt: {
                        reader.prompt.map { .init(reason: $0.reason, fallbackTitle: $0.fallbackTitle) }
                    },
                    present: { reader.answer($0 == .match ? .success : .fail(message: nil)) },
                    events: [.match, .noMatch]
                )
            )
            place.changeEnrolment = { reader.changeEnrolment(to: ["owner", "another"]) }
            place.failNext = { keychain.failNext() }
            place.reopen = { MyAuthenticator(keychain) }
            return place
        }
        let result = try await clause.check(subject)
        switch clause {
        case .reopening, .changedBeforeReopening, .failedEnroll, .failedForget: #expect(result == .kept)
        default: break
        }
    }

    @Test("X-3: a report without a test framework")
    func report() async throws {
        let subject = Self.subject
        let report = await ContractReport(of: BiometricAuthenticatorContract.self) {
            clause throws(ContractViolation) in
            try await clause.check(subject)
        }
        print(report)
        #expect(report.isKept)
        #expect(report.notApplicable.allSatisfy { $0.reason == "it asserts and releases no key" })
    }

    @Test("X-3: a code of the adapter's own")
    func code() { #expect(BiometricErrorCode.wetFinger != .systemFailure) }
}

extension BiometricErrorCode {
    static let wetFinger = Self("sensorReader.wetFinger")
}

/// A sensor that a test tells what happens at it.
private final class MySensor: Sensor {
    private struct State {
        var isOn = true
        var fingers: UInt8 = 1
        var failures = 0
        var prompt: BiometricAuthenticatorSubject.Prompt?
        var hint: (@Sendable (BiometricHint) -> Void)?
        var ended: (@Sendable (BiometricOutcome) -> Void)?
    }

    private let state = Mutex(State())

    var availability: BiometricAvailability {
        state.withLock { state in
            BiometricAvailability(
                kind: .fingerprint,
                state: !state.isOn
                    ? .notAvailable
                    : state.fingers == 0 ? .notEnrolled : state.failures < 5 ? .available : .lockedOut,
                enrolmentDigest: [state.fingers],
                binding: .assertion
            )
        }
    }

    var prompt: BiometricAuthenticatorSubject.Prompt? { state.withLock { $0.prompt } }

    func show(
        reason: String,
        fallbackTitle: String,
        hint: @escaping @Sendable (BiometricHint) -> Void,
        ended: @escaping @Sendable (BiometricOutcome) -> Void
    ) {
        state.withLock { state in
            state.prompt = .init(reason: reason, fallbackTitle: fallbackTitle)
            (state.hint, state.ended) = (hint, ended)
        }
    }

    /// The way to report stays: a report that comes late must do nothing.
    func hide() { state.withLock { $0.prompt = nil } }

    func happen(_ event: BiometricAuthenticatorSubject.PromptEvent) {
        let (outcome, ended) = state.withLock { state in
            let outcome: BiometricOutcome
            switch event {
            case .match:
                state.failures = state.failures < 5 ? 0 : state.failures
                outcome = .success(key: nil)
            case .noMatch:
                if state.prompt != nil { state.failures += 1 }
                outcome =
                    state.failures < 5
                    ? .failed(message: BiometricOutcome.defaultFailureMessage) : .lockedOut
            case .userCancels: outcome = .cancelled(by: .user)
            case .systemCancels: outcome = .cancelled(by: .system)
            case .choosesPasscode: outcome = .passcodeChosen
            }
            return (outcome, state.ended)
        }
        ended?(outcome)
    }

    func give(_ hint: BiometricHint) { state.withLock { $0.hint }?(hint) }

    func setSwitchedOn(_ isOn: Bool) {
        state.withLock { $0.isOn = isOn }
        if !isOn { state.withLock { $0.ended }?(.cancelled(by: .system)) }
    }

    func addFinger() { state.withLock { $0.fingers += 1 } }
    func removeFingers() { state.withLock { $0.fingers = 0 } }
    func enterPasscode() { state.withLock { $0.failures = 0 } }
    /// No time ends a lock-out.
    func letPass(_ duration: Duration) {}
}

/// What keeps keys beyond an authenticator's life.
private final class MyKeychain: Sendable {
    let reader: FakeBiometrics
    private let mustFail = Mutex(false)

    init(_ reader: FakeBiometrics) { self.reader = reader }

    func failNext() { mustFail.withLock { $0 = true } }

    func check() throws(BiometricError) {
        let fails = mustFail.withLock { mustFail in
            defer { mustFail = false }
            return mustFail
        }
        if fails { throw BiometricError(code: .systemFailure, message: "the keychain failed") }
    }
}

private struct MyAuthenticator: BiometricAuthenticator {
    let keychain: MyKeychain

    init(_ keychain: MyKeychain) { self.keychain = keychain }

    func availability(for user: UserID) async -> BiometricAvailability {
        await keychain.reader.availability(for: user)
    }

    func enroll(_ key: SecretBytes, for user: UserID) async throws(BiometricError) {
        try keychain.check()
        try await keychain.reader.enroll(key, for: user)
    }

    func forget(_ user: UserID) async throws(BiometricError) {
        try keychain.check()
        try await keychain.reader.forget(user)
    }

    func authenticate(
        user: UserID,
        reason: String,
        fallbackTitle: String,
        hint: @escaping @Sendable (BiometricHint) -> Void
    ) async -> BiometricOutcome {
        await keychain.reader.authenticate(
            user: user,
            reason: reason,
            fallbackTitle: fallbackTitle,
            hint: hint
        )
    }
}
