internal import CGcrypt

/// A failure inside libgcrypt, as its code.
package struct GcryptFailure: Error, CustomStringConvertible {
    /// libgcrypt's number of the error.
    package let code: UInt32
    /// What was asked of it.
    package let operation: String

    /// Whether memory was short.
    package var isOutOfMemory: Bool { code == GPG_ERR_ENOMEM.rawValue }
    /// Whether an authentication tag does not match.
    package var isWrongTag: Bool { code == GPG_ERR_CHECKSUM.rawValue }

    package var description: String {
        let text = unsafe String(cString: gcry_strerror(gcry_error_t(code)))
        return "libgcrypt: \(operation): \(text)"
    }
}
