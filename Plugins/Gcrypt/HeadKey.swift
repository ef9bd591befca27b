internal import CGcrypt
package import PortcullisCore
internal import Synchronization

/// A key for AES-256-CMAC. It authenticates the heads of the frames in a keystore's file.
package final class HeadKey: Sendable {
    // Any thread may use a handle, but only one thread at a time. The mutex below ensures this.
    @safe
    private struct Handle: ~Copyable, @unchecked Sendable {
        let raw: gcry_mac_hd_t
        deinit { unsafe gcry_mac_close(raw) }
    }

    private let handle: Mutex<Handle>

    /// Makes a key of 32 bytes.
    package init(_ key: SecretBytes) throws(GcryptFailure) {
        var raw: gcry_mac_hd_t?
        let algorithm = CInt(GCRY_MAC_CMAC_AES.rawValue)
        try GcryptLibrary.call("open CMAC") {
            let error = unsafe gcry_mac_open(&raw, algorithm, UInt32(GCRY_MAC_FLAG_SECURE.rawValue), nil)
            return unsafe error == 0 ? error : gcry_mac_open(&raw, algorithm, 0, nil)
        }
        guard let raw = unsafe raw else {
            throw GcryptFailure(code: UInt32(GPG_ERR_ENOMEM.rawValue), operation: "open CMAC")
        }
        let handle = unsafe Handle(raw: raw)
        try GcryptLibrary.call("set key") {
            key.withBytes { bytes in
                unsafe bytes.withUnsafeBufferPointer { unsafe gcry_mac_setkey(raw, $0.baseAddress, $0.count) }
            }
        }
        self.handle = Mutex(handle)
    }

    /// Returns the 16-byte MAC of some bytes, as two words.
    @unsafe
    package func mac(_ bytes: UnsafeRawBufferPointer) throws(GcryptFailure) -> (UInt64, UInt64) {
        var result: (UInt64, UInt64) = (0, 0)
        try GcryptLibrary.call("CMAC") {
            handle.withLock { handle -> gcry_error_t in
                let raw = unsafe handle.raw
                var error = unsafe portcullis_gcry_mac_reset(raw)
                if error == 0 { error = unsafe gcry_mac_write(raw, bytes.baseAddress, bytes.count) }
                if error == 0 {
                    error = unsafe withUnsafeMutableBytes(of: &result) { words in
                        var size = words.count
                        return unsafe gcry_mac_read(raw, words.baseAddress, &size)
                    }
                }
                return error
            }
        }
        return result
    }
}
