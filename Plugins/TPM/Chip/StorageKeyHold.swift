/// A storage key that is ready for use, and what has to be done afterwards.
struct StorageKeyHold {
    /// Where this library keeps the owner's storage key, in the range that is the owner's by the TCG's registry.
    static let handle: UInt32 = 0x8150_5443

    let key: Chip.StorageKey
    /// Whether it is loaded for this task only.
    private let isTransient: Bool

    /// The key that is kept in the chip, or the same one made anew where it is not.
    ///
    /// Making it anew takes the owner's authorization to be empty; it is the same key until the chip is cleared.
    ///
    /// - Parameters:
    ///   - name: what it has to be called; `nil`: whatever the chip has.
    ///   - keeps: whether it is to be kept in the chip from now on.
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
                // The chip keeps only so many keys: it is made anew each time then, which takes longer.
            }
        }
        (key, isTransient) = (made, true)
    }

    /// Whether a key that is kept is the one that is asked for. A key that another program keeps under the handle is not
    /// used for new seals.
    private static func isOwners(_ kept: Chip.StorageKey, _ name: [UInt8]?, _ chip: Chip) throws(ChipFailure)
        -> Bool
    {
        if let name { return kept.entity.name == name }
        let made = try chip.makeStorageKey()
        defer { try? chip.flush(made.entity.handle) }
        return made.entity.name == kept.entity.name
    }

    /// Gives the key back.
    func release(to chip: Chip) {
        if isTransient { try? chip.flush(key.entity.handle) }
    }

    /// Takes the key that is kept out of the chip, if it is the owner's.
    static func remove(from chip: Chip) throws(ChipFailure) {
        guard let kept = try chip.storageKey(at: handle), try isOwners(kept, nil, chip) else { return }
        try chip.evict(kept.entity, at: handle)
    }
}

extension Chip.StorageKey {
    /// A key under the handle where it is kept.
    fileprivate init(kept key: Self, at handle: UInt32) throws(ChipFailure) {
        entity = Chip.Entity(handle, name: key.entity.name)
        (x, y) = (key.x, key.y)
    }
}
