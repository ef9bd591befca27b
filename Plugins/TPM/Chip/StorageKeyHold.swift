internal import PortcullisCore

/// A storage key that is ready for use, and whether it has to be flushed afterwards.
struct StorageKeyHold {
    /// The handle under which this library keeps the owner's storage key. The TCG's registry assigns the
    /// range of this handle to the chip's owner.
    static let handle: UInt32 = 0x8150_5443

    let key: Chip.StorageKey
    /// Whether the key is loaded for this task only.
    private let isTransient: Bool

    /// If the key that is kept in the chip is the wanted one, that key is used. If not, the key is made. The
    /// result is `nil` if the made key has another Name than the expected one.
    ///
    /// Making the key needs an empty owner authorization. The chip derives the same key each time, until the
    /// chip is cleared.
    ///
    /// - Parameters:
    ///   - name: the Name that the key must have; `nil` for the owner's key, whatever its Name is.
    ///   - keeps: whether a newly made key becomes persistent in the chip, if the chip has memory for the
    ///     key.
    init?(in chip: Chip, named name: [UInt8]? = nil, keeps: Bool = false) throws(ChipFailure) {
        if let kept = try chip.storageKey(at: Self.handle), try Self.isOwners(kept, name, chip) {
            (key, isTransient) = (kept, false)
            return
        }
        let made = try chip.makeStorageKey()
        guard name == nil || made.entity.name == name else {
            try? chip.flush(made.entity.handle)
            return nil
        }
        if keeps {
            do throws(ChipFailure) {
                try chip.evict(made.entity, at: Self.handle)
                try? chip.flush(made.entity.handle)
                key = try Chip.StorageKey(kept: made, at: Self.handle)
                isTransient = false
                return
            } catch {
                // A chip has memory for a few persistent keys only. Without free memory the key is made for
                // each task, which takes longer.
            }
        }
        (key, isTransient) = (made, true)
    }

    /// Whether the persistent key is the wanted one. If a Name is given, the key must have that Name. If no
    /// Name is given, the key must be the owner's key. Another program may keep a key under the handle, and
    /// new seals must not use that key.
    private static func isOwners(_ kept: Chip.StorageKey, _ name: [UInt8]?, _ chip: Chip) throws(ChipFailure)
        -> Bool
    {
        if let name { return kept.entity.name == name }
        let made = try chip.makeStorageKey()
        defer { try? chip.flush(made.entity.handle) }
        return made.entity.name == kept.entity.name
    }

    /// Flushes the key if it is loaded for this task only.
    func release(to chip: Chip) {
        if isTransient { try? chip.flush(key.entity.handle) }
    }

    /// Removes the persistent key from the chip, if it is the owner's storage key.
    static func remove(from chip: Chip) throws(ChipFailure) {
        guard let kept = try chip.storageKey(at: handle), try isOwners(kept, nil, chip) else { return }
        do throws(ChipFailure) { try chip.evict(kept.entity, at: handle) } catch {
            // Another process may have removed the key meanwhile.
            guard error.isNoSuchHandle else { throw error }
        }
    }
}

extension Chip {
    /// Carries out a task. If a command of the task does not find the storage key, the task is carried out
    /// once more.
    ///
    /// The kept storage key is removed from the chip together with the last passcode. A task for another
    /// store may have found the key before its removal. That task fails once, and makes the key in its second
    /// run. All commands that name the key come before a passcode is tried, so no try is counted twice.
    func carryOut<Value, E: Error>(_ task: (Chip) throws(E) -> Value) throws(E) -> Value {
        do throws(E) { return try task(self) } catch {
            let failure = error as? ChipFailure ?? (error as? PasscodeSealerError)?.cause as? ChipFailure
            guard failure?.isWithoutStorageKey == true else { throw error }
            return try task(self)
        }
    }
}

extension ChipFailure {
    /// Whether a command that names the storage key has not found the key.
    fileprivate var isWithoutStorageKey: Bool {
        let naming: [Chip.Command] = [.startSession, .create, .load]
        return isNoSuchHandle && naming.contains { command == "\($0)" }
    }
}

extension Chip.StorageKey {
    /// Makes a copy of the key's description that refers to the key by its persistent handle.
    fileprivate init(kept key: Self, at handle: UInt32) throws(ChipFailure) {
        entity = Chip.Entity(handle, name: key.entity.name)
        (x, y) = (key.x, key.y)
    }
}
