import PasscodeLock
import PortcullisCore
import PortcullisTesting
import Synchronization
import Testing

/// An app asks the account how things stand whenever it comes back, also while a person sets a passcode.
@Suite("P-51: what the account tells while an act is on its way", .timeLimit(.minutes(2)))
struct AwaitedActTests {
    /// An account that holds acts before they arrive; its status is told at once.
    private struct SlowToArrive: PasscodeAccount {
        let base: InMemoryPasscodeAccount
        let acts = Gate()

        func status() async throws(PasscodeAccountError) -> AccountPasscodeStatus { try await base.status() }

        func set(
            _ passcode: SecretBytes,
            as revision: AccountRevision
        ) async throws(PasscodeAccountError) -> AccountSetOutcome {
            _ = await acts.pass()
            return try await base.set(passcode, as: revision)
        }

        func change(
            from current: SecretBytes,
            to new: SecretBytes,
            as revision: AccountRevision
        ) async throws(PasscodeAccountError) -> AccountVerifyOutcome {
            _ = await acts.pass()
            return try await base.change(from: current, to: new, as: revision)
        }

        func verify(_ passcode: SecretBytes) async throws(PasscodeAccountError) -> AccountVerifyOutcome {
            try await base.verify(passcode)
        }

        func update(
            _ change: AccountSettingsChange
        ) async throws(PasscodeAccountError) -> AccountVerifyOutcome { try await base.update(change) }

        func requestReset() async throws(PasscodeAccountError) -> AccountCodeRequest {
            try await base.requestReset()
        }

        func reset(
            code: SecretBytes,
            of request: AccountCodeRequest,
            to new: SecretBytes,
            as revision: AccountRevision
        ) async throws(PasscodeAccountError) -> AccountResetOutcome {
            try await base.reset(code: code, of: request, to: new, as: revision)
        }
    }

    @Test("P-51: a status from before an act's arrival takes nothing away that the act then sets or changes")
    func status() async throws {
        let bench = AccountBench()
        let device = bench.device()
        let account = SlowToArrive(base: device.line)
        let service = try PasscodeService(
            user: .ada,
            backends: Backends(
                secrets: InMemorySecretStore(device.storage),
                sealer: FastPasscodeSealer(),
                clock: bench.clock
            ),
            session: device.host,
            configuration: device.configuration,
            account: account
        )
        try await during(account, { _ = try await service.set(.first) }, service)
        #expect(try await service.status().standing == .confirmed)
        try await during(
            account,
            { _ = try await service.change(from: .first, to: .second) },
            service
        )
        #expect(try await service.status().standing == .confirmed)
        #expect(try await service.verify(.second).isRight)
    }

    @Test("P-51: an act is awaited from before it is in the record")
    func registered() async throws {
        let device = AccountBench().device()
        let store = RecordedActStore(InMemorySecretStore(device.storage))
        let service = try device.service(store: store)
        try await service.set(.first)
        let asking = Mutex<Task<AccountReport?, any Error>?>(nil)
        store.onNextAct {
            asking.withLock { $0 = Task { try await service.synchronise() } }
            // Real time: a status that was taken over would be by then.
            try? await Task.sleep(for: .milliseconds(20))
        }
        #expect(try await service.change(from: .first, to: .second).isRight)
        let task = try #require(asking.withLock { $0 })
        #expect(try await task.value?.notices.contains(.notCarriedOut(.change)) == false)
        #expect(try await service.status().standing == .confirmed)
    }

    /// Asks for the status while an act is held before it arrives.
    private func during(
        _ account: SlowToArrive,
        _ act: @escaping @Sendable () async throws -> Void,
        _ service: PasscodeService
    ) async throws {
        account.acts.close()
        let acting = Task { try await act() }
        await account.acts.waitForHeld(1)
        let asking = Task { try await service.synchronise() }
        // Real time: a status that was taken over would be by then.
        try await Task.sleep(for: .milliseconds(20))
        account.acts.open()
        try await acting.value
        #expect(try await asking.value?.hasPasscode == true)
    }
}

/// A store that does something right after it has stored an act.
private final class RecordedActStore: ForwardingSecretStore {
    let base: any SecretStore
    private let action = Mutex<(@Sendable () async -> Void)?>(nil)

    init(_ base: any SecretStore) { self.base = base }

    func onNextAct(_ body: @escaping @Sendable () async -> Void) { action.withLock { $0 = body } }

    func write(
        _ value: SecretBytes,
        to name: SecretName,
        accessibility: Accessibility,
        if precondition: WritePrecondition
    ) async throws(SecretStoreError) -> WriteOutcome {
        let outcome = try await base.write(value, to: name, accessibility: accessibility, if: precondition)
        guard value.text.contains(#""act":"#) else { return outcome }
        let body = action.withLock { action in
            defer { action = nil }
            return action
        }
        await body?()
        return outcome
    }
}
