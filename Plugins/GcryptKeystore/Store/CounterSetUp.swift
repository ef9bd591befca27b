internal import PortcullisCore
internal import Synchronization

extension GcryptKeystore {
    /// Sets up the counter of the anchor, if the anchor has a counter that the store's header does not name
    /// yet.
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
}
