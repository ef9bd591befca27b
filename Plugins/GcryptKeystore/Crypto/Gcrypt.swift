internal import CGcrypt
internal import PortcullisCore

/// A failure inside libgcrypt, as its code.
struct GcryptFailure: Error, CustomStringConvertible {
    let code: UInt32
    let operation: String

    var isOutOfMemory: Bool { code == GPG_ERR_ENOMEM.rawValue }
    /// Whether an authentication tag does not match.
    var isWrongTag: Bool { code == GPG_ERR_CHECKSUM.rawValue }

    var description: String {
        let text = unsafe String(cString: gcry_strerror(gcry_error_t(code)))
        return "libgcrypt: \(operation): \(text)"
    }
}

/// libgcrypt, ready for use.
enum Gcrypt {
    // A lazy global runs once however many threads come first; libgcrypt's own state is the process's.
    private static let isReady = portcullis_gcry_initialise() != 0

    /// Calls the library, which is initialised on the way, unless another library of this process did.
    ///
    /// - Throws: the error that the calls in `body` answered, as one of `operation`.
    static func call(_ operation: String, _ body: () -> gcry_error_t) throws(GcryptFailure) {
        guard isReady else {
            throw GcryptFailure(
                code: UInt32(GPG_ERR_NOT_SUPPORTED.rawValue),
                operation: "libgcrypt 1.10 or later"
            )
        }
        let error = body()
        guard error == 0 else {
            throw GcryptFailure(code: UInt32(portcullis_gcry_code(error).rawValue), operation: operation)
        }
    }
}
