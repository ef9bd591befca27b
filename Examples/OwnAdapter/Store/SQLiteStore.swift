internal import AdapterKit
internal import Foundation
internal import GRDB
internal import PortcullisCore

/// Secrets in a SQLite database: one row for each item, one transaction for each change.
///
/// SQLite encrypts nothing, so the example puts a `SealingStore` in front (``SealedSQLite``). The file, its
/// free pages and its write-ahead log then hold only sealed data.
///
/// Several processes may open one file. With `synchronous = FULL` a change is on disk when its call returns.
final class SQLiteStore: TransactionalSecretStore {
    let pool: DatabasePool
    let changes: ChangeWatch
    /// The path of the file, which errors contain.
    let path: String

    /// Opens a database, and makes it if there is none.
    ///
    /// Each user who may enter the folder and read the file can read the database. A missing folder is made
    /// for this user alone.
    static func open(_ path: String) async throws(SecretStoreError) -> SQLiteStore {
        let opened = await withCheckedContinuation { continuation in
            // The opening may wait for other processes, so it has a thread of its own.
            DispatchQueue(label: "own-adapter.open").async {
                continuation.resume(
                    returning: Result {
                        let pool = try SQLiteFile.open(path)
                        return SQLiteStore(pool, path: path, latest: try pool.read(ChangeWatch.latest))
                    }
                )
            }
        }
        do { return try opened.get() } catch { throw SecretStoreError(error, path) }
    }

    private init(_ pool: DatabasePool, path: String, latest: [String: Int64]) {
        self.pool = pool
        self.path = path
        changes = ChangeWatch(pool, latest: latest)
    }

    /// The store has every capability of the port, including signals for changes of other processes.
    var capabilities: SecretStoreCapabilities {
        [.signalsOwnChanges, .signalsOtherProcesses, .isDurable, .isShared]
    }

    func read(_ name: SecretName) async throws(SecretStoreError) -> StoredSecret? {
        try await reading { db in try Item.find(name, in: db)?.stored }
    }

    func read(_ names: [SecretName]) async throws(SecretStoreError) -> [StoredSecret?] {
        // One transaction reads from one snapshot.
        try await reading { db in try names.map { try Item.find($0, in: db)?.stored } }
    }

    /// Whether there is no item, of any namespace.
    func isEmpty() async throws(SecretStoreError) -> Bool {
        try await reading { db in
            try !(Bool.fetchOne(db, sql: "SELECT EXISTS (SELECT 1 FROM items)") ?? false)
        }
    }

    func names(in namespace: SecretNamespace) async throws(SecretStoreError) -> [SecretName] {
        try await reading { db in
            // SQLite's own order of text is the order of its bytes.
            try String.fetchAll(
                db,
                sql: "SELECT name FROM items WHERE namespace = ? ORDER BY name",
                arguments: [namespace.rawValue]
            ).map { try SecretName($0, in: namespace) }
        }
    }

    func write(
        _ value: SecretBytes,
        to name: SecretName,
        accessibility: Accessibility,
        if precondition: WritePrecondition
    ) async throws(SecretStoreError) -> WriteOutcome {
        try await writing { db in
            let current = try Item.version(of: name, in: db)
            guard precondition.holds(for: current) else { return .conflict(current: current) }
            return .written(try Item.put(value, at: name, accessibility, in: db))
        }
    }

    func remove(
        _ name: SecretName,
        if precondition: WritePrecondition
    ) async throws(SecretStoreError) -> RemoveOutcome {
        try await writing { db in
            let current = try Item.version(of: name, in: db)
            guard precondition.holds(for: current) else { return .conflict(current: current) }
            return try Item.remove(name, in: db) ? .removed : .absent
        }
    }

    func commit(_ changes: [SecretChange]) async throws(SecretStoreError) -> CommitOutcome {
        guard Set(changes.map(\.name)).count == changes.count else {
            throw SecretStoreError(code: .invalidName, message: "a batch names an item twice", path: path)
        }
        return try await writing { db in
            var conflicts: [SecretName: SecretVersion?] = [:]
            for change in changes {
                let current = try Item.version(of: change.name, in: db)
                if !change.precondition.holds(for: current) {
                    conflicts.updateValue(current, forKey: change.name)
                }
            }
            guard conflicts.isEmpty else { return .conflict(conflicts) }
            return .committed(
                try changes.map { change in
                    switch change {
                    case .write(let value, let name, let accessibility, _):
                        return try Item.put(value, at: name, accessibility, in: db)
                    case .remove(let name, _):
                        _ = try Item.remove(name, in: db)
                        return nil
                    }
                }
            )
        }
    }

    func changes(in namespace: SecretNamespace) -> AsyncStream<Void> { changes.stream(of: namespace) }
}
