internal import PortcullisCore
internal import SealingStore

/// Opens the store that the example uses: a sealed store on SQLite.
enum SealedSQLite {
    /// Opens a database under the key in a file, which is made together with a new database.
    ///
    /// Keep the key file in a place that is not copied together with the database.
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
