internal import AdapterKit
public import PortcullisCore

extension SealingStore {
    /// Opens a sealing store with the key in a file. If the file is missing, it is made only while the store below is empty.
    ///
    /// Of several clients that start at once on an empty store, one makes the store's keys. Clients with the same file use its
    /// key. A client with another file gets `wrongKey`, and the file that it has just made is removed: the person has to copy
    /// the first client's file to it.
    ///
    /// - Parameters:
    ///   - base: the store below.
    ///   - file: the file of the wrapping key; it is used on a thread that may block.
    ///   - anchor: remembers the seen numbers after this process has ended; see ``keepSeen()``.
    ///   - configuration: the store's limits.
    ///   - isEmpty: returns whether the store below holds no item at all, in any namespace.
    /// - Throws: `wrongKey` if the store below is not empty and the file is missing or belongs to another store; `rolledBack`
    ///   if the store below is not empty and holds no keys; the errors of
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
