internal import CGcrypt

/// libgcrypt, ready for use.
enum GcryptLibrary {
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
