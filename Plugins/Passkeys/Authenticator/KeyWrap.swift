#if Passkeys
internal import AdapterKit
internal import Crypto
internal import PortcullisCore

#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

/// A key that is encrypted under the output of a passkey's PRF extension.
///
/// The cipher is AES-256-GCM (NIST SP 800-38D). The wrapping key is derived with HKDF-SHA-256 (RFC 5869).
struct KeyWrap: Sendable, Hashable, Codable {
    /// The length of each salt and of each PRF output, in bytes.
    static let length = 32

    /// The input of the passkey's PRF. The PRF's output for this salt opens the wrap.
    let salt: [UInt8]
    /// The nonce, the ciphertext and the tag, one after the other.
    let sealed: [UInt8]

    /// Makes a wrap from its stored parts.
    init(salt: [UInt8], sealed: [UInt8]) { (self.salt, self.sealed) = (salt, sealed) }

    /// Wraps a key.
    ///
    /// - Parameters:
    ///   - key: the key, of an arbitrary length.
    ///   - output: the PRF's output for the salt.
    ///   - salt: the salt that the output belongs to.
    ///   - owner: the bytes that identify the site and the passkey. The wrap opens only with the same bytes.
    init(_ key: SecretBytes, under output: SecretBytes, salt: [UInt8], owner: [UInt8]) throws {
        let wrapping = Self.wrappingKey(output, salt)
        let box = try key.withBytes { bytes in
            try unsafe bytes.withUnsafeBytes { buffer in
                try unsafe AES.GCM.seal(buffer, using: wrapping, authenticating: owner)
            }
        }
        self.salt = salt
        // `combined` is `nil` only if the nonce does not have 12 bytes. CryptoKit made this nonce, and its
        // nonces always have 12 bytes.
        sealed = Array(box.combined ?? Data())
    }

    /// Opens the wrap. The result is `nil` if the output is another passkey's or another salt's, if the owner
    /// differs, or if the wrap was altered.
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

    /// Derives the mark of a key: 16 bytes that identify the key. The mark depends on the key alone, so two
    /// wraps of one key have the same mark. The key is random, so the mark does not help to guess the key.
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
