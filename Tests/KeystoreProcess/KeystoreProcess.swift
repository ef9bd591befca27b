#if canImport(Glibc)
import GcryptKeystore
import Glibc
import PortcullisCore

/// Uses a store and then waits, so that a test can look at its memory.
///
/// `KeystoreProcess STORE PASSPHRASEFILE`; it writes a line for each stage and goes on with each line that it reads.
@main
struct KeystoreProcess {
    static func main() async throws {
        let arguments = CommandLine.arguments
        guard arguments.count == 3 else { exit(64) }
        try await use(arguments[1], arguments[2])
        // What the store's threads held of it goes when they end.
        stage("released")
    }

    private static func use(_ path: String, _ passphrase: String) async throws {
        let store = try await open(path, passphrase)
        let name = try SecretName("item", in: SecretNamespace("tests"))
        try await copy(name, store)
        try await backUp(path, passphrase, store)
        stage("used")
        store.lock()
        stage("locked")
        try await store.unlock(with: .passphrase(secret(passphrase)))
        try await copy(name, store)
        stage("unlocked")
        await store.close()
        stage("closed")
    }

    private static func open(_ path: String, _ passphrase: String) async throws -> GcryptKeystore {
        try await GcryptKeystore.open(
            KeystoreConfiguration(
                path: path,
                credential: .passphrase(secret(passphrase)),
                argon2: Argon2Parameters(memory: 64, passes: 1, lanes: 1)
            )
        )
    }

    /// Reads a value and writes it again, under its own name and as part of a batch.
    private static func copy(_ name: SecretName, _ store: GcryptKeystore) async throws {
        guard let stored = try await store.read(name) else { exit(1) }
        _ = try await store.write(stored.value, to: name, accessibility: stored.accessibility, if: .none)
        _ = try await store.commit([
            .write(stored.value, to: name, accessibility: stored.accessibility, if: .none)
        ])
    }

    private static func backUp(_ path: String, _ passphrase: String, _ store: GcryptKeystore) async throws {
        let backup = path + ".backup"
        _ = try await store.export(to: backup, passphrase: secret(passphrase))
        _ = try await store.import(from: backup, passphrase: secret(passphrase))
        try await store.compact()
    }

    /// The bytes of a file, read straight into protected memory.
    private static func secret(_ path: String) -> SecretBytes {
        let file = unsafe Glibc.open(path, O_RDONLY | O_CLOEXEC)
        defer { Glibc.close(file) }
        return SecretBytes(capacity: 64) { (output: inout OutputSpan<UInt8>) in
            unsafe output.withUnsafeMutableBufferPointer { buffer, count in
                count = max(0, unsafe read(file, buffer.baseAddress, buffer.count))
            }
        }
    }

    private static func stage(_ name: String) {
        print(name)
        // All streams: the name of this one alone is a variable of C that Swift cannot trust.
        fflush(nil)
        _ = readLine()
    }
}
#else
@main
struct KeystoreProcess {
    static func main() {}
}
#endif
