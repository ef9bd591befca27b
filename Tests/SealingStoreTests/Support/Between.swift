import PortcullisCore
import PortcullisTesting
import Synchronization
import Testing

/// Steps that are taken one after the other, each once, at its point.
final class Steps: Sendable {
    enum Point: Hashable {
        case beforeRead(in: SecretNamespace)
        case afterRead(in: SecretNamespace)
        case beforeCommit
        case beforeWrite(in: SecretNamespace)
        case afterWrite(in: SecretNamespace)
    }

    typealias Step = @Sendable () async throws -> Void

    private let waiting = Mutex<[(point: Point, step: Step)]>([])

    var isEmpty: Bool { waiting.withLock { $0.isEmpty } }

    func next(_ point: Point, _ step: @escaping Step) { waiting.withLock { $0.append((point, step)) } }

    /// Takes the next step if it belongs to this point.
    func pass(_ point: Point) async {
        let step = waiting.withLock { waiting in
            waiting.first?.point == point ? waiting.removeFirst().step : nil
        }
        do { try await step?() } catch { Issue.record(error) }
    }
}

/// A store with batches that takes steps between its calls.
struct Between: ForwardingSecretStore, TransactionalSecretStore {
    let memory: InMemorySecretStore
    let steps: Steps

    var base: any SecretStore { memory }

    func read(_ name: SecretName) async throws(SecretStoreError) -> StoredSecret? {
        await steps.pass(.beforeRead(in: name.namespace))
        let found = try await memory.read(name)
        await steps.pass(.afterRead(in: name.namespace))
        return found
    }

    func write(
        _ value: SecretBytes,
        to name: SecretName,
        accessibility: Accessibility,
        if precondition: WritePrecondition
    ) async throws(SecretStoreError) -> WriteOutcome {
        await steps.pass(.beforeWrite(in: name.namespace))
        let outcome = try await memory.write(value, to: name, accessibility: accessibility, if: precondition)
        await steps.pass(.afterWrite(in: name.namespace))
        return outcome
    }

    func commit(_ changes: [SecretChange]) async throws(SecretStoreError) -> CommitOutcome {
        await steps.pass(.beforeCommit)
        return try await memory.commit(changes)
    }
}
