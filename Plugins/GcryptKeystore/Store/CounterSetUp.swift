internal import PortcullisCore
internal import Synchronization

extension GcryptKeystore {
    /// Sets up the counter of the anchor, where it has one and the store is not marked yet: the mark is made last, so that a
    /// kill leaves a store that begins again.
    func setUpCounter() throws(SecretStoreError) {
        guard state.withLock({ $0.view.header.counter }) == 0,
            let counter = configuration.anchors(files).lazy.compactMap(\.counter).first
        else { return }
        let handle = try counter.setUp(for: ring.storeID)
        try whileWriting { (held) throws(SecretStoreError) in
            // First the record, which the mark asks for; until then the store stands without a counter.
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
