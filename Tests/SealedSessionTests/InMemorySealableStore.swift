import PortcullisCore
import PortcullisTesting
import SealedSession
import Synchronization

/// A store in memory that can be sealed: what one process has open of it.
final class InMemorySealableStore: SealableSecretStore {
    /// The store itself, which several processes have open.
    final class File: Sendable {
        fileprivate struct Seal: Sendable {
            /// New with each seal: what was opened before it is locked.
            var number = 0
            /// What opens it; `nil` while it is not sealed.
            var openers: (key: SecretBytes, passphrases: [SecretBytes])?
        }

        fileprivate let storage = InMemorySecretStore.Storage()
        fileprivate let seal = Mutex(Seal())

        init() {}
    }

    private let file: File
    private let base: InMemorySecretStore
    private let opened: Mutex<Int>
    /// Runs once when a sealing has begun and nothing is sealed yet.
    let duringSealing = Mutex<(@Sendable () async throws(SecretStoreError) -> Void)?>(nil)

    init(_ file: File = File()) {
        self.file = file
        let seal = file.seal.withLock { $0 }
        base = InMemorySecretStore(file.storage, isLocked: seal.openers != nil)
        opened = Mutex(seal.number)
    }

    var isSealed: Bool { file.seal.withLock { $0.openers != nil } }
    var isLocked: Bool { look().isLocked }

    /// The items; out of reach where another process sealed them, or unsealed them, since.
    private func look() -> InMemorySecretStore {
        let (number, isSealed) = file.seal.withLock { ($0.number, $0.openers != nil) }
        opened.withLock { opened in
            guard opened != number else { return }
            opened = number
            if isSealed { base.lock() } else { base.unlock() }
        }
        return base
    }

    func lock() { look().lock() }

    func unlock(with opener: SealOpener) async throws(SecretStoreError) {
        let isRight = file.seal.withLock { seal in
            guard let openers = seal.openers else { return true }
            return switch opener {
            case .key(let key): key.matches(openers.key)
            case .recovery(let passphrase): openers.passphrases.contains { $0.matches(passphrase) }
            }
        }
        guard isRight else { throw SecretStoreError(code: .wrongKey, message: "it opens nothing") }
        look().unlock()
    }

    func seal(
        under key: SecretBytes,
        recoverableWith passphrases: [SecretBytes]
    ) async throws(SecretStoreError) {
        let meanwhile = duringSealing.withLock { event in
            defer { event = nil }
            return event
        }
        try await meanwhile?()
        try replace((key, passphrases))
    }

    func unseal() async throws(SecretStoreError) { try replace(nil) }

    private func replace(
        _ openers: (key: SecretBytes, passphrases: [SecretBytes])?
    ) throws(SecretStoreError) {
        guard !look().isLocked else {
            throw SecretStoreError(code: .classLocked, message: "the class is locked")
        }
        file.seal.withLock { seal in
            seal.number += 1
            seal.openers = openers
            opened.withLock { [number = seal.number] in $0 = number }
        }
    }

    var capabilities: SecretStoreCapabilities { base.capabilities }

    func read(_ name: SecretName) async throws(SecretStoreError) -> StoredSecret? {
        try await look().read(name)
    }

    func write(
        _ value: SecretBytes,
        to name: SecretName,
        accessibility: Accessibility,
        if precondition: WritePrecondition
    ) async throws(SecretStoreError) -> WriteOutcome {
        try await look().write(value, to: name, accessibility: accessibility, if: precondition)
    }

    func remove(
        _ name: SecretName,
        if precondition: WritePrecondition
    ) async throws(SecretStoreError) -> RemoveOutcome {
        try await look().remove(name, if: precondition)
    }

    func names(in namespace: SecretNamespace) async throws(SecretStoreError) -> [SecretName] {
        try await base.names(in: namespace)
    }

    func changes(in namespace: SecretNamespace) -> AsyncStream<Void> { base.changes(in: namespace) }

    func commit(_ changes: [SecretChange]) async throws(SecretStoreError) -> CommitOutcome {
        try await look().commit(changes)
    }
}
