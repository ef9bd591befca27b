internal import AdapterKit
internal import LinuxSystem
public import PortcullisCore
internal import Synchronization

extension GcryptKeystore {
    /// The slots that open the store. If the `whenUnlocked` class is sealed, also the slots that open this
    /// class.
    public func slots() async throws(SecretStoreError) -> [KeystoreSlot] {
        try await worker.run { () throws(SecretStoreError) in
            try self.refresh()
            return self.state.withLock { $0.view.header.slots.compactMap { KeystoreSlot($0) } }
        }
    }

    /// Finds the slot by which a credential opens the store; `nil` if the credential opens no slot.
    ///
    /// - Throws: the errors of ``open(_:)`` that concern the credential, such as `keyMissing`.
    public func slot(for credential: KeystoreCredential) async throws(SecretStoreError) -> KeystoreSlot? {
        let (keys, path, header) = (SlotKeys(files: files), place.path, try await currentHeader())
        return try await derivations.run { () throws(SecretStoreError) in
            try keys.open(header, .store, with: credential, path: path).flatMap { KeystoreSlot($0.slot) }
        }
    }

    /// Adds a slot that opens the store. The items are not encrypted again.
    ///
    /// - Parameter credential: the credential that opens the slot. A missing key file is made.
    /// - Returns: the new slot, after it has become durable.
    /// - Throws: `invalidSlot` if the header has 32 slots already, including those of the class keys;
    ///   `invalidSlot` if the costs of all passphrase slots of the store would add up to more than 2²⁵;
    ///   `invalidName` for a key file at a path that the store uses for its own files. The cost of a slot is
    ///   its Argon2id memory in KiB times its passes. One slot of 1 GiB and 32 passes costs 2²⁵.
    public func addSlot(_ credential: KeystoreCredential) async throws(SecretStoreError) -> KeystoreSlot {
        let (keys, path, ring, cost) = (SlotKeys(files: files), place.path, ring, configuration.argon2)
        if case .keyFile(let key) = credential { try place.demandForeign(key, files) }
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

    /// Removes a slot. Afterwards neither header page has the slot's wrapped key.
    ///
    /// - Parameters:
    ///   - id: the slot's number, as ``slots()`` returns it.
    ///   - evenIfLast: whether to remove the slot even if it is the last one of its purpose. After that, once
    ///     the store is closed, nothing can open the store or its sealed class again.
    /// - Throws: `invalidSlot` if there is no such slot, or if it is the last one of its purpose and
    ///   `evenIfLast` is false.
    public func removeSlot(_ id: UInt32, evenIfLast: Bool = false) async throws(SecretStoreError) {
        let path = place.path
        _ = try await changeHeader { (header: inout HeaderPage) throws(SecretStoreError) in
            guard let slot = header.slots.first(where: { $0.id == id && $0.kind != .storeKey }) else {
                throw SecretStoreError(code: .invalidSlot, message: "there is no slot \(id)", path: path)
            }
            let others = header.slots.count {
                $0.id != id && $0.target == slot.target && $0.kind != .storeKey
            }
            guard others > 0 || evenIfLast else {
                throw SecretStoreError(
                    code: .invalidSlot,
                    message: "the last slot cannot be removed",
                    path: path
                )
            }
            header.slots.removeAll { $0.id == id }
        }
    }

    /// Writes a changed header: first to the page that is not in force, then as a record in the log, then to
    /// the other page.
    private func changeHeader(
        _ change: @escaping @Sendable (inout HeaderPage) throws(SecretStoreError) -> Void
    ) async throws(SecretStoreError) -> HeaderPage {
        try await worker.run { () throws(SecretStoreError) in
            try self.whileWriting { (held) throws(SecretStoreError) in
                try self.write(held, headerChangedBy: change)
            }
        }
    }

    /// Writes a changed header, with the lock held.
    @discardableResult
    func write(
        _ held: borrowing HeldLock,
        headerChangedBy change: (inout HeaderPage) throws(SecretStoreError) -> Void
    ) throws(SecretStoreError) -> HeaderPage {
        try removeLeftover(held)
        try witnessHeader(held)
        let view = state.withLock { $0.view.head }
        var header = view.header
        try header.advance(place.path)
        try change(&header)
        let page: [UInt8]
        do { page = try header.encoded(ring.headerKey) } catch { throw .gcrypt(error, place.path) }
        let mac = page.slice(Layout.macOffset, 32)
        // After an earlier change that was cut short, the two pages may differ. The page that is not in force
        // is overwritten first. So if this write is cut short, the page in force is whole.
        let first = try HeaderPages(files, view.log.descriptor, place.path).indexNotInForce(view.headerMAC)
        do throws(SecretStoreError) {
            try write(page, at: first, view.log)
            try witness(header, mac, over: view, held)
        } catch {
            try putBack(view, at: first)
            throw error
        }
        state.withLock {
            $0.view.header = header
            $0.view.headerMAC = mac
        }
        do throws(SecretStoreError) { try write(page, at: 1 - first, view.log) } catch {
            // The change is in force by now. The error must tell this, so the store becomes unusable.
            throw poison(error)
        }
        return header
    }

    /// Appends the header record that names the page in force, if the log has no such record yet. The record
    /// is missing if an earlier change of the header was cut short after its page was written. The page is
    /// then one generation ahead of the log. Without this call, a second such change would put the page two
    /// generations ahead.
    func witnessHeader(_ held: borrowing HeldLock) throws(SecretStoreError) {
        let view = state.withLock { $0.view.head }
        guard view.cursor.header?.mac != view.headerMAC else { return }
        try witness(view.header, view.headerMAC, over: view, held)
    }

    /// Appends the header record that names the page in force.
    private func witness(
        _ header: HeaderPage,
        _ mac: [UInt8],
        over view: StoreView,
        _ held: borrowing HeldLock
    ) throws(SecretStoreError) {
        var content = FrameContent()
        content.header(generation: header.generation, mac: mac, lastVersion: view.cursor.lastVersion)
        try write(content, over: view, held)
    }

    /// Writes the old page back after a failed change. Without this the change could appear when the store is
    /// opened again.
    private func putBack(_ view: StoreView, at index: Int) throws(SecretStoreError) {
        // After a failed sync the store is unusable, and the page on disk is unknown. So nothing is written
        // over it.
        if state.withLock({ $0.failure }) != nil { return }
        do throws(SecretStoreError) {
            let page: [UInt8]
            do { page = try view.header.encoded(ring.headerKey) } catch { throw .gcrypt(error, place.path) }
            try write(page, at: index, view.log)
        } catch {
            throw poison(error)
        }
    }

    func write(_ page: [UInt8], at index: Int, _ log: LogFile) throws(SecretStoreError) {
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
