internal import Gcrypt
internal import PortcullisCore

/// Makes and uses the chip's keys, sessions and sealed objects.
extension Chip {
    /// A parent key, under which the chip encrypts other objects. Its public values are those that the chip
    /// reports.
    struct StorageKey: Sendable, Hashable {
        let entity: Entity
        /// The coordinates of the key's public point on P-256.
        let x: [UInt8]
        let y: [UInt8]

        /// Reads a key's public area.
        ///
        /// - Throws: `forged` if the area does not describe a storage key on P-256.
        init(_ handle: UInt32, _ area: [UInt8]) throws(ChipFailure) {
            var reader = WireReader(area)
            let head = try reader.take(Template.storageKey(unique: []).head.count)
            guard head == Template.storageKey(unique: []).head else { throw .garbled }
            x = try reader.sized()
            y = try reader.sized()
            entity = Entity(handle, name: try Template.name(of: area))
        }
    }

    /// A sealed object in its encrypted form outside of the chip.
    struct Blob: Sendable, Hashable {
        var publicArea: [UInt8]
        var privateArea: [UInt8]

        /// The object's Name in the chip.
        func name() throws(ChipFailure) -> [UInt8] { try Template.name(of: publicArea) }
    }

    /// Returns the persistent key under a handle. The result is `nil` if there is no key, or if the key is
    /// not a storage key of this library's form.
    func storageKey(at handle: UInt32) throws(ChipFailure) -> StorageKey? {
        do throws(ChipFailure) {
            var answer = try run(.readPublic, [Entity(handle)])
            let area = try answer.parameters.sized()
            // A key of another form belongs to another program. The owner's storage key is then missing,
            // which is no error.
            guard area.starts(with: Template.storageKey(unique: []).head) else { return nil }
            return try StorageKey(handle, area)
        } catch {
            guard error.isNoSuchHandle else { throw error }
            return nil
        }
    }

    /// Makes the owner's storage key. The chip derives the same key each time, until the chip is cleared. The
    /// caller must flush the key.
    func makeStorageKey() throws(ChipFailure) -> StorageKey {
        // The four bytes are the lengths of an empty authorization and of empty data.
        let sensitive: [UInt8] = [0, 0, 0, 0]
        var rest = Wire()
        rest.put(sized: Template.storageKey(unique: [UInt8](repeating: 0, count: KeyAgreement.size)).bytes)
        rest.put(sized: [])
        rest.put(UInt32(0))
        var answer = try run(
            .createPrimary,
            [.owner],
            .empty,
            first: .plain(sensitive),
            rest: rest.bytes
        )
        guard let handle = answer.handle else { throw .garbled }
        return try StorageKey(handle, try answer.parameters.sized())
    }

    /// Makes a loaded key persistent under a handle. If `key` is the persistent key under this handle, the
    /// call removes the key instead.
    func evict(_ key: Entity, at handle: UInt32) throws(ChipFailure) {
        _ = try run(.evictControl, [.owner, key], .empty, rest: Wire(handle).bytes)
    }

    /// Removes a loaded object or a session from the chip.
    func flush(_ handle: UInt32) throws(ChipFailure) {
        _ = try run(.flushContext, rest: Wire(handle).bytes)
    }

    /// Removes a session from the chip, if it is still open. A failure is ignored, because no further
    /// command uses the session.
    func flush(_ session: ChipSession?) {
        guard let session, session.isOpen else { return }
        session.end()
        try? flush(session.handle)
    }

    /// Begins a session that is salted to a key. Only the chip that has the key can derive the session's key.
    func startSession(_ kind: ChipSession.Kind, saltedTo key: StorageKey) throws(ChipFailure) -> ChipSession {
        let agreement: KeyAgreement
        let salt: SecretBytes
        do {
            agreement = try KeyAgreement(with: key.x, key.y)
            // The salt is derived with KDFe (TPM 2.0 Part 1, 11.4.10.3), for 256 bits.
            var input = [SecretBytes(copying: Wire(UInt32(1)).bytes), agreement.shared]
            input.append(SecretBytes(copying: Array("SECRET".utf8) + [0] + agreement.x + key.x))
            salt = try Digest.sha256(SecretBytes(joining: input))
        } catch {
            throw ChipFailure(kind: .cryptography, command: "startSession")
        }
        let ownNonce = ChipSession.freshNonce()
        var point = Wire()
        point.put(sized: agreement.x)
        point.put(sized: agreement.y)
        var rest = Wire()
        rest.put(sized: ownNonce)
        rest.put(sized: point.bytes)
        rest.put(kind.rawValue)
        // The session encrypts with AES-128-CFB, and its digest is SHA-256.
        for number: UInt16 in [0x0006, 128, 0x0043, 0x000B] { rest.put(number) }
        var answer = try run(.startSession, [key.entity, Entity(0x4000_0007)], rest: rest.bytes)
        guard let handle = answer.handle else { throw .garbled }
        return try ChipSession(
            kind,
            handle,
            salt: salt,
            nonce: try answer.parameters.sized(),
            ownNonce: ownNonce
        )
    }

    /// Seals data in a new object. If a policy is given, using the object needs this policy. Otherwise it
    /// needs the object's authorization.
    func create(
        under parent: StorageKey,
        _ session: ChipSession,
        authorization: SecretBytes?,
        data: SecretBytes,
        policy: [UInt8]?
    ) throws(ChipFailure) -> Blob {
        let parts = [authorization, data].map { part -> [SecretBytes] in
            [SecretBytes(copying: Wire(UInt16(part?.count ?? 0)).bytes)] + (part.map { [$0] } ?? [])
        }
        var rest = Wire()
        rest.put(sized: Template.sealed(policy: policy).bytes)
        rest.put(sized: [])
        rest.put(UInt32(0))
        var answer = try run(
            .create,
            [parent.entity],
            .session(session),
            first: .secret(SecretBytes(joining: parts.flatMap(\.self))),
            rest: rest.bytes
        )
        let privateArea = try answer.parameters.sized()
        return Blob(publicArea: try answer.parameters.sized(), privateArea: privateArea)
    }

    /// Loads a sealed object into the chip. The caller flushes it.
    func load(_ blob: Blob, under parent: StorageKey, _ session: ChipSession) throws(ChipFailure) -> Entity {
        var rest = Wire()
        rest.put(sized: blob.publicArea)
        let answer = try run(
            .load,
            [parent.entity],
            .session(session),
            first: .plain(blob.privateArea),
            rest: rest.bytes
        )
        guard let handle = answer.handle else { throw .garbled }
        return Entity(handle, name: try blob.name())
    }

    /// Makes the chip release a loaded object's data. The data is encrypted in transit.
    func unseal(_ object: Entity, _ authorization: Authorization) throws(ChipFailure) -> SecretBytes {
        guard let secret = try run(.unseal, [object], authorization, answersSecret: true).secret else {
            throw .garbled
        }
        return secret
    }

    /// Proves to a policy session that the caller knows the authorization of an entity.
    func prove(
        _ entity: Entity,
        to policy: ChipSession,
        by session: ChipSession,
        _ secret: SecretBytes,
        isLast: Bool = false
    ) throws(ChipFailure) {
        // The proof has no nonce, no digest of a command and no reference, and it does not expire.
        _ = try run(
            .policySecret,
            [entity, Entity(policy.handle)],
            .session(session, secret, isLast: isLast),
            rest: Wire(UInt16(0), UInt16(0), UInt16(0), UInt32(0)).bytes
        )
    }
}
