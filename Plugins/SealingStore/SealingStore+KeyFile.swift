internal import AdapterKit
public import PortcullisCore

extension SealingStore {
    /// Opens a sealing store under the key in a file, which is made while the store below is empty, and only then.
    ///
    /// Of several clients that start at once on an empty store one makes the keys. Those that share its file take its key;
    /// another one is told `wrongKey`, and the key file that it had just made is taken away again: its file has to be copied.
    ///
    /// - Parameters:
    ///   - base: the store below.
    ///   - file: where the key lies; its calls are made on a thread that may block.
    ///   - anchor: what remembers the numbers that were seen.
    ///   - configuration: its numbers.
    ///   - isEmpty: whether the store below holds no item at all, of any namespace.
    /// - Throws: `wrongKey` where the store below is not empty and the file is missing, or is of another store; `rolledBack`
    ///   where it is not empty and holds no keys; as ``open(over:under:creating:anchor:configuration:)`` and
    ///   ``SealingKeyFile/make()``.
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
