import Foundation

/// SQLite with a write-ahead log and `synchronous=FULL`, or SQLCipher with a key of 32 bytes besides.
///
/// Statements are prepared once, and the connection stays open, as an app would have it.
@safe
final class SQLite: Contestant {
    /// Which of the two, and the library it is in.
    enum Kind: String, CaseIterable {
        case sqlite = "libsqlite3.so.0"
        case sqlcipher = "libsqlcipher.so.0"
    }

    // As sqlite3.h has them.
    @safe
    private struct Functions {
        typealias Handle = OpaquePointer
        let open: @convention(c) (UnsafePointer<CChar>, UnsafeMutablePointer<Handle?>) -> Int32
        let exec: @convention(c) (Handle, UnsafePointer<CChar>, Handle?, Handle?, Handle?) -> Int32
        let prepare:
            @convention(c) (Handle, UnsafePointer<CChar>, Int32, UnsafeMutablePointer<Handle?>, Handle?) ->
                Int32
        let bindText: @convention(c) (Handle, Int32, UnsafePointer<CChar>, Int32, Int) -> Int32
        let bindBlob: @convention(c) (Handle, Int32, UnsafeRawPointer, Int32, Int) -> Int32
        let step: @convention(c) (Handle) -> Int32
        let reset: @convention(c) (Handle) -> Int32
        let blob: @convention(c) (Handle, Int32) -> UnsafeRawPointer?
        let bytes: @convention(c) (Handle, Int32) -> Int32
        let finalize: @convention(c) (Handle) -> Int32
        let close: @convention(c) (Handle) -> Int32

        init(_ library: DynamicLibrary) throws {
            unsafe open = try library.function("sqlite3_open")
            unsafe exec = try library.function("sqlite3_exec")
            unsafe prepare = try library.function("sqlite3_prepare_v2")
            unsafe bindText = try library.function("sqlite3_bind_text")
            unsafe bindBlob = try library.function("sqlite3_bind_blob")
            unsafe step = unsafe try library.function("sqlite3_step")
            unsafe reset = unsafe try library.function("sqlite3_reset")
            unsafe blob = try library.function("sqlite3_column_blob")
            unsafe bytes = unsafe try library.function("sqlite3_column_bytes")
            unsafe finalize = unsafe try library.function("sqlite3_finalize")
            unsafe close = unsafe try library.function("sqlite3_close")
        }
    }

    private static let (ok, row, done) = (Int32(0), Int32(100), Int32(101))
    /// The library copies what is bound.
    private static let transient = -1

    private let functions: Functions
    private let database: OpaquePointer
    private var writing: OpaquePointer?
    private var reading: OpaquePointer?
    private let names: [String]
    private var value = [UInt8](repeating: 0, count: Items.valueSize)

    /// - Returns: `nil` when the library is not installed.
    init?(_ kind: Kind, _ path: String, items: Int) throws {
        guard let library = DynamicLibrary(kind.rawValue) else { return nil }
        functions = try Functions(library)
        names = Items.names(items)
        var opened: OpaquePointer?
        guard unsafe functions.open(path, &opened) == Self.ok, let opened = unsafe opened else {
            throw MeasuringFailed("\(kind.rawValue) did not open \(path)")
        }
        unsafe database = unsafe opened
        if kind == .sqlcipher {
            // A raw key, as a key file is: no derivation is in the figures.
            try execute("PRAGMA key = \"x'\(String(repeating: "5a", count: 32))'\"")
        }
        try execute("PRAGMA busy_timeout = 60000")
        try execute("PRAGMA journal_mode = WAL")
        try execute("PRAGMA synchronous = FULL")
        try execute("CREATE TABLE IF NOT EXISTS items (name TEXT PRIMARY KEY, value BLOB) WITHOUT ROWID")
        unsafe writing = unsafe try prepare("INSERT OR REPLACE INTO items VALUES (?, ?)")
        unsafe reading = unsafe try prepare("SELECT value FROM items WHERE name = ?")
    }

    private func execute(_ statement: String) throws {
        let code = unsafe functions.exec(database, statement, nil, nil, nil)
        guard code == Self.ok else { throw MeasuringFailed("\(statement): \(code)") }
    }

    private func prepare(_ text: String) throws -> OpaquePointer? {
        var statement: OpaquePointer?
        let code = unsafe functions.prepare(database, text, -1, &statement, nil)
        guard code == Self.ok else { throw MeasuringFailed("\(text): \(code)") }
        return unsafe statement
    }

    func fill(_ count: Int) throws {
        try execute("BEGIN")
        for index in 0..<count { try put(index, Items.value()) }
        try execute("COMMIT")
        try execute("PRAGMA wal_checkpoint(TRUNCATE)")
    }

    func put(_ index: Int, _ value: [UInt8]) throws {
        guard let statement = unsafe writing else { return }
        var code = unsafe functions.bindText(statement, 1, names[index], -1, Self.transient)
        if code == Self.ok {
            code = unsafe value.withUnsafeBytes {
                unsafe functions.bindBlob(statement, 2, $0.baseAddress!, Int32($0.count), Self.transient)
            }
        }
        if code == Self.ok { code = unsafe functions.step(statement) }
        _ = unsafe functions.reset(statement)
        guard code == Self.done else { throw MeasuringFailed("a put ended with \(code)") }
    }

    func name(_ index: Int) -> String { names[index] }

    func get(_ name: String) throws {
        guard let statement = unsafe reading else { return }
        var code = unsafe functions.bindText(statement, 1, name, -1, Self.transient)
        if code == Self.ok { code = unsafe functions.step(statement) }
        guard code == Self.row, unsafe functions.bytes(statement, 0) == Int32(Items.valueSize),
            let bytes = unsafe functions.blob(statement, 0)
        else { throw MeasuringFailed("a get ended with \(code)") }
        unsafe value.withUnsafeMutableBytes {
            unsafe $0.copyMemory(from: .init(start: bytes, count: $0.count))
        }
        _ = unsafe functions.reset(statement)
    }

    func close() {
        if let writing = unsafe writing { _ = unsafe functions.finalize(writing) }
        if let reading = unsafe reading { _ = unsafe functions.finalize(reading) }
        _ = unsafe functions.close(database)
    }
}
