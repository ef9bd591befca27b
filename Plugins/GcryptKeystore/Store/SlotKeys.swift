internal import Gcrypt
internal import LinuxSystem
internal import PortcullisCore

/// Makes and opens slots.
///
/// The calls block, so they run on the store's own threads.
struct SlotKeys {
    let files: any KeystoreFiles

    /// A slot that a credential opened, and the key from the slot.
    struct Opened: Sendable {
        let slot: Slot
        let key: SecretBytes
    }

    /// Finds the first slot of this target that the credential opens; `nil` if the credential opens no slot.
    ///
    /// - Throws: `damaged`, among others, if trying the passphrase on all slots would cost more than the
    ///   limit for a store's slots. An attacker needs no key to forge a header with such slots, so the
    ///   limit is checked before any slot is tried.
    func open(
        _ header: HeaderPage,
        _ target: Slot.Target,
        with credential: KeystoreCredential,
        path: String
    ) throws(SecretStoreError) -> Opened? {
        let (kind, secret) = try read(credential)
        if kind == .passphrase, !header.isTriable(target) {
            throw .damaged("trying all passphrase slots would take too long", path)
        }
        for slot in header.slots where slot.kind == kind && slot.target == target {
            let wrapping = try wrappingKey(slot, secret, path: path)
            do {
                if let key = try slot.unwrap(under: wrapping, storeID: header.storeID) {
                    return Opened(slot: slot, key: key)
                }
            } catch {
                throw .gcrypt(error, path)
            }
        }
        return nil
    }

    /// A new slot and its wrapping key. For an existing store both are made before the store's lock is taken,
    /// because the derivation takes long.
    struct Prepared: Sendable {
        fileprivate var slot: Slot
        fileprivate let wrapping: SecretBytes

        /// Adds the slot to a header, under the header's next id, with `key` wrapped in it.
        func add(_ key: SecretBytes, to header: inout HeaderPage, path: String) throws(SecretStoreError) {
            let id = try header.takeSlotID(path)
            header.slots.append(try wrapped(key, id: id, storeID: header.storeID, path))
        }

        /// Replaces a slot by this one. The new slot gets the old slot's id and place, with the same `key`
        /// wrapped in it.
        func replace(
            _ old: Slot,
            holding key: SecretBytes,
            in header: inout HeaderPage,
            path: String
        ) throws(SecretStoreError) {
            guard let index = header.slots.firstIndex(of: old) else { return }
            header.slots[index] = try wrapped(key, id: old.id, storeID: header.storeID, path)
        }

        private func wrapped(
            _ key: SecretBytes,
            id: UInt32,
            storeID: [UInt8],
            _ path: String
        ) throws(SecretStoreError) -> Slot {
            var slot = slot
            slot.id = id
            do { try slot.wrap(key, under: wrapping, storeID: storeID) } catch { throw .gcrypt(error, path) }
            return slot
        }
    }

    /// Derives the wrapping key of a new slot.
    func prepare(
        _ target: Slot.Target,
        for credential: KeystoreCredential,
        cost: Argon2Parameters,
        path: String
    ) throws(SecretStoreError) -> Prepared {
        let (kind, secret) = try read(credential)
        if kind == .passphrase, !cost.isSane {
            throw SecretStoreError(code: .invalidSlot, message: "Argon2id with \(cost) is not allowed")
        }
        let slot = Slot(kind: kind, target: target, id: 0, cost: kind == .passphrase ? cost : nil)
        return Prepared(slot: slot, wrapping: try wrappingKey(slot, secret, path: path))
    }

    private func wrappingKey(
        _ slot: Slot,
        _ secret: SecretBytes,
        path: String
    ) throws(SecretStoreError) -> SecretBytes {
        do {
            if slot.kind != .passphrase { return try slot.wrappingKey(from: secret) }
            return try Argon2.derive(secret, salt: slot.salt, slot.cost)
        } catch let error as PasscodeSealerError {
            if error.code == .refusedParameters {
                throw SecretStoreError(code: .damaged, message: error.message, path: path)
            }
            throw SecretStoreError(
                code: .systemFailure,
                message: "the passphrase's key was not derived",
                path: path,
                cause: error
            )
        } catch {
            throw SecretStoreError(
                code: .systemFailure,
                message: "the cryptographic library failed",
                path: path,
                cause: error
            )
        }
    }

