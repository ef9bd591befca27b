internal import Gcrypt
internal import PortcullisCore

/// A session whose key only this process and one chip know: it proves authorizations without telling them, encrypts the
/// first parameter of commands and answers, and shows an answer of any other chip as forged (TPM 2.0 Part 1, 19 and 21).
final class ChipSession {
    enum Kind: UInt8, Sendable { case hmac = 0, policy = 1 }

    let kind: Kind
    let handle: UInt32
    private let key: SecretBytes
    private(set) var nonce: [UInt8]
    private var ownNonce: [UInt8]
    /// Whether the chip still has it: a session ends with the last command that it is to be used for.
    fileprivate(set) var isOpen = true

    private static let nonceSize = 32

    init(_ kind: Kind, _ handle: UInt32, salt: SecretBytes, nonce: [UInt8], ownNonce: [UInt8])
        throws(ChipFailure)
    {
        (self.kind, self.handle, self.nonce, self.ownNonce) = (kind, handle, nonce, ownNonce)
        key = try Self.derive(salt, "ATH", nonce, ownNonce)
    }

    /// What of a session goes with a command.
    struct Use {
        /// The bits of a session's attributes (TPM 2.0 Part 2, 8.4).
        static let continues: UInt8 = 0x01
        static let decrypts: UInt8 = 0x20
        static let encrypts: UInt8 = 0x40

        let attributes: UInt8
        /// Session key and the authorization of what is used.
        fileprivate let key: SecretBytes

        var encryptsCommand: Bool { attributes & Self.decrypts != 0 }
        var encryptsAnswer: Bool { attributes & Self.encrypts != 0 }
        var continues: Bool { attributes & Self.continues != 0 }
    }

    /// The next use, with a nonce of its own.
    ///
    /// - Parameter authorization: of what the session authorizes the use of; a policy session proves none.
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

    /// Decrypts an answer's first parameter; its nonce was taken over by ``accept(_:of:answer:_:)``.
    func decrypt(_ parameter: [UInt8], _ use: Use) throws(ChipFailure) -> SecretBytes {
        let material = try Self.derive(use.key, "CFB", nonce, ownNonce)
        do { return try FeedbackCipher.decrypt(parameter, with: material) } catch {
            throw ChipFailure(kind: .cryptography)
        }
    }

    /// What stands for the session in a command.
    func area(for digest: [UInt8], _ use: Use) throws(ChipFailure) -> [UInt8] {
        var area = Wire(handle)
        area.put(sized: ownNonce)
        area.put(use.attributes)
        area.put(sized: try Self.mac(digest + ownNonce + nonce + [use.attributes], use.key))
        return area.bytes
    }

    /// Takes what stands for the session in an answer, and the chip's next nonce with it.
    ///
    /// - Throws: `forged` where the answer is not from the chip that has the session.
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

    /// The chip has dropped it.
    func end() { isOpen = false }

    static func freshNonce() -> [UInt8] {
        SecretBytes(randomCount: nonceSize).withBytes { bytes in bytes.indices.map { bytes[$0] } }
    }

    private static func mac(_ bytes: [UInt8], _ key: SecretBytes) throws(ChipFailure) -> [UInt8] {
        do { return try Digest.authenticate(bytes, under: key) } catch {
            throw ChipFailure(kind: .cryptography)
        }
    }

    /// KDFa with SHA-256, for 256 bits (TPM 2.0 Part 1, 11.4.10.2).
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
