internal import Foundation
internal import GRDB
internal import PortcullisCore

/// The database file: its opening and its tables.
enum SQLiteFile {
    /// The version of the tables below. A file of a later version is refused.
    private static let format: Int32 = 1
    /// How long a change waits for the changes of other processes.
    private static let patience: TimeInterval = 30

    static func open(_ path: String) throws -> DatabasePool {
        try makeFolder(of: path)
        var configuration = Configuration()
        configuration.busyMode = .timeout(patience)
        let pool = try DatabasePool(path: path, configuration: configuration)
        try pool.writeWithoutTransaction { db in
            // A pool's default is NORMAL, with which a power failure may lose the last changes.
            try db.execute(sql: "PRAGMA synchronous = FULL")
        }
        try pool.write(prepare)
        return pool
    }

    private static func prepare(_ db: Database) throws {
        let found = try Int32.fetchOne(db, sql: "PRAGMA user_version") ?? 0
        guard found <= format else {
            throw SecretStoreError(code: .newerFormat, message: "the database has format \(found)")
        }
        guard found == 0 else { return }
        // Text is compared byte by byte: two Unicode forms of one name are two names.
        try db.execute(
            sql: """
                CREATE TABLE items (
                    namespace TEXT NOT NULL,
                    name TEXT NOT NULL,
                    value BLOB NOT NULL,
                    version INTEGER NOT NULL,
                    availability INTEGER NOT NULL,
                    thisDeviceOnly INTEGER NOT NULL,
                    PRIMARY KEY (namespace, name)
                ) STRICT;
                CREATE TABLE namespaces (name TEXT NOT NULL PRIMARY KEY, latest INTEGER NOT NULL) STRICT;
                PRAGMA user_version = \(format);
                """
        )
    }

    private static func makeFolder(of path: String) throws {
        let folder = URL(fileURLWithPath: path).deletingLastPathComponent().path
        guard !FileManager.default.fileExists(atPath: folder) else { return }
        try FileManager.default.createDirectory(
            atPath: folder,
            withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o700]
        )
    }
}

extension SecretStoreError {
    /// Translates an error of SQLite into the port's error, without the values that SQLite's error carries.
    init(_ error: any Error, _ path: String) {
        switch error {
        case let error as SecretStoreError:
            self.init(code: error.code, message: error.message, path: error.path ?? path, cause: error.cause)
        case let error as DatabaseError:
            let plain = DatabaseError(resultCode: error.extendedResultCode, message: error.message)
            let message = error.message ?? "SQLite failed"
            self.init(code: Self.code(for: error), message: message, path: path, cause: plain)
        case is DecodingError:
            self.init(code: .damaged, message: "a row is not what was written", path: path)
        default:
            self.init(code: .systemFailure, message: "the database cannot be used", path: path, cause: error)
        }
    }

    private static func code(for error: DatabaseError) -> Code {
        switch error.extendedResultCode {
        case .SQLITE_IOERR_FSYNC, .SQLITE_IOERR_DIR_FSYNC: return .durabilityUnknown
        default: break
        }
        return switch error.resultCode {
        case .SQLITE_FULL: .diskFull
        case .SQLITE_READONLY: .readOnly
        case .SQLITE_BUSY, .SQLITE_LOCKED: .lockTimeout
        case .SQLITE_CORRUPT, .SQLITE_NOTADB, .SQLITE_MISMATCH: .damaged
        case .SQLITE_PERM, .SQLITE_AUTH, .SQLITE_CANTOPEN: .notPermitted
        case .SQLITE_TOOBIG: .tooLarge
        default: .systemFailure
        }
    }
}
