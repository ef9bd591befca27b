internal import CGcrypt

/// Calls libgcrypt, and initialises the library before the first call.
enum GcryptLibrary {
    // A lazy global is initialised once, even if several threads use it at the same time. One global
    // suffices, because libgcrypt's state belongs to the whole process.
    private static let isReady = portcullis_gcry_initialise() != 0

    /// Calls the library. The first call initialises it, unless another library of this process did so before.
    ///
    /// - Throws: the error code that `body` returned, together with `operation`; an error if libgcrypt is
    ///   older than 1.10.
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
