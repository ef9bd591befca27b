internal import Foundation
internal import GRDB
internal import PortcullisCore
internal import PortcullisTesting

extension SecretStoreSubject {
    /// The subject for stores on SQLite. Each place is a file of its own in the folder.
    static func onSQLite(in folder: String) -> SecretStoreSubject {
        onSQLite(in: folder) { try await SQLiteStore.open($0) }
    }

    /// The subject for sealed stores on SQLite.
    static func onSealedSQLite(in folder: String) -> SecretStoreSubject {
        onSQLite(in: folder) { try await SealedSQLite.open($0, keyFile: $0 + ".key") }
    }

    private static func onSQLite(
        in folder: String,
        open: @escaping @Sendable (String) async throws -> any SecretStore
    ) -> SecretStoreSubject {
        SecretStoreSubject(places: {
            let path = "\(folder)/\(UUID()).sqlite"
            return Place(
                damage: { _ in try SQLitePlace.damage(path) },
                hold: { try SQLitePlace.hold(path) },
                open: { try await open(path) }
            )
        })
    }
}

/// Changes that a test makes to a database without the store.
private enum SQLitePlace {
    /// Makes another connection. It waits while the store's connections change the file's journal.
    private static func connection(to path: String) throws -> DatabaseQueue {
        var configuration = Configuration()
        configuration.busyMode = .timeout(30)
        return try DatabaseQueue(path: path, configuration: configuration)
    }

    /// Gives all items except the sealing keys an availability that does not exist. SQLite itself does not
    /// check its values.
    static func damage(_ path: String) throws {
        try connection(to: path).write { db in
            try db.execute(
                sql: "UPDATE items SET availability = 99 WHERE namespace <> 'portcullis.sealing'"
            )
        }
    }

    /// Begins to write from another connection. The returned function ends the write.
    static func hold(_ path: String) throws -> @Sendable () -> Void {
        let queue = try connection(to: path)
        let (isHeld, isOver) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        queue.asyncWriteWithoutTransaction { db in
            do {
                try db.inTransaction(.immediate) {
                    isHeld.signal()
                    isOver.wait()
                    return .rollback
                }
            } catch {
                // Without the transaction nothing is held up, and the contract reports this.
                isHeld.signal()
            }
        }
        isHeld.wait()
        return { isOver.signal() }
    }
}
