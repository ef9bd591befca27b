internal import GRDB
internal import PortcullisCore

// GRDB's `await pool.write` gives up if its task is cancelled. The methods here complete each change that has
// begun.
extension SQLiteStore {
    func reading<Value: Sendable>(
        _ body: @escaping @Sendable (Database) throws -> Value
    ) async throws(SecretStoreError) -> Value {
        let result = await withCheckedContinuation { continuation in
            pool.asyncRead { db in continuation.resume(returning: Result { try body(try db.get()) }) }
        }
        do { return try result.get() } catch { throw SecretStoreError(error, path) }
    }

    /// Runs one transaction that has the file's write lock from its first statement on. So what it reads is
    /// still true when it writes.
    func writing<Value: Sendable>(
        _ body: @escaping @Sendable (Database) throws -> Value
    ) async throws(SecretStoreError) -> Value {
        let result = await withCheckedContinuation { continuation in
            pool.asyncWrite { db in
                (value: try body(db), latest: try ChangeWatch.latest(in: db))
            } completion: { _, result in
                continuation.resume(returning: result)
            }
        }
        do {
            let (value, latest) = try result.get()
            changes.tell(latest)
            return value
        } catch {
            throw SecretStoreError(error, path)
        }
    }
}
