internal import AdapterKit
internal import CGcrypt
internal import Dispatch
package import PortcullisCore
internal import Synchronization

/// Argon2id of RFC 9106, by libgcrypt.
///
/// libgcrypt keeps pointers to its input, such as passphrase and salt. So the input must stay valid until the
/// handle is closed. When the handle is closed, libgcrypt wipes its own block memory.
package enum Argon2 {
    /// Derives `length` bytes on the calling thread, which must be allowed to block.
    ///
    /// If there are several lanes, each lane has its own thread.
    package static func derive(
        _ passphrase: SecretBytes,
        salt: [UInt8],
        _ parameters: Argon2Parameters,
        secret: [UInt8] = [],
        associatedData: [UInt8] = [],
        length: Int = 32,
        onLane: (@Sendable () -> Void)? = nil
    ) throws(PasscodeSealerError) -> SecretBytes {
        // libgcrypt accepts 0 passes and crashes on (2^32 - 1) KiB of memory, so every number is checked
        // first.
        guard parameters.isSane, (4...1024).contains(length), (8...64).contains(salt.count) else {
            throw PasscodeSealerError(
                code: .refusedParameters,
                message: "Argon2id with \(parameters) is not allowed"
            )
        }
        do {
            return try compute(passphrase, salt, parameters, secret, associatedData, length, onLane)
        } catch {
            throw PasscodeSealerError(
                code: error.isOutOfMemory ? .outOfMemory : .systemFailure,
                message: "\(error)"
            )
        }
    }

    private static func compute(
        _ passphrase: SecretBytes,
        _ salt: [UInt8],
        _ parameters: Argon2Parameters,
        _ secret: [UInt8],
        _ associatedData: [UInt8],
        _ length: Int,
        _ onLane: (@Sendable () -> Void)?
    ) throws(GcryptFailure) -> SecretBytes {
        let numbers: [UInt] = [
            UInt(length), UInt(parameters.passes), UInt(parameters.memory), UInt(parameters.lanes),
        ]
        return try passphrase.withBytes { (passphrase) throws(GcryptFailure) in
            try unsafe passphrase.withUnsafeBytes { (passphrase) throws(GcryptFailure) in
                try unsafe salt.span.bytes.withUnsafeBytes { (salt) throws(GcryptFailure) in
                    try unsafe secret.span.bytes.withUnsafeBytes { (secret) throws(GcryptFailure) in
                        try unsafe associatedData.span.bytes.withUnsafeBytes { (data) throws(GcryptFailure) in
                            var handle: gcry_kdf_hd_t?
                            try GcryptLibrary.call("begin Argon2id") {
                                unsafe gcry_kdf_open(
                                    &handle,
                                    CInt(GCRY_KDF_ARGON2.rawValue),
                                    CInt(GCRY_KDF_ARGON2ID.rawValue),
                                    numbers,
                                    UInt32(numbers.count),
                                    passphrase.baseAddress,
                                    passphrase.count,
                                    salt.baseAddress,
                                    salt.count,
                                    secret.baseAddress,
                                    secret.count,
                                    data.baseAddress,
                                    data.count
                                )
                            }
                            defer { unsafe gcry_kdf_close(handle) }
                            try unsafe fill(handle, lanes: Int(parameters.lanes), onLane)
                            return try SecretBytes(capacity: length) {
                                (output: inout OutputSpan<UInt8>) throws(GcryptFailure) in
                                try unsafe output.withUnsafeMutableBufferPointer {
                                    (buffer, count) throws(GcryptFailure) in
                                    try GcryptLibrary.call("end Argon2id") {
                                        unsafe gcry_kdf_final(handle, length, buffer.baseAddress)
                                    }
                                    count = length
                                }
                            }
                        }
                    }
                }
            }
        }
    }

    @unsafe
    private static func fill(
        _ handle: gcry_kdf_hd_t?,
        lanes: Int,
        _ onLane: (@Sendable () -> Void)?
    ) throws(GcryptFailure) {
        guard lanes > 1 else {
            return try GcryptLibrary.call("Argon2id") { unsafe gcry_kdf_compute(handle, nil) }
        }
        let team = LaneTeam(count: lanes, onLane)
        // No job may outlive the memory that it works on. So the wait is needed even if libgcrypt fails
        // half-way.
        defer { team.wait() }
        var operations = unsafe gcry_kdf_thread_ops_t(
            jobs_context: Unmanaged.passUnretained(team).toOpaque(),
            dispatch_job: { context, function, argument in
                let team = unsafe Unmanaged<LaneTeam>.fromOpaque(context!).takeUnretainedValue()
                unsafe team.dispatch(function!, argument)
                return 0
            },
            wait_all_jobs: { context in
                unsafe Unmanaged<LaneTeam>.fromOpaque(context!).takeUnretainedValue().wait()
                return 0
            }
        )
        try GcryptLibrary.call("Argon2id") { unsafe gcry_kdf_compute(handle, &operations) }
    }
}

/// The threads of one derivation, one for each lane. All threads fill one slice of the memory at the same
/// time, and wait for each other before the next slice.
@safe
private final class LaneTeam: Sendable {
    // The pointers belong to libgcrypt and are valid until `wait` returns. Only one thread uses each job.
    @safe
    private struct Job: @unchecked Sendable {
        let function: gcry_kdf_job_fn_t
        let argument: UnsafeMutableRawPointer?
    }

    private let workers: [WorkerThread]
    private let onLane: (@Sendable () -> Void)?
    private let pending = DispatchGroup()
    /// The number of jobs so far.
    private let jobs = Atomic(0)

    init(count: Int, _ onLane: (@Sendable () -> Void)?) {
        workers = (0..<count).map { _ in WorkerThread() }
        self.onLane = onLane
    }

    @unsafe
    func dispatch(_ function: @escaping gcry_kdf_job_fn_t, _ argument: UnsafeMutableRawPointer?) {
        let job = unsafe Job(function: function, argument: argument)
        // Each slice has one job for each lane, in the order of the lanes. So every thread gets one job of
        // the slice.
        let lane = jobs.wrappingAdd(1, ordering: .relaxed).oldValue % workers.count
        pending.enter()
        workers[lane].enqueue { [onLane, pending] in
            onLane?()
            unsafe job.function(job.argument)
            pending.leave()
        }
    }

    func wait() { pending.wait() }
}
