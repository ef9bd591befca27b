internal import Crypto
internal import Foundation
internal import PortcullisCore

/// Seals values under a key before another store keeps them, and opens them when they are read.
///
/// Each is bound to its name, so that values cannot be swapped. Names, sizes and classes show, an older value can be put
/// back in the place of a newer one, and who has the key is for the host to decide.
///
/// A value is sealed from where it lies. Opened, it comes from swift-crypto in ordinary memory, which is overwritten here as
/// soon as it has been copied; copies that were made on its way are out of reach.
struct SealedStore: SecretStore {
    let base: any SecretStore
    let key: SymmetricKey

    var capabilities: SecretStoreCapabilities { base.capabilities }

    func read(_ name: SecretName) async throws(SecretStoreError) -> StoredSecret? {
        guard let stored = try await base.read(name) else { return nil }
        return StoredSecret(
            value: try open(stored.value, at: name),
            version: stored.version,
            accessibility: stored.accessibility
        )
    }

    func write(
        _ value: SecretBytes,
        to name: SecretName,
        accessibility: Accessibility,
        if precondition: WritePrecondition
    ) async throws(SecretStoreError) -> WriteOutcome {
        try await base.write(
            try seal(value, at: name),
            to: name,
            accessibility: accessibility,
            if: precondition
        )
    }

    func remove(
        _ name: SecretName,
        if precondition: WritePrecondition
    ) async throws(SecretStoreError) -> RemoveOutcome { try await base.remove(name, if: precondition) }

    func names(in namespace: SecretNamespace) async throws(SecretStoreError) -> [SecretName] {
        try await base.names(in: namespace)
    }

    func changes(in namespace: SecretNamespace) -> AsyncStream<Void> { base.changes(in: namespace) }

    /// A random nonce, the sealed value and a tag, one after the other.
    private func seal(_ value: SecretBytes, at name: SecretName) throws(SecretStoreError) -> SecretBytes {
        do {
            let box = try value.withBytes { bytes in
                try unsafe bytes.withUnsafeBytes { plain in
                    try unsafe AES.GCM.seal(plain, using: key, authenticating: Data("\(name)".utf8))
                }
            }
            return SecretBytes(copying: Data(box.nonce) + box.ciphertext + box.tag)
        } catch {
            throw SecretStoreError(code: .systemFailure, message: "a value cannot be sealed", cause: error)
        }
    }

    private func open(_ value: SecretBytes, at name: SecretName) throws(SecretStoreError) -> SecretBytes {
        let sealed = value.withBytes { bytes in unsafe bytes.withUnsafeBytes { unsafe Data($0) } }
        do {
            let box = try AES.GCM.SealedBox(combined: sealed)
            var plain = try AES.GCM.open(box, using: key, authenticating: Data("\(name)".utf8))
            defer { plain.resetBytes(in: plain.startIndex..<plain.endIndex) }
            return SecretBytes(copying: plain)
        } catch {
            throw SecretStoreError(
                code: .damaged,
                message: "a value does not open with this key",
                cause: error
            )
        }
    }
}
