internal import CGcrypt
package import PortcullisCore

/// Computes HMAC-SHA256 and SHA-256 of data that is in memory as a whole.
package enum Digest {
    /// The size of a digest in bytes.
    package static let size = 32

    /// Derives a key: the HMAC of the concatenated parts under `key`. The result is copied straight into
    /// protected memory.
    package static func derive(from key: SecretBytes, _ parts: [UInt8]...) throws(GcryptFailure)
        -> SecretBytes
    {
        let result = try unsafe run(key: key, parts) {
            unsafe SecretBytes(copying: UnsafeRawBufferPointer($0))
        }
        return result
    }

    /// Returns the HMAC of some bytes.
    package static func authenticate(_ bytes: some Collection<UInt8>, under key: SecretBytes)
        throws(GcryptFailure)
        -> [UInt8]
    {
        try unsafe run(key: key, [Array(bytes)]) { unsafe Array($0) }
    }

    /// Returns the SHA-256 of some bytes.
    package static func sha256(_ bytes: some Collection<UInt8>) throws(GcryptFailure) -> [UInt8] {
        try unsafe run(key: nil, [Array(bytes)]) { unsafe Array($0) }
    }

    /// Returns the SHA-256 of a secret. The digest is copied straight into protected memory.
    package static func sha256(_ secret: SecretBytes) throws(GcryptFailure) -> SecretBytes {
        try unsafe run(key: nil, secret: secret, []) {
            unsafe SecretBytes(copying: UnsafeRawBufferPointer($0))
        }
    }

    /// Returns the SHA-256 of a secret followed by a text in UTF-8.
    package static func sha256(_ secret: SecretBytes, _ text: String) throws(GcryptFailure) -> [UInt8] {
        try unsafe run(key: nil, secret: secret, [Array(text.utf8)]) { unsafe Array($0) }
    }

    @unsafe
    private static func run<Result>(
        key: SecretBytes?,
        secret: SecretBytes? = nil,
        _ parts: [[UInt8]],
        _ body: (UnsafeBufferPointer<UInt8>) -> Result
    ) throws(GcryptFailure) -> Result {
        var raw: gcry_md_hd_t?
        let algorithm = CInt(GCRY_MD_SHA256.rawValue)
        // The handle is outside of libgcrypt's secure pool. An HMAC in the pool allocates more of the pool at
        // its end, and libgcrypt ends the whole process when the pool is used up. libgcrypt wipes the
        // handle's memory when the handle is closed, both inside and outside of the pool.
        let flags = key == nil ? 0 : UInt32(GCRY_MD_FLAG_HMAC.rawValue)
        try GcryptLibrary.call("open SHA-256") { unsafe gcry_md_open(&raw, algorithm, flags) }
        defer { unsafe gcry_md_close(raw) }
        if let key {
            try GcryptLibrary.call("set key") {
                key.withBytes { bytes in
                    unsafe bytes.withUnsafeBufferPointer {
                        unsafe gcry_md_setkey(raw, $0.baseAddress, $0.count)
                    }
                }
            }
        }
        secret?.withBytes { bytes in
            unsafe bytes.withUnsafeBufferPointer { unsafe gcry_md_write(raw, $0.baseAddress, $0.count) }
        }
        for part in parts {
            unsafe part.withUnsafeBufferPointer { unsafe gcry_md_write(raw, $0.baseAddress, $0.count) }
        }
        guard let read = unsafe gcry_md_read(raw, algorithm) else {
            throw GcryptFailure(code: UInt32(GPG_ERR_INTERNAL.rawValue), operation: "read SHA-256")
        }
        return unsafe body(UnsafeBufferPointer(start: read, count: size))
    }
}
