/// A key sealed under a passcode, with all data that opening needs besides the passcode.
public struct SealedKey: Hashable, Sendable, Codable {
    /// The version of the sealed key's layout. The only version so far is 1.
    public var format: Int
    /// The name of the derivation and the cipher, such as `argon2id+aes256-gcm-siv`.
    public var algorithm: String
    /// The cost of the derivation.
    public var parameters: Argon2Parameters
    /// The random salt, 16 bytes.
    public var salt: [UInt8]
    /// The sealed data in the algorithm's own layout, such as nonce, ciphertext and tag.
    public var sealed: [UInt8]

    /// Makes a sealed key from these parts.
    public init(
        format: Int = 1,
        algorithm: String,
        parameters: Argon2Parameters,
        salt: [UInt8],
        sealed: [UInt8]
    ) {
        self.format = format
        self.algorithm = algorithm
        self.parameters = parameters
        self.salt = salt
        self.sealed = sealed
    }
}

/// The passcode hash that another app stored: hex SHA-256(passcode + salt text), and the salt.
public struct LegacyPasscodeHash: Hashable, Sendable, Codable {
    /// The hash: 64 hexadecimal digits, either case.
    public var hexDigest: String
    /// The salt as text, such as base64. The app hashed the passcode followed by this text, not by bytes that
    /// the text encodes.
    public var salt: String

    /// Makes a passcode hash from these parts.
    public init(hexDigest: String, salt: String) {
        self.hexDigest = hexDigest
        self.salt = salt
    }
}