    private func read(_ credential: KeystoreCredential) throws(SecretStoreError) -> (Slot.Kind, SecretBytes) {
        switch credential {
        case .passphrase(let secret):
            return (.passphrase, secret)
        case .rawKey(let secret):
            guard secret.count == 32 else {
                throw SecretStoreError(code: .wrongKey, message: "a raw key has 32 bytes")
            }
            return (.rawKey, secret)
        case .keyFile(let path):
            guard let key = try readKeyFile(path) else {
                throw SecretStoreError(code: .keyMissing, message: "the key file is not there", path: path)
            }
            return (.keyFile, key)
        }
    }

    /// Reads a key file; `nil` if there is no such file.
    func readKeyFile(_ path: String) throws(SecretStoreError) -> SecretBytes? {
        do {
            guard try files.status(at: path) != nil else { return nil }
            try FilePlace.demandSafeFolder(path.pathFolder, files)
            let descriptor = OpenDescriptor(try files.open(path, .read), files)
            let status = try files.status(of: descriptor.number)
            try FilePlace.demandPrivate(status, path, user: files.user)
            guard status.size == 32 else {
                throw SecretStoreError(code: .wrongKey, message: "a key file holds 32 bytes", path: path)
            }
            return try SecretBytes(capacity: 32) {
                (output: inout OutputSpan<UInt8>) throws(SystemCallError) in
                try unsafe output.withUnsafeMutableBufferPointer { (buffer, count) throws(SystemCallError) in
                    count = try unsafe files.read(
                        descriptor.number,
                        into: UnsafeMutableRawBufferPointer(buffer),
                        at: 0
                    )
                }
            }
        } catch let error as SystemCallError {
            throw .system(error, path)
        } catch {
            throw error as? SecretStoreError
                ?? SecretStoreError(code: .systemFailure, message: "the key file was not read", path: path)
        }
    }

    /// Makes a key file of 32 random bytes, and syncs it. An existing key file is kept and used.
    func makeKeyFile(_ path: String) throws(SecretStoreError) {
        let place = FilePlace(path: path)
        if try readKeyFile(path) != nil {
            // The process that made the file may have been killed before it synced the folder. So the folder
            // is synced here.
            do { try files.syncFolder(place.folder) } catch { throw .system(error, path) }
            return
        }
        let key = SecretBytes(randomCount: 32)
        // Two processes may make this key file at the same time. Each of them first writes a file with a
        // random name, so neither writes into the other's file.
        let new = "\(path).\(randomBytes(8).map { String($0, radix: 16) }.joined()).new"
        do throws(SystemCallError) {
            try files.makeFolders(place.folder)
            let descriptor = OpenDescriptor(try files.open(new, .createNew), files)
            do throws(SystemCallError) {
                try key.withBytes { (bytes) throws(SystemCallError) in
                    try unsafe bytes.withUnsafeBytes { (bytes) throws(SystemCallError) in
                        try unsafe files.write(descriptor.number, bytes, at: 0)
                    }
                }
                try files.syncData(descriptor.number)
                try moveUnlessThere(new, to: path)
            } catch {
                try? files.unlink(new)
                throw error
            }
            try files.syncFolder(place.folder)
        } catch {
            throw .system(error, path)
        }
    }

    /// Gives a complete key file its final name. So a killed process never leaves a part of a key file under
    /// that name. If another process has made a key file meanwhile, that file is kept.
    private func moveUnlessThere(_ new: String, to path: String) throws(SystemCallError) {
        do throws(SystemCallError) { try files.moveToFreeName(new, to: path) } catch {
            guard error.isThereAlready else { throw error }
            try files.unlink(new)
        }
    }
}
