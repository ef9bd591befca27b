internal import Foundation
internal import GRDB
internal import PortcullisCore

/// A row of the table of items.
struct Item: Decodable, FetchableRecord {
    var value: Data
    var version: Int64
    var availability: UInt8
    var thisDeviceOnly: Bool

    var stored: StoredSecret {
        get throws(SecretStoreError) {
            guard let availability = Accessibility.Availability(rawValue: availability) else {
                throw SecretStoreError(code: .damaged, message: "an item is of a class that there is not")
            }
            return StoredSecret(
                value: SecretBytes(copying: value),
                version: SecretVersion(UInt64(bitPattern: version)),
                accessibility: Accessibility(availability, thisDeviceOnly: thisDeviceOnly)
            )
        }
    }

    static func find(_ name: SecretName, in db: Database) throws -> Item? {
        try fetchOne(
            db,
            sql: """
                SELECT value, version, availability, thisDeviceOnly FROM items
                WHERE namespace = ? AND name = ?
                """,
            arguments: [name.namespace.rawValue, name.name]
        )
    }

    static func version(of name: SecretName, in db: Database) throws -> SecretVersion? {
        try Int64.fetchOne(
            db,
            sql: "SELECT version FROM items WHERE namespace = ? AND name = ?",
            arguments: [name.namespace.rawValue, name.name]
        ).map { SecretVersion(UInt64(bitPattern: $0)) }
    }

    static func put(
        _ value: SecretBytes,
        at name: SecretName,
        _ accessibility: Accessibility,
        in db: Database
    ) throws -> SecretVersion {
        let version = try nextVersion(in: name.namespace, db)
        try db.execute(
            sql: """
                INSERT OR REPLACE INTO items (namespace, name, value, version, availability, thisDeviceOnly)
                VALUES (?, ?, ?, ?, ?, ?)
                """,
            arguments: [
                name.namespace.rawValue, name.name,
                value.withBytes { unsafe Data($0.withUnsafeBytes { unsafe Data($0) }) },
                version, accessibility.availability.rawValue, accessibility.thisDeviceOnly,
            ]
        )
        return SecretVersion(UInt64(bitPattern: version))
    }

    /// - Returns: whether there was such an item.
    static func remove(_ name: SecretName, in db: Database) throws -> Bool {
        try db.execute(
            sql: "DELETE FROM items WHERE namespace = ? AND name = ?",
            arguments: [name.namespace.rawValue, name.name]
        )
        guard db.changesCount > 0 else { return false }
        _ = try nextVersion(in: name.namespace, db)
        return true
    }

    /// Returns a number that this namespace has never had. Removals are counted too, and the count stays when
    /// the items are removed.
    private static func nextVersion(in namespace: SecretNamespace, _ db: Database) throws -> Int64 {
        let number = try Int64.fetchOne(
            db,
            sql: """
                INSERT INTO namespaces (name, latest) VALUES (?, 1)
                ON CONFLICT (name) DO UPDATE SET latest = latest + 1 RETURNING latest
                """,
            arguments: [namespace.rawValue]
        )
        guard let number else { throw DatabaseError(resultCode: .SQLITE_INTERNAL) }
        return number
    }
}
