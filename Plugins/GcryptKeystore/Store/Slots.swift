public import PortcullisCore
internal import Synchronization

extension GcryptKeystore {
    /// The ways to open the store and, when it is sealed, its `whenUnlocked` class.
    public func slots() async throws(SecretStoreError) -> [KeystoreSlot] {
        try await thread.run { () throws(SecretStoreError) in
            try self.refresh(holdingLock: false)
            return self.state.withLock { $0.view.header.slots.compactMap { KeystoreSlot($0) } }
        }
    }

    /// Adds a way to open the store, without encrypting anything anew.
    ///
    /// - Parameter credential: a key file that is not there is made.
    /// - Returns: the new slot, once it is durable.
    public func addSlot(_ credential: KeystoreCredential) async throws(SecretStoreError) -> KeystoreSlot {
        let (keys, path, ring, cost) = (SlotKeys(files: files), place.path, ring, configuration.argon2)
        let prepared = try await derivations.run { () throws(SecretStoreError) in
            if case .keyFile(let path) = credential { try keys.makeKeyFile(path) }
            return try keys.prepare(.store, for: credential, cost: cost, path: path)
        }
        let made = try await changeHeader { (header: inout HeaderPage) throws(SecretStoreError) in
            try prepared.add(ring.storeKey, to: &header, path: path)
            try header.demandRoom(path)
        }
        guard let slot = made.slots.last.flatMap({ KeystoreSlot($0) }) else {
            throw SecretStoreError(code: .invalidSlot, message: "the slot was not made", path: path)
        }
        return slot
    }

    /// Removes a way to open the store; its wrap is in neither header page afterwards.
    ///
    /// - Throws: `invalidSlot` when there is no such slot, or it is the last one of its purpose.
    public func removeSlot(_ id: UInt32) async throws(SecretStoreError) {
        let path = place.path
        _ = try await changeHeader { (header: inout HeaderPage) throws(SecretStoreError) in
            guard let slot = header.slots.first(where: { $0.id == id && $0.kind != .storeKey }) else {
                throw SecretStoreError(code: .invalidSlot, message: "there is no slot \(id)", path: path)
            }
            guard header.slots.count(where: { $0.target == slot.target && $0.kind != .storeKey }) > 1 else {
                throw SecretStoreError(
                    code: .invalidSlot,
                    message: "the last slot cannot be removed",
                    path: path
                )
            }
            header.slots.removeAll { $0.id == id }
        }
    }

    /// Writes a changed header: the older page, a record in the log, then the other page too.
    private func changeHeader(
        _ change: @escaping @Sendable (inout HeaderPage) throws(SecretStoreError) -> Void
    ) async throws(SecretStoreError) -> HeaderPage {
        try await thread.run { () throws(SecretStoreError) in
            try self.lockFile.whileHeld { () throws(SecretStoreError) in
                try self.prepareToWrite()
                return try self.write(headerChangedBy: change)
            }
        }
    }

    private func write(
        headerChangedBy change: (inout HeaderPage) throws(SecretStoreError) -> Void
    ) throws(SecretStoreError) -> HeaderPage {
        let view = state.withLock { $0.view.head }
        var header = view.header
        header.generation += 1
        try change(&header)
        let page: [UInt8]
        do { page = try header.encoded(ring.headerKey) } catch { throw .gcrypt(error, place.path) }
        let mac = page.slice(Layout.macOffset, 32)
        // Both pages are equal but for a change that was cut short; then the one to go is the one not in force.
        let first = try HeaderPages(files, view.log.descriptor, place.path).indexNotInForce(view.headerMAC)
        try write(page, at: first, view.log)
        state.withLock {
            $0.view.header = header
            $0.view.headerMAC = mac
        }
        var content = FrameContent()
        content.header(generation: header.generation, mac: mac, lastVersion: view.cursor.lastVersion)
        try write(content, over: view)
        try write(page, at: 1 - first, view.log)
        return header
    }

    private func write(_ page: [UInt8], at index: Int, _ log: LogFile) throws(SecretStoreError) {
        do {
            try unsafe page.span.bytes.withUnsafeBytes { (bytes) throws(SystemCallError) in
                try unsafe files.write(
                    log.descriptor.number,
                    bytes,
                    at: UInt64(index * Layout.pageSize)
                )
            }
        } catch {
            throw .system(error, place.path)
        }
        do { try files.syncData(log.descriptor.number) } catch { throw poison(error) }
    }
}
