internal import CGcrypt
internal import PortcullisCore
internal import Synchronization

/// HMAC-SHA256 and SHA-256 in one go.
enum Digest {
    static let size = 32

    /// HMAC of the parts one after the other, as a key: straight into protected memory.
    static func derive(from key: SecretBytes, _ parts: [UInt8]...) throws(GcryptFailure) -> SecretBytes {
        let result = try unsafe run(key: key, parts) {
            unsafe SecretBytes(copying: UnsafeRawBufferPointer($0))
        }
        return result
    }

    /// HMAC of some bytes.
    static func authenticate(_ bytes: some Collection<UInt8>, under key: SecretBytes) throws(GcryptFailure)
        -> [UInt8]
    {
        try unsafe run(key: key, [Array(bytes)]) { unsafe Array($0) }
    }

    /// SHA-256 of some bytes.
    static func sha256(_ bytes: some Collection<UInt8>) throws(GcryptFailure) -> [UInt8] {
        try unsafe run(key: nil, [Array(bytes)]) { unsafe Array($0) }
    }

    /// SHA-256 of a secret followed by text.
    static func sha256(_ secret: SecretBytes, _ text: String) throws(GcryptFailure) -> [UInt8] {
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
        // Ordinary memory, wiped at close. An HMAC in the secure pool takes some more of it at its end, and where the
        // pool, which all of the process share, has none left by then libgcrypt ends the process.
        let flags = key == nil ? 0 : UInt32(GCRY_MD_FLAG_HMAC.rawValue)
        try Gcrypt.call("open SHA-256") { unsafe gcry_md_open(&raw, algorithm, flags) }
        defer { unsafe gcry_md_close(raw) }
        if let key {
            try Gcrypt.call("set key") {
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

/// A key for AES-256-CMAC, for the heads of frames.
final class HeadKey: Sendable {
    // A handle may be used by any thread, by one at a time: the mutex sees to that.
    @safe
    private struct Handle: ~Copyable, @unchecked Sendable {
        let raw: gcry_mac_hd_t
        deinit { unsafe gcry_mac_close(raw) }
    }

    private let handle: Mutex<Handle>

    init(_ key: SecretBytes) throws(GcryptFailure) {
        var raw: gcry_mac_hd_t?
        let algorithm = CInt(GCRY_MAC_CMAC_AES.rawValue)
        try Gcrypt.call("open CMAC") {
            let error = unsafe gcry_mac_open(&raw, algorithm, UInt32(GCRY_MAC_FLAG_SECURE.rawValue), nil)
            return unsafe error == 0 ? error : gcry_mac_open(&raw, algorithm, 0, nil)
        }
        guard let raw = unsafe raw else {
            throw GcryptFailure(code: UInt32(GPG_ERR_ENOMEM.rawValue), operation: "open CMAC")
        }
        let handle = unsafe Handle(raw: raw)
        try Gcrypt.call("set key") {
            key.withBytes { bytes in
                unsafe bytes.withUnsafeBufferPointer { unsafe gcry_mac_setkey(raw, $0.baseAddress, $0.count) }
            }
        }
        self.handle = Mutex(handle)
    }

    /// The 16-byte MAC of some bytes, as two words.
    @unsafe
    func mac(_ bytes: UnsafeRawBufferPointer) throws(GcryptFailure) -> (UInt64, UInt64) {
        var result: (UInt64, UInt64) = (0, 0)
        try Gcrypt.call("CMAC") {
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
