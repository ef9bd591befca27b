import Foundation
import GcryptKeystore
import PortcullisCore
import Testing

/// A folder for one test, gone afterwards.
final class Scratch: Sendable {
    let path: String

    init() throws {
        path = NSTemporaryDirectory() + "keystore-tests-" + UUID().uuidString
        try FileManager.default.createDirectory(
            atPath: path,
            withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o700]
        )
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    var store: String { path + "/test.keystore" }
    var keyFile: String { path + "/test.key" }

    var configuration: KeystoreConfiguration {
        KeystoreConfiguration(path: store, credential: .keyFile(keyFile))
    }

    /// A file that holds its frames and no more.
    var tight: KeystoreConfiguration {
        var configuration = configuration
        configuration.growth = 0
        return configuration
    }

    func bytes(_ path: String? = nil) throws -> [UInt8] {
        [UInt8](try Data(contentsOf: URL(fileURLWithPath: path ?? store)))
    }

    /// - Parameter inPlace: into the file that is there, and not another one under its name.
    func put(_ bytes: [UInt8], _ path: String? = nil, inPlace: Bool = false) throws {
        let target = path ?? store
        if inPlace {
            let file = try FileHandle(forWritingTo: URL(fileURLWithPath: target))
            try file.write(contentsOf: bytes)
            try file.truncate(atOffset: UInt64(bytes.count))
            return try file.close()
        }
        try Data(bytes).write(to: URL(fileURLWithPath: target))
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: target)
    }
}

func name(_ text: String) throws -> SecretName { try SecretName(text, in: SecretNamespace("tests")) }

func secret(_ text: String) -> SecretBytes { SecretBytes(copying: text.utf8) }

func text(_ secret: SecretBytes?) -> String? {
    secret?.withBytes { span in String(decoding: (0..<span.count).map { span[$0] }, as: UTF8.self) }
}

extension GcryptKeystore {
    @discardableResult
    func put(_ value: String, _ item: String, _ accessibility: Accessibility = .afterFirstUnlock) async throws
        -> SecretVersion?
    {
        guard
            case .written(let version) = try await write(
                secret(value),
                to: name(item),
                accessibility: accessibility
            )
        else { return nil }
        return version
    }

    func get(_ item: String) async throws -> String? { text(try await read(name(item))?.value) }
}

/// The code of the error that `body` throws; `nil` when it throws none of the store's.
func code<T>(of body: () async throws -> T) async -> SecretStoreError.Code? {
    do {
        _ = try await body()
        return nil
    } catch {
        return (error as? SecretStoreError)?.code
    }
}

/// Reads an item often enough for what a handle remembers of its file to be relied on.
func demand(_ value: String, _ store: GcryptKeystore) async throws {
    for _ in 0..<4 { #expect(try await store.get("item") == value) }
}
