internal import CGcrypt

/// An error that libgcrypt returned.
package struct GcryptFailure: Error, CustomStringConvertible {
    /// libgcrypt's error code.
    package let code: UInt32
    /// The operation that failed.
    package let operation: String

    /// Whether the operation failed for lack of memory.
    package var isOutOfMemory: Bool { code == GPG_ERR_ENOMEM.rawValue }
    /// Whether the operation failed because an authentication tag does not match.
    package var isWrongTag: Bool { code == GPG_ERR_CHECKSUM.rawValue }

    package var description: String {
        let text = unsafe String(cString: gcry_strerror(gcry_error_t(code)))
        return "libgcrypt: \(operation): \(text)"
    }
}
