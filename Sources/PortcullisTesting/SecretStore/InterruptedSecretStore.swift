package import PortcullisCore
internal import Synchronization

/// A store that passes calls on to another store, and runs a function right before one of the calls.
package final class InterruptedSecretStore: ForwardingSecretStore {
    private struct State {
        var left: Int
        var interruption: (@Sendable () async -> Void)?
    }

    package let base: any SecretStore
    private let operation: SecretStoreOperation
    private let state: Mutex<State>

    /// Makes a store that runs `interruption` before one call of `operation`: a read, a write or a removal.
    /// `number` is the number of that call, counted from 0.
    package init(
        _ base: any SecretStore,
        before operation: SecretStoreOperation,
        number: Int = 0,
        interruption: @escaping @Sendable () async -> Void
    ) {
        self.base = base
        self.operation = operation
        self.state = Mutex(State(left: number, interruption: interruption))
    }

    private func pass(_ call: SecretStoreOperation) async {
        guard call == operation else { return }
        let interruption = state.withLock { state -> (@Sendable () async -> Void)? in
            state.left -= 1
            return state.left == -1 ? state.interruption : nil
        }
        await interruption?()
    }

    package func read(_ name: SecretName) async throws(SecretStoreError) -> StoredSecret? {
        await pass(.read)
        return try await base.read(name)
    }

    package func write(
        _ value: SecretBytes,
        to name: SecretName,
        accessibility: Accessibility,
        if precondition: WritePrecondition
    ) async throws(SecretStoreError) -> WriteOutcome {
        await pass(.write)
        return try await base.write(value, to: name, accessibility: accessibility, if: precondition)
    }

    package func remove(
        _ name: SecretName,
        if precondition: WritePrecondition
    ) async throws(SecretStoreError) -> RemoveOutcome {
        await pass(.remove)
        return try await base.remove(name, if: precondition)
    }
}
