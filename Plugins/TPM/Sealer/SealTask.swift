internal import Gcrypt
internal import PortcullisCore

/// One task of a sealer at a connected chip.
struct SealTask {
    let chip: Chip
    let configuration: TPMConfiguration
    let context: String

    init(_ chip: Chip, _ configuration: TPMConfiguration, _ context: String) {
        (self.chip, self.configuration, self.context) = (chip, configuration, context)
    }

    /// Runs an operation on the chip, and converts its failure to the port's error.
    func atChip<Value>(_ body: () throws(ChipFailure) -> Value) throws(PasscodeSealerError) -> Value {
        do { return try body() } catch { throw PasscodeSealerError(error, nil) }
    }

    // MARK: Before a try

    func readiness(of seal: TPMSeal) throws(PasscodeSealerError) -> SealReadiness {
        try demandIndex(of: seal)
        // The storage key is checked before a passcode is tried. If the seal belongs to another chip, an
        // error is thrown here, and this chip counts no wrong try.
        try atChip { () throws(ChipFailure) in try StorageKeyHold(in: chip, named: seal.storageName) }
            .demand()
            .release(to: chip)
        guard let (failures, limit) = try counted(by: seal) else { return .ready }
        return failures < limit ? .ready : .triesExhausted
    }

    func count(of seal: TPMSeal) throws(PasscodeSealerError) -> HardwareCount? {
        try demandIndex(of: seal)
        guard let (failures, limit) = try counted(by: seal) else {
            throw PasscodeSealerError(ChipFailure(kind: .response(ChipCode.badAuth.rawValue)), nil)
        }
        return HardwareCount(kind: "tpm2", failures: Int(failures), limit: Int(limit))
    }

    /// The number of wrong tries and the limit, as the index holds them. The result is `nil` if reading them
    /// needs an owner authorization that the sealer does not have.
    private func counted(by seal: TPMSeal) throws(PasscodeSealerError) -> (UInt32, UInt32)? {
        try atChip { () throws(ChipFailure) in
            do throws(ChipFailure) {
                var numbers = WireReader(try chip.read(seal.index))
                return (try numbers.number(), try numbers.number())
            } catch {
                guard error.isWrongAuthorization else { throw error }
                return nil
            }
        }
    }

    /// Throws an error if the chip does not have the record's index.
    func demandIndex(of seal: TPMSeal) throws(PasscodeSealerError) {
        let isThere = try atChip { () throws(ChipFailure) in
            try chip.index(at: seal.index.handle) == seal.index
        }
        guard !isThere else { return }
        // If this is another chip, or the chip was cleared, its storage key has another Name. `demand()` then
        // throws `otherHardware`.
        _ = try atChip { () throws(ChipFailure) in
            try StorageKeyHold(in: chip, named: seal.storageName)
        }
        .demand()
        .release(to: chip)
        let hasOther = try atChip { () throws(ChipFailure) in try hasOtherSeal(than: seal.index) }
        if hasOther {
            throw PasscodeSealerError(
                code: .olderSeal,
                message: "the passcode was changed since: this is an older copy of its record"
            )
        }
        throw PasscodeSealerError(
            code: .hardwareCleared,
            message: "the chip no longer has what the passcode's key needs: it was deleted from it"
        )
    }

    /// Whether the chip has an index of another seal for the same user.
    private func hasOtherSeal(than index: Chip.Index) throws(ChipFailure) -> Bool {
        let place = try TPMPlace(scope: configuration.scope, context: context)
        guard let block = try place.block(in: chip) else { return false }
        for handle in try block.found(in: chip) {
            guard let found = try chip.index(at: handle), found.policy != index.policy else { continue }
            if found == Chip.Index.pinFail(handle, policy: found.policy).whenWritten { return true }
        }
        return false
    }

    // MARK: Tries

    func open(_ seal: TPMSeal, _ sealed: SealedKey, with secrets: SealSecrets) throws(PasscodeSealerError)
        -> SealOpening
    {
        try demandIndex(of: seal)
        let hold = try atChip { () throws(ChipFailure) in
            try StorageKeyHold(in: chip, named: seal.storageName)
        }
        .demand()
        defer { hold.release(to: chip) }
        let released: SecretBytes
        do throws(ChipFailure) {
            released = try release(seal, hold.key, secrets.authorization)
        } catch {
            if error.command == "\(Chip.Command.policySecret)" {
                if error.isWrongAuthorization { return .wrongPasscode }
                if error.code == .authUnavailable { return .triesExhausted }
            }
            throw PasscodeSealerError(error, nil)
        }
        let key = try secrets.unwrap(seal.wrapped, with: released, binding: seal.binding(sealed, context))
        guard let key else {
            throw PasscodeSealerError(code: .malformed, message: "the record of the sealed key was altered")
        }
        return .opened(key)
    }

