internal import AdapterKit
internal import Gcrypt
public import PortcullisCore

/// Seals keys under passcodes so that they open only in one machine's TPM 2.0. The chip counts wrong tries in
/// a row, and at its limit refuses every try.
///
/// Copying or restoring files, killing the process and setting the clock back give an attacker no further
/// try, because the count is in the chip. At the limit even the right passcode is refused. Then only a
/// recovery passphrase opens the key, if one was set. <doc:Objects> describes the objects in the chip and
/// their purpose.
///
/// All calls that need the chip run on the sealer's own thread, one after the other. Key derivations run on
/// another thread, so a chip that hangs does not delay them.
public final class TPMPasscodeSealer: PasscodeSealer {
    /// The name of the algorithm in the records.
    public static let algorithm = "argon2id+tpm2-pin-fail+aes256-gcm-siv"

    /// The cost of the key derivation for new seals.
    public var parameters: Argon2Parameters { configuration.parameters }

    let configuration: TPMConfiguration
    let lock: SealLock
    private let connect: @Sendable (TPMAddress) throws(ChipFailure) -> any ChipLine
    private let queue: ChipQueue
    private let derivations = WorkerThread()

    /// Makes a sealer. It does not connect to the chip before the first call.
    public convenience init(_ configuration: TPMConfiguration) {
        self.init(configuration) { (address) throws(ChipFailure) in try TCTILine(address) }
    }

    init(
        _ configuration: TPMConfiguration,
        queue: ChipQueue = ChipQueue(),
        connect: @escaping @Sendable (TPMAddress) throws(ChipFailure) -> any ChipLine
    ) {
        self.configuration = configuration
        self.connect = connect
        self.queue = queue
        lock = SealLock(path: configuration.lockPath)
    }

    /// Seals a key; see ``/PortcullisCore/PasscodeSealer``.
    public func seal(
        _ key: SecretBytes,
        under passcode: SecretBytes,
        context: String
    ) async throws(PasscodeSealerError) -> SealedKey {
        try await make(key, under: passcode, context: context, replacing: nil)
    }

    /// Seals a key under another passcode, and keeps the limit. If ``TPMConfiguration/recovery`` has a new
    /// recovery passphrase, the new one is used from then on. If not, the present one is kept. See
    /// ``/PortcullisCore/PasscodeSealer``.
    public func reseal(
        _ sealed: SealedKey,
        holding key: SecretBytes,
        under passcode: SecretBytes,
        context: String
    ) async throws(PasscodeSealerError) -> SealedKey {
        // A record of another sealer has no recovery passphrase and no limit that could be kept. So the key
        // is sealed in the chip for the first time.
        let old = sealed.algorithm == Self.algorithm ? try TPMSeal(sealed.sealed) : nil
        return try await make(key, under: passcode, context: context, replacing: old)
    }

    /// Reports whether the chip can be reached and accepts another try; see
    /// ``/PortcullisCore/PasscodeSealer``.
    public func readiness(
        of sealed: SealedKey,
        context: String
    ) async throws(PasscodeSealerError) -> SealReadiness {
        let seal = try seal(in: sealed)
        return try await onChip(of: seal) { (chip) throws(PasscodeSealerError) in
            try SealTask(chip, self.configuration, context).readiness(of: seal)
        }
    }

    /// Opens a sealed key; see ``/PortcullisCore/PasscodeSealer``.
    public func open(
        _ sealed: SealedKey,
        with passcode: SecretBytes,
        context: String
    ) async throws(PasscodeSealerError) -> SealOpening {
        let seal = try seal(in: sealed)
        try check(passcode)
        let secrets = try await derive { () throws(PasscodeSealerError) in
            try SealSecrets(.passcode, passcode, salt: sealed.salt, sealed.parameters, context: context)
        }
        return try await onChip(of: seal) { (chip) throws(PasscodeSealerError) in
            try SealTask(chip, self.configuration, context).open(seal, sealed, with: secrets)
        }
    }

