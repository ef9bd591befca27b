internal import GcryptKeystore
internal import PortcullisCore
internal import Synchronization

/// The stores that a command has opened.
final class OpenStores: Sendable {
    @TaskLocal static var current: OpenStores?
    private let stores = Mutex<[GcryptKeystore]>([])

    func add(_ store: GcryptKeystore) { stores.withLock { $0.append(store) } }

    /// Runs a command. At its end the tool warns if a store's rollback anchor lacks the last change.
    static func watch(_ command: () async throws -> Void) async throws {
        let opened = OpenStores()
        defer {
            if let failure = opened.stores.withLock({ $0.compactMap(\.lastAnchorFailure).last }) {
                StandardError.warn("the anchor was not written: \(failure.message)")
            }
        }
        try await $current.withValue(opened, operation: command)
    }
}
