internal import CGcrypt
package import PortcullisCore

/// AES-128 in cipher feedback mode. It encrypts the parameters of a TPM's commands, and authenticates
/// nothing.
package enum FeedbackCipher {
    package static let keySize = 16
    package static let blockSize = 16

    /// Encrypts a secret. The result has the same length.
    ///
    /// - Parameter material: the key and the initialization vector, 32 bytes in all. No other message may use
    ///   the same material.
    package static func encrypt(_ secret: SecretBytes, with material: SecretBytes) throws(GcryptFailure)
        -> [UInt8]
    {
        var output = [UInt8](repeating: 0, count: secret.count)
        guard secret.count > 0 else { return output }
        try unsafe withHandle(material) { (handle) throws(GcryptFailure) in
            try secret.withBytes { (bytes) throws(GcryptFailure) in
                try unsafe bytes.withUnsafeBytes { (bytes) throws(GcryptFailure) in
                    var span = output.mutableSpan
                    var raw = unsafe span.mutableBytes
                    try unsafe raw.withUnsafeMutableBytes { (output) throws(GcryptFailure) in
                        try GcryptLibrary.call("encrypt") {
                            unsafe gcry_cipher_encrypt(
                                handle,
                                output.baseAddress,
                                output.count,
                                bytes.baseAddress,
                                bytes.count
                            )
                        }
                    }
                }
            }
        }
        return output
    }

    /// Decrypts a secret. The plaintext is written straight into protected memory.
    package static func decrypt(_ encrypted: [UInt8], with material: SecretBytes) throws(GcryptFailure)
        -> SecretBytes
    {
        try unsafe withHandle(material) { (handle) throws(GcryptFailure) in
            try SecretBytes(capacity: encrypted.count) {
                (output: inout OutputSpan<UInt8>) throws(GcryptFailure) in
                guard !encrypted.isEmpty else { return }
                try unsafe output.withUnsafeMutableBufferPointer { (buffer, count) throws(GcryptFailure) in
                    try unsafe encrypted.span.bytes.withUnsafeBytes { (input) throws(GcryptFailure) in
                        try GcryptLibrary.call("decrypt") {
                            unsafe gcry_cipher_decrypt(
                                handle,
                                buffer.baseAddress,
                                input.count,
                                input.baseAddress,
                                input.count
                            )
                        }
                    }
                    count = encrypted.count
                }
            }
        }
    }

    @unsafe
    private static func withHandle<Result>(
        _ material: SecretBytes,
        _ body: (gcry_cipher_hd_t) throws(GcryptFailure) -> Result
    ) throws(GcryptFailure) -> Result {
        precondition(material.count == keySize + blockSize)
        var raw: gcry_cipher_hd_t?
        try GcryptLibrary.call("open AES-128-CFB") {
            unsafe gcry_cipher_open(
                &raw,
                CInt(GCRY_CIPHER_AES.rawValue),
                CInt(GCRY_CIPHER_MODE_CFB.rawValue),
                0
            )
        }
        guard let handle = unsafe raw else {
            throw GcryptFailure(code: UInt32(GPG_ERR_ENOMEM.rawValue), operation: "open AES-128-CFB")
        }
        // Closing the handle wipes the key.
        defer { unsafe gcry_cipher_close(handle) }
        try material.withBytes { (bytes) throws(GcryptFailure) in
            try unsafe bytes.withUnsafeBytes { (bytes) throws(GcryptFailure) in
                try GcryptLibrary.call("set key") {
                    unsafe gcry_cipher_setkey(handle, bytes.baseAddress, keySize)
                }
                try GcryptLibrary.call("set first block") {
                    unsafe gcry_cipher_setiv(handle, bytes.baseAddress! + keySize, blockSize)
                }
            }
        }
        return try unsafe body(handle)
    }
}