    /// Opens a sealed key with its recovery passphrase; see ``/PortcullisCore/PasscodeSealer``.
    public func recover(
        _ sealed: SealedKey,
        with passphrase: SecretBytes,
        context: String
    ) async throws(PasscodeSealerError) -> SealOpening {
        let seal = try seal(in: sealed)
        guard let recovery = seal.recovery else {
            throw PasscodeSealerError(
                code: .notRecoverable,
                message: "the passcode was set without a recovery passphrase"
            )
        }
        guard recovery.parameters.isSane else { throw Self.refused(recovery.parameters) }
        try check(passphrase)
        let secrets = try await derive { () throws(PasscodeSealerError) in
            try SealSecrets(
                .recovery,
                passphrase,
                salt: recovery.salt,
                recovery.parameters,
                context: context
            )
        }
        return try await onChip(of: seal) { (chip) throws(PasscodeSealerError) in
            try SealTask(chip, self.configuration, context).recover(seal, recovery, with: secrets)
        }
    }

    /// Whether the key can be opened with a recovery passphrase; see ``/PortcullisCore/PasscodeSealer``.
    public func isRecoverable(_ sealed: SealedKey) -> Bool { (try? seal(in: sealed))?.recovery != nil }

    /// Returns the chip's count of wrong tries; see ``/PortcullisCore/PasscodeSealer``.
    public func count(
        of sealed: SealedKey,
        context: String
    ) async throws(PasscodeSealerError) -> HardwareCount? {
        let seal = try seal(in: sealed)
        return try await onChip(of: seal) { (chip) throws(PasscodeSealerError) in
            try SealTask(chip, self.configuration, context).count(of: seal)
        }
    }

    /// Deletes the chip's indexes that belong to no recorded key; see ``/PortcullisCore/PasscodeSealer``.
    public func settle(
        _ touched: [SealedKey],
        context: String,
        recorded: @Sendable () async throws(PasscodeSealerError) -> [SealedKey]
    ) async throws(PasscodeSealerError) {
        for sealed in touched { lock.unshare(for: sealed.salt) }
        guard let exclusion = try lock.exclude() else {
            throw PasscodeSealerError(
                code: .hardwareBusy,
                message: "another passcode is being sealed, so nothing is deleted in the chip now"
            )
        }
        var kept: [TPMSeal] = []
        for sealed in try await recorded() where sealed.algorithm == Self.algorithm {
            kept.append(try TPMSeal(sealed.sealed))
        }
        let known = touched.filter { $0.algorithm == Self.algorithm }.compactMap { try? TPMSeal($0.sealed) }
        let address = try (kept.first ?? known.first).map { (seal) throws(PasscodeSealerError) in
            try self.address(of: seal)
        }
        try await onChip(at: address ?? configuration.address ?? .system) {
            [kept] (chip) throws(PasscodeSealerError) in
            // If this task stops waiting, a job that has begun still runs. So the job itself releases the
            // lock at its end. A job that has not begun is dropped. The object that holds the lock is then
            // deallocated, which releases the lock.
            defer { exclusion.release() }
            try SealTask(chip, self.configuration, context).forget(
                known,
                allBut: Set(kept.map(\.index.handle))
            )
        }
    }

    // MARK: The record

    private func seal(in sealed: SealedKey) throws(PasscodeSealerError) -> TPMSeal {
        guard sealed.format == 1, sealed.algorithm == Self.algorithm else {
            throw PasscodeSealerError(code: .unknownAlgorithm, message: "the record's algorithm is not known")
        }
        guard sealed.parameters.isSane else { throw Self.refused(sealed.parameters) }
        guard sealed.salt.count == 16 else {
            throw PasscodeSealerError(code: .malformed, message: "the record's salt has the wrong size")
        }
        return try TPMSeal(sealed.sealed)
    }

    private static func refused(_ parameters: Argon2Parameters) -> PasscodeSealerError {
        PasscodeSealerError(
            code: .refusedParameters,
            message: "Argon2id with \(parameters) is not allowed"
        )
    }

    private func check(_ passcode: SecretBytes) throws(PasscodeSealerError) {
        guard (1...1024).contains(passcode.count) else {
            throw PasscodeSealerError(code: .malformed, message: "a passcode has 1 to 1,024 bytes")
        }
    }

    /// Returns the address of the chip in which a record's key is sealed. Without a configured address, the
    /// record's own is used if it is recordable.
    private func address(of seal: TPMSeal) throws(PasscodeSealerError) -> TPMAddress {
        if let address = configuration.address { return address }
        guard let address = TPMAddress(seal.address), address.isRecordable else {
            throw PasscodeSealerError(
                code: .hardwareMissing,
                message: "the record names no TPM of this machine: name its TCTI (`--tpm ADDRESS`)"
            )
        }
        return address
    }

