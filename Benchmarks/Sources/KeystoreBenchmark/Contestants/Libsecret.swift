import Foundation

/// libsecret's file backend: one file, written anew with each change.
///
/// Sandboxed apps get its password from the desktop's portal over D-Bus; `SECRET_FILE_TEST_PASSWORD` stands in for that,
/// so that no desktop has to run.
@safe
final class Libsecret: Contestant {
    // As secret-password.h and ghash.h have them.
    private let store:
        @convention(c) (
            OpaquePointer, OpaquePointer, OpaquePointer?, UnsafePointer<CChar>, UnsafePointer<CChar>,
            OpaquePointer?, OpaquePointer?
        ) -> Int32
    private let lookup:
        @convention(c) (OpaquePointer, OpaquePointer, OpaquePointer?, OpaquePointer?) -> UnsafeMutablePointer<
            CChar
        >?
    private let free: @convention(c) (UnsafeMutablePointer<CChar>) -> Void
    private let newTable: @convention(c) (UnsafeRawPointer, UnsafeRawPointer) -> OpaquePointer
    private let insert: @convention(c) (OpaquePointer, UnsafePointer<CChar>, UnsafePointer<CChar>) -> Int32
    private let destroy: @convention(c) (OpaquePointer) -> Void
    private let hash: UnsafeMutableRawPointer
    private let equal: UnsafeMutableRawPointer
    private let schema: OpaquePointer
    private var filled = 0
    private var names: [String] = []

    /// - Returns: `nil` when the library is not installed.
    ///
    /// The library takes the file's path from the environment once: one store for each process.
    init?(_ path: String) throws {
        unsafe setenv("SECRET_BACKEND", "file", 1)
        unsafe setenv("SECRET_FILE_TEST_PATH", path, 1)
        unsafe setenv("SECRET_FILE_TEST_PASSWORD", "benchmark", 1)
        guard let library = DynamicLibrary("libsecret-1.so.0"), let glib = DynamicLibrary("libglib-2.0.so.0")
        else { return nil }
        unsafe store = try library.function("secret_password_storev_sync")
        unsafe lookup = try library.function("secret_password_lookupv_sync")
        unsafe free = try library.function("secret_password_free")
        unsafe newTable = try glib.function("g_hash_table_new")
        unsafe insert = try glib.function("g_hash_table_insert")
        unsafe destroy = unsafe try glib.function("g_hash_table_unref")
        unsafe hash = try unsafe glib.address("g_str_hash")
        unsafe equal = try unsafe glib.address("g_str_equal")
        let schemas = unsafe try library.function(
            "secret_get_schema",
            (@convention(c) (Int32) -> OpaquePointer).self
        )
        // SECRET_SCHEMA_TYPE_COMPAT_NETWORK has an attribute "object".
        unsafe schema = unsafe schemas(1)
    }

    private func attributes<Value>(_ name: String, _ body: (OpaquePointer) throws -> Value) rethrows -> Value
    {
        let table = unsafe newTable(hash, equal)
        defer { unsafe destroy(table) }
        return try unsafe "object".withCString { key in
            try unsafe name.withCString { value in
                _ = unsafe insert(table, key, value)
                return unsafe try body(table)
            }
        }
    }

    /// Takes note that the file is one that was filled before.
    func adopt(_ count: Int) {
        names = Items.names(count)
        filled = count
    }

    /// Adds what is missing.
    func fill(_ count: Int) throws {
        names = Items.names(max(filled, count))
        for index in filled..<max(filled, count) { try put(index, Items.value()) }
        filled = max(filled, count)
    }

    func put(_ index: Int, _ value: [UInt8]) throws {
        // Passwords are text: as many letters as the others' values have bytes.
        let value = String(value.map { Character(UnicodeScalar(97 + $0 % 26)) })
        let isStored = unsafe attributes(names[index]) {
            unsafe store(schema, $0, nil, "benchmark", value, nil, nil)
        }
        guard isStored != 0 else { throw MeasuringFailed("libsecret did not store the item") }
    }

    func name(_ index: Int) -> String { names[index] }

    func get(_ name: String) throws {
        guard let value = unsafe attributes(name, { unsafe lookup(schema, $0, nil, nil) }) else {
            throw MeasuringFailed("libsecret has no such item")
        }
        unsafe free(value)
    }

    func close() {}
}
