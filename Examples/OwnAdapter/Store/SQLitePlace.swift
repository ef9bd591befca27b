internal import Foundation
internal import GRDB
internal import PortcullisCore
internal import PortcullisTesting

extension SecretStoreSubject {
    /// Stores on SQLite, as the contract tries them: each place is a file of its own in the folder.
    ///
    /// - Parameter wrap: what is put in front of each store.
    static func onSQLite(
        in folder: String,
        wrap: @escaping @Sendable (SQLiteStore) -> any SecretStore
    ) -> SecretStoreSubject {
        SecretStoreSubject(places: {
            let path = "\(folder)/\(UUID()).sqlite"
            return Place(
                damage: { try SQLitePlace.damage($0, in: path) },
                hold: { try SQLitePlace.hold(path) },
                open: { wrap(try await SQLiteStore.open(path)) }
            )
        })
    }
}

/// What a test does to a database behind the store's back.
private enum SQLitePlace {
    /// Puts a class into an item that there is not; SQLite itself has no check of its values.
    static func damage(_ name: SecretName, in path: String) throws {
        try DatabaseQueue(path: path).write { db in
            try db.execute(
                sql: "UPDATE items SET availability = 99 WHERE namespace = ? AND name = ?",
                arguments: [name.namespace.rawValue, name.name]
            )
        }
    }

    /// Begins to write from another connection; what is returned ends that.
    static func hold(_ path: String) throws -> @Sendable () -> Void {
        let queue = try DatabaseQueue(path: path)
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
