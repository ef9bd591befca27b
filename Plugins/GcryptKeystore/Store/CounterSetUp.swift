internal import AdapterKit
public import PortcullisCore
internal import Synchronization

extension GcryptKeystore {
    /// Sets up the counter of the anchor. If the store's header names a counter already, or no anchor has
    /// one, nothing is changed.
    ///
    /// The header is written last. So after a kill the next opening begins the set-up again.
    func setUpCounter() throws(SecretStoreError) {
        guard state.withLock({ $0.view.header.counter }) == 0,
            let counter = configuration.anchors(files).lazy.compactMap(\.counter).first
        else { return }
        try whileWriting { (held) throws(SecretStoreError) in
            // Another process may have set the counter up while this one waited for the lock.
            guard state.withLock({ $0.view.header.counter }) == 0 else { return }
            let handle = try counter.setUp(for: ring.storeID)
            // The store uses the counter as soon as the header names it, and then needs the counter's value
            // in the anchor's record. So the anchor's record is written before the header is written.
            var marked = state.withLock { $0.view.head }
            marked.header.counter = handle
            for anchor in configuration.anchors(files) where anchor.counter != nil {
                try Anchor(port: anchor, ring: ring).note(marked, for: .setUp)
            }
            try self.write(held) { (header: inout HeaderPage) throws(SecretStoreError) in
                header.counter = handle
            }
        }
    }

    /// Makes the store forget the counter that its anchor has set up.
    ///
    /// An anchor with a counter refuses a store for good if the anchor's record or counter is gone, or if an
    /// older copy of the store was restored. Only this method makes the store usable with the anchor again:
    ///
    /// - Open the store without the anchor, and call this method.
    /// - If the anchor's record is later than the store, as after a restore, remove the record.
    /// - Open the store with the anchor. This opening sets the counter up again.
    ///
    /// Until the counter is set up again, an older copy of the store and the record is accepted. A copy of
    /// the store from that time is also accepted later, once the record is removed. A store that uses no
    /// counter is not changed.
    ///
    /// - Throws: the errors of a change of the slots, such as `diskFull`.
    public func forgetCounter() async throws(SecretStoreError) {
        try await worker.run { () throws(SecretStoreError) in
            try self.whileWriting { (held) throws(SecretStoreError) in
                guard self.state.withLock({ $0.view.header.counter }) != 0 else { return }
                try self.write(held) { (header: inout HeaderPage) throws(SecretStoreError) in
                    header.counter = 0
                }
            }
        }
    }
}
