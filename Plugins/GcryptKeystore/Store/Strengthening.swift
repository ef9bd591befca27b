internal import AdapterKit
public import PortcullisCore
internal import Synchronization

extension GcryptKeystore {
    /// The error of the last attempt to strengthen a passphrase slot; `nil` after a success, or without an
    /// attempt.
    ///
    /// Strengthening wraps the slot's key again with the configuration's ``KeystoreConfiguration/argon2``.
    /// After a failed attempt the slot stays usable. The attempt is repeated each time a credential opens the
    /// slot.
    public var lastStrengtheningFailure: SecretStoreError? { state.withLock { $0.strengtheningFailure } }

    /// How long strengthening waits for the lock. Other writers must not delay an opening for longer.
    private static let patience: Duration = .milliseconds(500)

    /// Strengthens the slot that opened the store: its key is wrapped again with the configuration's cost.
    /// This runs on the store's queue.
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

    /// Strengthens a slot that was opened later, such as a recovery slot: its key is wrapped again with the
    /// configuration's cost.
    ///
    /// - Throws: `durabilityUnknown`, which every later call throws too. Other errors are only kept in
    ///   ``lastStrengtheningFailure``.
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

    /// Replaces a slot by one with a newly wrapped key. Afterwards neither header page has the old wrapped
    /// key.
    private func exchange(
        _ old: Slot,
        for new: SlotKeys.Prepared,
        holding key: SecretBytes
    ) throws(SecretStoreError) {
        try whileWriting(within: Self.patience) { (held) throws(SecretStoreError) in
            // Another process may have removed or strengthened the slot during the derivation. In that case
            // nothing is left to do.
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
