internal import PortcullisCore
internal import Synchronization

extension GcryptKeystore {
    /// Sets up the anchor's counter if the anchor has one and the store's header names none yet.
    ///
    /// The header is written last. So after a kill the next opening begins the set-up again.
    func setUpCounter() throws(SecretStoreError) {
        guard state.withLock({ $0.view.header.counter }) == 0,
            let counter = configuration.anchors(files).lazy.compactMap(\.counter).first
        else { return }
        let handle = try counter.setUp(for: ring.storeID)
        try whileWriting { (held) throws(SecretStoreError) in
            // The anchor's record with the counter's value is written before the header. The store uses the
            // counter only once the header names it.
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
