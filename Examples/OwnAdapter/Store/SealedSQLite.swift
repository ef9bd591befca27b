internal import PortcullisCore
internal import SealingStore

/// The store that the example uses: on SQLite, and sealed.
enum SealedSQLite {
    /// Opens a database under the key in a file, which is made together with a new database.
    ///
    /// Keep the key file where a copy of the database does not go along with it.
    static func open(
        _ path: String,
        keyFile: String
    ) async throws(SecretStoreError) -> SealingStore<SQLiteStore> {
        let base = try await SQLiteStore.open(path)
        return try await SealingStore.open(
            over: base,
            keyIn: SealingKeyFile(path: keyFile),
            isEmpty: { () async throws(SecretStoreError) in try await base.isEmpty() }
        )
    }
}