    /// Tries a passcode at the chip. The chip either releases its half of the wrapping key or counts a wrong
    /// try.
    private func release(_ seal: TPMSeal, _ key: Chip.StorageKey, _ authorization: SecretBytes)
        throws(ChipFailure) -> SecretBytes
    {
        let session = try chip.startSession(.hmac, saltedTo: key)
        defer { chip.flush(session) }
        let policy = try chip.startSession(.policy, saltedTo: key)
        defer { chip.flush(policy) }
        // The object is loaded before the passcode is tried, so that a failure to load it does not cost a
        // try.
        let object = try chip.load(seal.object, under: key, session)
        defer { try? chip.flush(object.handle) }
        try chip.prove(try seal.index.entity(), to: policy, by: session, authorization, isLast: true)
        return try chip.unseal(object, .session(policy, isLast: true))
    }

    func recover(_ seal: TPMSeal, _ recovery: TPMSeal.Recovery, with secrets: SealSecrets)
        throws(PasscodeSealerError) -> SealOpening
    {
        let hold = try atChip { () throws(ChipFailure) in
            try StorageKeyHold(in: chip, named: seal.storageName)
        }
        .demand()
        defer { hold.release(to: chip) }
        let released: SecretBytes
        do throws(ChipFailure) {
            let session = try chip.startSession(.hmac, saltedTo: hold.key)
            defer { chip.flush(session) }
            let object = try chip.load(recovery.object, under: hold.key, session)
            defer { try? chip.flush(object.handle) }
            released = try chip.unseal(object, .session(session, secrets.authorization, isLast: true))
        } catch {
            if error.command == "\(Chip.Command.unseal)", error.isWrongAuthorization { return .wrongPasscode }
            throw PasscodeSealerError(error, nil)
        }
        let key = try secrets.unwrap(
            recovery.wrapped,
            with: released,
            binding: NewRecovery.binding(recovery, limit: seal.limit, context)
        )
        guard let key else {
            throw PasscodeSealerError(code: .malformed, message: "the record of the sealed key was altered")
        }
        return .opened(key)
    }

    // MARK: Cleaning up

    /// Deletes the user's indexes, except those with a handle in `kept`. When no index of any user is left,
    /// the storage key is removed as well.
    ///
    /// - Parameter known: seals that may no longer be recorded. If a seal's index is not in `kept`, the index
    ///   is deleted even if the index that marks the user's block is gone. Without this deletion, a restored
    ///   older copy of the record would still open with its older passcode.
    func forget(_ known: [TPMSeal], allBut kept: Set<UInt32>) throws(PasscodeSealerError) {
        try atChip { () throws(ChipFailure) in
            for seal in known where !kept.contains(seal.index.handle) {
                if try chip.index(at: seal.index.handle) == seal.index { try chip.undefine(seal.index) }
            }
            let place = try TPMPlace(scope: configuration.scope, context: context)
            while let block = try place.block(in: chip) {
                for handle in try block.found(in: chip) where !kept.contains(handle) {
                    if let index = try chip.index(at: handle) { try chip.undefine(index) }
                }
                guard kept.isEmpty else { return }
                if let note = try chip.index(at: block.note) { try chip.undefine(note) }
            }
            guard kept.isEmpty else { return }
            try removeKeyIfUnused()
        }
    }

    /// Removes what a failed seal has left in the chip: the note of the user's block if the block has no
    /// index, and the storage key if no user has an index. The caller holds the exclusive lock.
    func tidy() throws(PasscodeSealerError) {
        try atChip { () throws(ChipFailure) in
            let place = try TPMPlace(scope: configuration.scope, context: context)
            if let block = try place.block(in: chip), try block.found(in: chip).isEmpty,
                let note = try chip.index(at: block.note)
            {
                try chip.undefine(note)
            }
            try removeKeyIfUnused()
        }
    }

    private func removeKeyIfUnused() throws(ChipFailure) {
        let next = try chip.handles(from: TPMPlace.range.lowerBound, count: 1).first
        if next.map({ !TPMPlace.range.contains($0) }) ?? true { try StorageKeyHold.remove(from: chip) }
    }
}

extension Optional<StorageKeyHold> {
    /// Returns the key. Throws `otherHardware` if the chip does not have the key.
    consuming func demand() throws(PasscodeSealerError) -> StorageKeyHold {
        guard let hold = self else {
            throw PasscodeSealerError(
                code: .otherHardware,
                message: "the passcode was set with another chip, or with this one before it was cleared"
            )
        }
        return hold
    }
}