    // MARK: The chip

    private func make(
        _ key: SecretBytes,
        under passcode: SecretBytes,
        context: String,
        replacing old: TPMSeal?
    ) async throws(PasscodeSealerError) -> SealedKey {
        guard key.count == 32 else {
            throw PasscodeSealerError(code: .malformed, message: "a key has 32 bytes")
        }
        try check(passcode)
        guard parameters.isSane else { throw Self.refused(parameters) }
        let recorded = try old.map { (seal) throws(PasscodeSealerError) in try self.address(of: seal) }
        let address = configuration.address ?? recorded ?? .system
        let (configuration, salt) = (configuration, SealedKey.freshSalt())
        let (secrets, recovery) = try await derive { () throws(PasscodeSealerError) in
            let secrets = try SealSecrets(
                .passcode,
                passcode,
                salt: salt,
                configuration.parameters,
                context: context
            )
            return (secrets, try NewRecovery(configuration, keeping: old?.recovery, context: context))
        }
        let sealed = SealedKey(
            algorithm: Self.algorithm,
            parameters: parameters,
            salt: salt,
            sealed: []
        )
        // The lock is taken before the job enters the queue. If a job waited for the lock in the queue, it
        // would block the queue. The task that holds the exclusive lock may need the queue before it releases
        // the lock, so neither would go on.
        try await lock.share(for: salt)
        do throws(PasscodeSealerError) {
            return try await onChip(at: address) { (chip) throws(PasscodeSealerError) in
                try SealTask(chip, configuration, context).seal(
                    key,
                    sealed,
                    under: secrets,
                    recovery,
                    limit: old?.limit,
                    at: address
                )
            }
        } catch {
            lock.unshare(for: salt)
            let refusals: [PasscodeSealerErrorCode] = [.hardwareUnsuitable, .hardwareFull, .hardwareFailed]
            if refusals.contains(error.code) { await tidy(context, at: address) }
            throw error
        }
    }

    /// Removes what a failed seal has left in a chip that may refuse every seal. After other errors the next
    /// change of the passcode that succeeds cleans up. In this chip possibly no change succeeds.
    private func tidy(_ context: String, at address: TPMAddress) async {
        // While another seal is being made or recorded, its parts cannot be told from parts that are left
        // over.
        guard let exclusion = try? lock.exclude() else { return }
        // An error is ignored here, because the caller throws the error of the seal.
        try? await onChip(at: address) { [configuration] (chip) throws(PasscodeSealerError) in
            defer { exclusion.release() }
            try SealTask(chip, configuration, context).tidy()
        }
    }

    /// Runs a key derivation on a separate thread, because the derivation takes long.
    private func derive<Value: Sendable>(
        _ body: @escaping @Sendable () throws(PasscodeSealerError) -> Value
    ) async throws(PasscodeSealerError) -> Value {
        guard !Task.isCancelled else {
            throw PasscodeSealerError(code: .cancelled, message: "the task was cancelled")
        }
        return try await derivations.run(body)
    }

    private func onChip<Value: Sendable>(
        of seal: TPMSeal,
        _ body: @escaping @Sendable (Chip) throws(PasscodeSealerError) -> Value
    ) async throws(PasscodeSealerError) -> Value {
        try await onChip(at: try address(of: seal), body)
    }

    /// Connects to the chip for one task. Other tasks of this sealer wait until this task has ended.
    private func onChip<Value: Sendable>(
        at address: TPMAddress,
        _ body: @escaping @Sendable (Chip) throws(PasscodeSealerError) -> Value
    ) async throws(PasscodeSealerError) -> Value {
        let connect = connect
        let busy = PasscodeSealerError(ChipFailure(kind: .busy), address)
        return try await queue.ask(orThrow: busy) { () throws(PasscodeSealerError) in
            let line: any ChipLine
            do throws(ChipFailure) { line = try connect(address) } catch {
                throw PasscodeSealerError(error, address)
            }
            return try Chip(line, pause: Self.pause).carryOut(body)
        }
    }

    private static func pause(_ time: Duration) { Pause.hold(time) }
}
