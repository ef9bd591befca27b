internal import AdapterKit
public import PortcullisCore

extension SealingStore {
    /// Opens a sealing store with the key in a file. A missing file is made only while the underlying store
    /// is empty.
    ///
    /// If several clients start at once on an empty store, only one client makes the store's keys. The
    /// clients with the same key file then use these keys. A client with another file gets `wrongKey`. If
    /// that client has just made its file, the file is removed. The first client's file must then be copied
    /// to the place of the removed file. If the anchor shows that the store was emptied, no file is made.
    ///
    /// - Parameters:
    ///   - base: the underlying store.
    ///   - file: the file of the wrapping key. The calls of this object may block, so they run on a separate
    ///     thread.
    ///   - anchor: keeps the seen numbers beyond the end of this process; see ``keepSeen()``.
    ///   - configuration: the store's limits.
    ///   - isEmpty: returns whether the underlying store holds no item at all, in any namespace.
    /// - Throws: `wrongKey` if the underlying store is not empty and the file is missing or belongs to
    ///   another store; `rolledBack` if the underlying store is not empty and holds no keys; the errors of
    ///   ``open(over:under:creating:anchor:configuration:)`` and ``SealingKeyFile/make()``.
    public static func open(
        over base: Base,
        keyIn file: SealingKeyFile,
        anchor: (any RollbackAnchor)? = nil,
        configuration: Configuration = Configuration(),
        isEmpty: @Sendable () async throws(SecretStoreError) -> Bool
    ) async throws(SecretStoreError) -> SealingStore {
        let queue = WorkerQueue("portcullis.key-file")
        let wasEmpty = try await isEmpty()
        var found = try await queue.run { () throws(SecretStoreError) in try file.read() }
        var isNew = false
        if found == nil, wasEmpty {
            // Another process may use the file as soon as it is made. So a store that was emptied is refused
            // before the file is made.
            if let anchor { try await LedgerAnchor.demandKeys(in: base, anchor) }
            (found, isNew) = try await queue.run { () throws(SecretStoreError) in try file.make() }
        }
        guard let key = found else {
            throw SecretStoreError(
                code: .wrongKey,
                message:
                    "the store holds items, and the file of its key is missing: copy it from where it was made",
                path: file.path
            )
        }
        do throws(SecretStoreError) {
            return try await open(
                over: base,
                under: [key],
                creating: wasEmpty,
                anchor: anchor,
                configuration: configuration
            )
        } catch {
            if isNew, error.code == .wrongKey {
                try await queue.run { () throws(SecretStoreError) in try file.remove(key) }
            }
            guard error.code == .sealingNotSetUp else { throw error }
            throw .rolledBack("the store holds items, and its sealing keys are missing")
        }
    }
}
