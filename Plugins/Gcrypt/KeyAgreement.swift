internal import CGcrypt
package import PortcullisCore

/// One half of a key agreement on the curve P-256, with a key pair that is used once (SP 800-56A, C(1e, 1s)).
package struct KeyAgreement: Sendable {
    /// The coordinates of this side's public key, 32 bytes each.
    package let x: [UInt8]
    package let y: [UInt8]
    /// The first coordinate of the point that both sides compute, 32 bytes.
    package let shared: SecretBytes

    /// The size of a coordinate in bytes.
    package static let size = 32

    /// Makes a key pair, and computes the point that is shared with the owner of a public key.
    ///
    /// Some implementations leave out a zero byte at the start of a coordinate. So if a coordinate of the
    /// public key or of the shared point starts with a zero byte, another key pair is made.
    ///
    /// - Throws: libgcrypt's error, also if the public key is no point of the curve.
    package init(with x: [UInt8], _ y: [UInt8]) throws(GcryptFailure) {
        var context: gcry_ctx_t?
        try GcryptLibrary.call("open P-256") { unsafe gcry_mpi_ec_new(&context, nil, "NIST P-256") }
        guard let context = unsafe context else {
            throw GcryptFailure(code: UInt32(GPG_ERR_ENOMEM.rawValue), operation: "open P-256")
        }
        defer { unsafe gcry_ctx_release(context) }
        let (first, second) = unsafe (try Self.number(x), try Self.number(y))
        defer {
            unsafe gcry_mpi_release(first)
            unsafe gcry_mpi_release(second)
        }
        let (one, other) = unsafe (gcry_mpi_set_ui(nil, 1), gcry_mpi_point_new(0))
        defer {
            unsafe gcry_mpi_release(one)
            unsafe gcry_mpi_point_release(other)
        }
        unsafe gcry_mpi_point_set(other, first, second, one)
        guard unsafe gcry_mpi_ec_curve_point(other, context) != 0,
            let base = unsafe gcry_mpi_ec_get_point("g", context, 1)
        else {
            throw GcryptFailure(code: UInt32(GPG_ERR_BROKEN_PUBKEY.rawValue), operation: "read a public key")
        }
        defer { unsafe gcry_mpi_point_release(base) }
        while true {
            let scalar = try unsafe Self.number(SecretBytes(randomCount: Self.size))
            defer { unsafe Self.forget(scalar) }
            guard let own = try unsafe Self.product(scalar, base, context),
                let shared = try unsafe Self.product(scalar, other, context)
            else { continue }
            (self.x, self.y) = (own.x.bytes, own.y.bytes)
            self.shared = shared.x
            return
        }
    }

    /// Returns the coordinates of the product of the point and the scalar; `nil` if a coordinate begins with
    /// a zero byte.
    @unsafe
    private static func product(
        _ scalar: gcry_mpi_t?,
        _ point: gcry_mpi_point_t?,
        _ context: gcry_ctx_t
    ) throws(GcryptFailure) -> (x: SecretBytes, y: SecretBytes)? {
        let (result, x, y) = unsafe (gcry_mpi_point_new(0), gcry_mpi_new(256), gcry_mpi_new(256))
        defer {
            unsafe forget(x)
            unsafe forget(y)
            unsafe gcry_mpi_point_release(result)
        }
        unsafe gcry_mpi_ec_mul(result, scalar, point, context)
        guard unsafe gcry_mpi_ec_get_affine(x, y, result, context) == 0,
            unsafe gcry_mpi_get_nbits(x) > UInt32(8 * (size - 1)),
            unsafe gcry_mpi_get_nbits(y) > UInt32(8 * (size - 1))
        else { return nil }
        return (try unsafe bytes(x), try unsafe bytes(y))
    }

    /// Overwrites a number with random bits and frees it. Freeing alone does not wipe the number.
    @unsafe
    private static func forget(_ number: gcry_mpi_t?) {
        unsafe gcry_mpi_randomize(number, UInt32(8 * size), GCRY_WEAK_RANDOM)
        unsafe gcry_mpi_release(number)
    }

    @unsafe
    private static func bytes(_ number: gcry_mpi_t?) throws(GcryptFailure) -> SecretBytes {
        try SecretBytes(capacity: size) { (output: inout OutputSpan<UInt8>) throws(GcryptFailure) in
            try unsafe output.withUnsafeMutableBufferPointer { (buffer, count) throws(GcryptFailure) in
                var written = 0
                try GcryptLibrary.call("write a number") {
                    unsafe gcry_mpi_print(GCRYMPI_FMT_USG, buffer.baseAddress, size, &written, number)
                }
                count = written
            }
        }
    }

    @unsafe
    private static func number(_ bytes: SecretBytes) throws(GcryptFailure) -> gcry_mpi_t? {
        var number: gcry_mpi_t?
        try bytes.withBytes { (bytes) throws(GcryptFailure) in
            try unsafe bytes.withUnsafeBytes { (bytes) throws(GcryptFailure) in
                try GcryptLibrary.call("read a number") {
                    unsafe gcry_mpi_scan(&number, GCRYMPI_FMT_USG, bytes.baseAddress, bytes.count, nil)
                }
            }
        }
        return unsafe number
    }

    @unsafe
    private static func number(_ bytes: [UInt8]) throws(GcryptFailure) -> gcry_mpi_t? {
        try unsafe number(SecretBytes(copying: bytes))
    }
}

extension SecretBytes {
    /// The bytes in ordinary memory, for coordinates that are public.
    fileprivate var bytes: [UInt8] { withBytes { bytes in bytes.indices.map { bytes[$0] } } }
}
