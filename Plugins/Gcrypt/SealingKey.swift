internal import CGcrypt
package import PortcullisCore
internal import Synchronization

/// A key for AES-256-GCM-SIV, in its expanded form.
///
/// libgcrypt holds the expanded key in its secure pool, or in ordinary memory if the pool is used up. In both
/// cases libgcrypt wipes the key when the handle is closed.
package final class SealingKey: Sendable {
    package static let nonceSize = 12
    package static let tagSize = 16
    /// The number of bytes that sealing adds to a message, for nonce and tag.
    package static let overhead = nonceSize + tagSize

    // Any thread may use a handle, but only one thread at a time. The mutex below ensures this.
    @safe
    private struct Handle: ~Copyable, @unchecked Sendable {
        let raw: gcry_cipher_hd_t
        deinit { unsafe gcry_cipher_close(raw) }
    }

    // The mutex admits one operation at a time. For items of usual size an operation takes less than a
    // microsecond, so other threads do not wait long.
    private let handle: Mutex<Handle>

    /// Makes a key of 32 bytes.
    package init(_ key: SecretBytes) throws(GcryptFailure) {
        let raw = try unsafe Self.open()
        let handle = unsafe Handle(raw: raw)
        try GcryptLibrary.call("set key") {
            key.withBytes { bytes in
                unsafe bytes.withUnsafeBufferPointer {
                    unsafe gcry_cipher_setkey(raw, $0.baseAddress, $0.count)
                }
            }
        }
        self.handle = Mutex(handle)
    }

    @unsafe
    private static func open() throws(GcryptFailure) -> gcry_cipher_hd_t {
        var raw: gcry_cipher_hd_t?
        let algorithm = CInt(GCRY_CIPHER_AES256.rawValue)
        let mode = CInt(GCRY_CIPHER_MODE_GCM_SIV.rawValue)
        try GcryptLibrary.call("open AES-256-GCM-SIV") {
            let error = unsafe gcry_cipher_open(&raw, algorithm, mode, UInt32(GCRY_CIPHER_SECURE.rawValue))
            // The secure pool is small and shared. If it is used up, the handle lies in ordinary memory.
            return unsafe error == 0 ? error : gcry_cipher_open(&raw, algorithm, mode, 0)
        }
        guard let raw = unsafe raw else {
            throw GcryptFailure(code: UInt32(GPG_ERR_ENOMEM.rawValue), operation: "open AES-256-GCM-SIV")
        }
        return unsafe raw
    }

    /// Encrypts `plaintext` into `output` (of the same size) and writes the tag.
    ///
    /// The associated data is passed in two consecutive parts. The caller need not join the parts.
    @unsafe
    package func seal(
        _ plaintext: UnsafeRawBufferPointer,
        into output: UnsafeMutableRawBufferPointer,
        tag: UnsafeMutableRawBufferPointer,
        nonce: UnsafeRawBufferPointer,
        binding first: UnsafeRawBufferPointer,
        _ second: UnsafeRawBufferPointer = unsafe UnsafeRawBufferPointer(start: nil, count: 0)
    ) throws(GcryptFailure) {
        try GcryptLibrary.call("encrypt") {
            handle.withLock { handle -> gcry_error_t in
                let raw = unsafe handle.raw
                var error = unsafe Self.begin(raw, nonce, first, second)
                if error == 0 {
                    error = unsafe gcry_cipher_encrypt(
                        raw,
                        output.baseAddress,
                        output.count,
                        plaintext.baseAddress,
                        plaintext.count
                    )
                }
                return unsafe error == 0 ? gcry_cipher_gettag(raw, tag.baseAddress, tag.count) : error
            }
        }
    }

    /// Decrypts `ciphertext` into `output` (of the same size). Returns whether the tag is right.
    ///
    /// If the tag is wrong, the output holds zeros.
    @unsafe
    package func open(
        _ ciphertext: UnsafeRawBufferPointer,
        into output: UnsafeMutableRawBufferPointer,
        tag: UnsafeRawBufferPointer,
        nonce: UnsafeRawBufferPointer,
        binding first: UnsafeRawBufferPointer,
        _ second: UnsafeRawBufferPointer = unsafe UnsafeRawBufferPointer(start: nil, count: 0)
    ) throws(GcryptFailure) -> Bool {
        do throws(GcryptFailure) {
            try GcryptLibrary.call("decrypt") {
                handle.withLock { handle -> gcry_error_t in
                    let raw = unsafe handle.raw
                    var error = unsafe Self.begin(raw, nonce, first, second)
                    if error == 0 {
                        error = unsafe portcullis_gcry_set_decryption_tag(raw, tag.baseAddress!, tag.count)
                    }
                    if error == 0 {
                        error = unsafe gcry_cipher_decrypt(
                            raw,
                            output.baseAddress,
                            output.count,
                            ciphertext.baseAddress,
                            ciphertext.count
                        )
                    }
                    return error
                }
            }
            return true
        } catch {
            for index in output.indices { unsafe output[index] = 0 }
            guard error.isWrongTag else { throw error }
            return false
        }
    }

    @unsafe
    private static func begin(
        _ raw: gcry_cipher_hd_t,
        _ nonce: UnsafeRawBufferPointer,
        _ first: UnsafeRawBufferPointer,
        _ second: UnsafeRawBufferPointer
    ) -> gcry_error_t {
        var error = unsafe gcry_cipher_ctl(raw, CInt(GCRYCTL_RESET.rawValue), nil, 0)
        if error == 0 { error = unsafe gcry_cipher_setiv(raw, nonce.baseAddress, nonce.count) }
        if error == 0, unsafe !first.isEmpty {
            error = unsafe gcry_cipher_authenticate(raw, first.baseAddress, first.count)
        }
        if error == 0, unsafe !second.isEmpty {
            error = unsafe gcry_cipher_authenticate(raw, second.baseAddress, second.count)
        }
        return error
    }
}
