internal import AdapterKit
public import PortcullisCore
internal import Synchronization

extension GcryptKeystore {
    /// Why a passphrase's slot that is weaker than the configuration's ``KeystoreConfiguration/argon2`` was not wrapped
    /// anew when it was opened last; `nil` when it was, or had no need.
    ///
    /// The slot opens the store as before. It is tried again each time it is opened.
    public var lastStrengtheningFailure: SecretStoreError? { state.withLock { $0.strengtheningFailure } }

    /// How long a slot waits to be strengthened: opening must not stand still because others write.
    private static let patience: Duration = .milliseconds(500)

    /// Gives the slot that opened the store today's numbers. On the store's queue.
    func strengthen(_ opened: StoreOpener.Opened, _ opener: StoreOpener) throws(SecretStoreError) {
        guard let slot = opened.slot, slot.isWeaker(than: configuration.argon2) else { return }
        let stronger = try SlotKeys(files: files).prepare(
            slot.target,
            for: opener.configuration.credential,
            cost: configuration.argon2,
            path: place.path
        )
        try exchange(slot, for: stronger, holding: opened.ring.storeKey)
    }

    /// Gives a slot that was opened later on, such as a recovery slot, today's numbers.
    ///
    /// - Throws: `durabilityUnknown`, which every later call throws too; other failures are noted only.
    func strengthen(
        _ opened: SlotKeys.Opened,
        with credential: KeystoreCredential
    ) async throws(SecretStoreError) {
        let (slots, path, cost) = (SlotKeys(files: files), place.path, configuration.argon2)
        guard opened.slot.isWeaker(than: cost) else { return }
        var failure: SecretStoreError?
        do throws(SecretStoreError) {
            let stronger = try await derivations.run { () throws(SecretStoreError) in
                try slots.prepare(opened.slot.target, for: credential, cost: cost, path: path)
            }
            try await worker.run { () throws(SecretStoreError) in
                try self.exchange(opened.slot, for: stronger, holding: opened.key)
            }
        } catch {
            failure = error
        }
        state.withLock { [failure] in $0.strengtheningFailure = failure }
        if let failure, failure.code == .durabilityUnknown { throw failure }
    }

    /// Puts a slot's new wrap in the place of the old one, of which neither header page keeps anything.
    private func exchange(
        _ old: Slot,
        for new: SlotKeys.Prepared,
        holding key: SecretBytes
    ) throws(SecretStoreError) {
        try whileWriting(within: Self.patience) { (held) throws(SecretStoreError) in
            // While the new wrap was derived another process may have removed the slot, or strengthened it.
            guard self.state.withLock({ $0.view.header.slots.contains(old) }) else { return }
            try self.write(
                held,
                headerChangedBy: { (header: inout HeaderPage) throws(SecretStoreError) in
                    try new.replace(old, holding: key, in: &header, path: self.place.path)
                    try header.demandRoom(self.place.path)
                }
            )
        }
    }
}
