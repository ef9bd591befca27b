#if Passkeys
internal import AdapterKit
internal import Crypto
internal import PortcullisCore

#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

/// A key under the output of a passkey's PRF: AES-256-GCM (NIST SP 800-38D) with a key of HKDF-SHA-256 (RFC 5869).
struct KeyWrap: Sendable, Hashable, Codable {
    /// The length of the PRF's outputs, and of the salts that are used here.
    static let length = 32

    /// What the PRF has to be evaluated with.
    let salt: [UInt8]
    /// Nonce, ciphertext and tag.
    let sealed: [UInt8]

    /// A wrap of these parts, as it was kept.
    init(salt: [UInt8], sealed: [UInt8]) { (self.salt, self.sealed) = (salt, sealed) }

    /// Wraps a key.
    ///
    /// - Parameters:
    ///   - key: of any length.
    ///   - output: the PRF's for the salt.
    ///   - salt: what the output was evaluated with.
    ///   - owner: site and passkey; opens only with the same ones.
    init(_ key: SecretBytes, under output: SecretBytes, salt: [UInt8], owner: [UInt8]) throws {
        let wrapping = Self.wrappingKey(output, salt)
        let box = try key.withBytes { bytes in
            try unsafe bytes.withUnsafeBytes { buffer in
                try unsafe AES.GCM.seal(buffer, using: wrapping, authenticating: owner)
            }
        }
        self.salt = salt
        // A nonce of 12 bytes, as it is here, always has this form.
        sealed = Array(box.combined ?? Data())
    }

    /// The key; `nil` where the output is of another passkey or salt, or the wrap was altered.
    func open(under output: SecretBytes, owner: [UInt8]) -> SecretBytes? {
        guard let box = try? AES.GCM.SealedBox(combined: sealed),
            var opened = try? AES.GCM.open(
                box,
                using: Self.wrappingKey(output, salt),
                authenticating: owner
            )
        else { return nil }
        defer {
            unsafe opened.withUnsafeMutableBytes { buffer in
                if let base = buffer.baseAddress { unsafe SecretHeap.zero(base, buffer.count) }
            }
        }
        return SecretBytes(copying: opened)
    }

    private static func wrappingKey(_ output: SecretBytes, _ salt: [UInt8]) -> SymmetricKey {
        HKDF<SHA256>.deriveKey(
            inputKeyMaterial: symmetric(output),
            salt: salt,
            info: Array("portcullis.passkeys wrap 1".utf8),
            outputByteCount: 32
        )
    }

    /// What two wraps of the same key have in common. The key is random, so nothing can be guessed from it.
    static func mark(of key: SecretBytes) -> [UInt8] {
        let mark = HKDF<SHA256>.deriveKey(
            inputKeyMaterial: symmetric(key),
            info: Array("portcullis.passkeys mark 1".utf8),
            outputByteCount: 16
        )
        return unsafe mark.withUnsafeBytes { unsafe Array($0) }
    }

    private static func symmetric(_ secret: SecretBytes) -> SymmetricKey {
        secret.withBytes { bytes in unsafe bytes.withUnsafeBytes { unsafe SymmetricKey(data: $0) } }
    }
}
#endif
