internal import Foundation
internal import GRDB
internal import PortcullisCore
internal import PortcullisTesting

extension SecretStoreSubject {
    /// Stores on SQLite, as the contract tries them: each place is a file of its own in the folder.
    static func onSQLite(in folder: String) -> SecretStoreSubject {
        onSQLite(in: folder) { try await SQLiteStore.open($0) }
    }

    /// The same, sealed.
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

/// What a test does to a database behind the store's back.
private enum SQLitePlace {
    /// Another connection. It waits where the store's connections change the file's journal.
    private static func connection(to path: String) throws -> DatabaseQueue {
        var configuration = Configuration()
        configuration.busyMode = .timeout(30)
        return try DatabaseQueue(path: path, configuration: configuration)
    }

    /// Puts a class that there is not into all items but the one that sealing keys lie in; SQLite itself has no check of its
    /// values.
    static func damage(_ path: String) throws {
        try connection(to: path).write { db in
            try db.execute(
                sql: "UPDATE items SET availability = 99 WHERE namespace <> 'portcullis.sealing'"
            )
        }
    }

    /// Begins to write from another connection; what is returned ends that.
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
                // Then nothing is held up, which the contract finds.
                isHeld.signal()
            }
        }
        isHeld.wait()
        return { isOver.signal() }
    }
}
