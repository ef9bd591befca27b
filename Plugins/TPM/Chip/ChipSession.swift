internal import Gcrypt
internal import PortcullisCore

/// A session whose key only this process and one chip know (TPM 2.0 Part 1, 19 and 21). The session proves
/// authorizations without sending them. It encrypts the first parameter of commands and answers, and detects
/// answers that another chip has forged.
final class ChipSession {
    enum Kind: UInt8, Sendable { case hmac = 0, policy = 1 }

    let kind: Kind
    let handle: UInt32
    private let key: SecretBytes
    private(set) var nonce: [UInt8]
    private var ownNonce: [UInt8]
    /// Whether the chip still has the session. A session ends with the last command that uses it.
    fileprivate(set) var isOpen = true

    private static let nonceSize = 32

    init(_ kind: Kind, _ handle: UInt32, salt: SecretBytes, nonce: [UInt8], ownNonce: [UInt8])
        throws(ChipFailure)
    {
        (self.kind, self.handle, self.nonce, self.ownNonce) = (kind, handle, nonce, ownNonce)
        key = try Self.derive(salt, "ATH", nonce, ownNonce)
    }

    /// One use of the session, for one command and its answer.
    struct Use {
        /// The bits of a session's attributes (TPM 2.0 Part 2, 8.4).
        static let continues: UInt8 = 0x01
        static let decrypts: UInt8 = 0x20
        static let encrypts: UInt8 = 0x40

        let attributes: UInt8
        /// The session's key, followed by the authorization of the entity that is used.
        fileprivate let key: SecretBytes

        var encryptsAnswer: Bool { attributes & Self.encrypts != 0 }
        var continues: Bool { attributes & Self.continues != 0 }
    }

    /// Begins the next use, with a new nonce.
    ///
    /// - Parameter authorization: the authorization value of the entity that the command uses; `nil` for a
    ///   policy session.
    func use(_ attributes: UInt8, authorization: SecretBytes?) -> Use {
        ownNonce = Self.freshNonce()
        let parts = [key] + (authorization.map { [$0] } ?? [])
        return Use(attributes: attributes, key: SecretBytes(joining: parts))
    }

    /// Encrypts a command's first parameter.
    func encrypt(_ parameter: SecretBytes, _ use: Use) throws(ChipFailure) -> [UInt8] {
        let material = try Self.derive(use.key, "CFB", ownNonce, nonce)
        do { return try FeedbackCipher.encrypt(parameter, with: material) } catch {
            throw ChipFailure(kind: .cryptography)
        }
    }

    /// Decrypts an answer's first parameter. ``accept(_:of:_:)`` must be called first, because it stores the
    /// answer's nonce.
    func decrypt(_ parameter: [UInt8], _ use: Use) throws(ChipFailure) -> SecretBytes {
        let material = try Self.derive(use.key, "CFB", nonce, ownNonce)
        do { return try FeedbackCipher.decrypt(parameter, with: material) } catch {
            throw ChipFailure(kind: .cryptography)
        }
    }

    /// Returns the session's part of a command's authorization area.
    func area(for digest: [UInt8], _ use: Use) throws(ChipFailure) -> [UInt8] {
        var area = Wire(handle)
        area.put(sized: ownNonce)
        area.put(use.attributes)
        area.put(sized: try Self.mac(digest + ownNonce + nonce + [use.attributes], use.key))
        return area.bytes
    }

    /// Checks the session's part of an answer, and takes over the chip's next nonce.
    ///
    /// - Throws: `forged` if the answer does not come from the chip that has the session.
    func accept(_ area: inout WireReader, of digest: [UInt8], _ use: Use) throws(ChipFailure) {
        let nonce = try area.sized()
        let attributes = try area.number(UInt8.self)
        let mac = SecretBytes(copying: try area.sized())
        let expected = SecretBytes(
            copying: try Self.mac(digest + nonce + ownNonce + [attributes], use.key)
        )
        guard mac.matches(expected) else { throw .garbled }
        self.nonce = nonce
        if !use.continues { isOpen = false }
    }

    /// Records that the chip has removed the session.
    func end() { isOpen = false }

    static func freshNonce() -> [UInt8] {
        SecretBytes(randomCount: nonceSize).withBytes { bytes in bytes.indices.map { bytes[$0] } }
    }

    private static func mac(_ bytes: [UInt8], _ key: SecretBytes) throws(ChipFailure) -> [UInt8] {
        do { return try Digest.authenticate(bytes, under: key) } catch {
            throw ChipFailure(kind: .cryptography)
        }
    }

    /// Derives 256 bits with KDFa and SHA-256 (TPM 2.0 Part 1, 11.4.10.2).
    private static func derive(_ key: SecretBytes, _ label: String, _ first: [UInt8], _ second: [UInt8])
        throws(ChipFailure) -> SecretBytes
    {
        let head = Wire(UInt32(1)).bytes + Array(label.utf8) + [0]
        do {
            return try Digest.derive(from: key, head, first, second, Wire(UInt32(256)).bytes)
        } catch {
            throw ChipFailure(kind: .cryptography)
        }
    }
}
