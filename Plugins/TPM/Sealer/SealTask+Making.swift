internal import Gcrypt
internal import PortcullisCore

extension SealTask {
    /// Makes an index and an object in the chip, and seals a key with them.
    func seal(
        _ key: SecretBytes,
        _ sealed: SealedKey,
        under secrets: SealSecrets,
        _ recovery: NewRecovery?,
        limit: UInt32?,
        at address: TPMAddress
    ) throws(PasscodeSealerError) -> SealedKey {
        guard (1...Int(Int32.max)).contains(configuration.limit) else {
            throw PasscodeSealerError(code: .refusedParameters, message: "a limit of tries is 1 or more")
        }
        let limit = limit ?? UInt32(configuration.limit)
        let half = SecretBytes(randomCount: Digest.size)
        let hold = try atChip { () throws(ChipFailure) in try StorageKeyHold(in: chip, keeps: true) }.demand()
        defer { hold.release(to: chip) }
        var (index, object): (Chip.Index, Chip.Blob)
        var second: TPMSeal.Recovery?
        (index, object, second) = try atChip { () throws(ChipFailure) in
            let session = try chip.startSession(.hmac, saltedTo: hold.key)
            defer { chip.flush(session) }
            let index = try makeIndex(secrets.authorization, limit: limit, hold.key, session)
            do throws(ChipFailure) {
                let object = try chip.create(
                    under: hold.key,
                    session,
                    authorization: nil,
                    data: half,
                    policy: try Template.policy(ofKnowing: try index.entity().name)
                )
                return (index, object, try recovery?.object(in: chip, hold.key, session))
            } catch {
                chip.discard(index)
                throw error
            }
        }
        var seal = TPMSeal(
            address: address.isRecordable ? address.text : "",
            storageName: hold.key.entity.name,
            index: index,
            limit: limit,
            object: object,
            recovery: nil
        )
        try recovery?.wrap(key, into: &second, limit: limit, context)
        seal.recovery = second
        var sealed = sealed
        seal.wrapped = try secrets.wrap(key, with: half, binding: seal.binding(sealed, context))
        sealed.sealed = seal.bytes
        return sealed
    }

    /// Makes an index that counts from 0. Nothing can write the index again.
    ///
    /// The chip's owner can delete an index and define it again under the same Name, with another
    /// authorization. But the new index is unwritten, and an unwritten index cannot be used. Writing the
    /// index needs the authorization of a random object, and this method keeps neither the object nor its
    /// authorization. So the owner cannot reset the count.
    private func makeIndex(
        _ authorization: SecretBytes,
        limit: UInt32,
        _ key: Chip.StorageKey,
        _ session: ChipSession
    ) throws(ChipFailure) -> Chip.Index {
        let writer = SealSecrets.random()
        let blob = try chip.create(
            under: key,
            session,
            authorization: writer,
            data: SecretBytes(randomCount: Digest.size),
            policy: nil
        )
        let place = try TPMPlace(scope: configuration.scope, context: context)
        let block = try place.makeBlock(in: chip, session)
        let index: Chip.Index
        do throws(ChipFailure) {
            index = try block.define(
                in: chip,
                policy: try Template.policy(ofKnowing: try blob.name()),
                authorization: authorization,
                session
            )
        } catch {
            // A chip that does not support this type of index rejects it with one of these codes.
            guard error.code == .attributes || error.code == .value else { throw error }
            throw ChipFailure(kind: error.kind, command: ChipFailure.definingPINIndex)
        }
        do throws(ChipFailure) {
            let object = try chip.load(blob, under: key, session)
            defer { try? chip.flush(object.handle) }
            let policy = try chip.startSession(.policy, saltedTo: key)
            defer { chip.flush(policy) }
            try chip.prove(object, to: policy, by: session, writer)
            try chip.write(Wire(UInt32(0), limit).bytes, to: index, .session(policy, isLast: true))
            return index.whenWritten
        } catch {
            chip.discard(index)
            throw error
        }
    }
}

/// A second way to open a key that is being sealed: a recovery passphrase.
struct NewRecovery: Sendable {
    /// The recovery of an earlier seal of the same key, if the new seal keeps it; `nil` if there is a new
    /// passphrase.
    private let kept: TPMSeal.Recovery?
    private let secrets: SealSecrets?
    private let parameters: Argon2Parameters
    private let salt: [UInt8]
    private let half = SecretBytes(randomCount: Digest.size)

    /// Prepares the recovery. A derivation from a new passphrase blocks the calling thread.
    ///
    /// - Returns: `nil` if the seal gets no recovery.
    init?(_ configuration: TPMConfiguration, keeping kept: TPMSeal.Recovery?, context: String)
        throws(PasscodeSealerError)
    {
        parameters = configuration.parameters
        salt = SealedKey.freshSalt()
        if case .passphrase(let passphrase) = configuration.recovery {
            guard RecoveryPassphrase.weakness(of: passphrase) == nil else {
                throw PasscodeSealerError(
                    code: .refusedParameters,
                    message: "the recovery passphrase is too short or easily guessed"
                )
            }
            secrets = try SealSecrets(.recovery, passphrase, salt: salt, parameters, context: context)
            self.kept = nil
        } else {
            guard let kept else { return nil }
            (self.kept, secrets) = (kept, nil)
        }
    }

    func object(in chip: Chip, _ key: Chip.StorageKey, _ session: ChipSession) throws(ChipFailure)
        -> TPMSeal.Recovery?
    {
        guard let secrets else { return kept }
        let object = try chip.create(
            under: key,
            session,
            authorization: secrets.authorization,
            data: half,
            policy: nil
        )
        return TPMSeal.Recovery(parameters: parameters, salt: salt, object: object, wrapped: [])
    }

    func wrap(
        _ key: SecretBytes,
        into recovery: inout TPMSeal.Recovery?,
        limit: UInt32,
        _ context: String
    ) throws(PasscodeSealerError) {
        guard let secrets, let made = recovery else { return }
        let binding = Self.binding(made, limit: limit, context)
        recovery?.wrapped = try secrets.wrap(key, with: half, binding: binding)
    }

    /// The data that the recovery's wrapped key is bound to. The data stays the same when the passcode
    /// changes.
    ///
    /// The limit is part of the data, because a key that was recovered is sealed again with the limit in the
    /// record. Nothing else in the record shows then that the limit was altered.
    static func binding(_ recovery: TPMSeal.Recovery, limit: UInt32, _ context: String) -> [UInt8] {
        var wire = Wire()
        wire.put(sized: Array("portcullis tpm recovery".utf8))
        wire.put(sized: Array(context.utf8))
        wire.put(limit)
        wire.put(sized: recovery.salt)
        wire.put(sized: recovery.object.publicArea)
        return wire.bytes
    }
}

extension SealedKey {
    static func freshSalt() -> [UInt8] {
        SecretBytes(randomCount: 16).withBytes { bytes in bytes.indices.map { bytes[$0] } }
    }
}
