internal import AdapterKit
internal import LinuxSystem
public import PortcullisCore
internal import Synchronization

extension GcryptKeystore {
    /// Reads one item; see ``/PortcullisCore/SecretStore``.
    public func read(_ name: SecretName) async throws(SecretStoreError) -> StoredSecret? {
        guard let found = try await look({ Place(name, in: $0) }) else { return nil }
        do throws(SecretStoreError) { return try value(of: name, found) } catch {
            // While the class's key is replaced, file and key change one after the other; on the store's queue they
            // belong together. A class that is just locked stays so.
            guard error.code == .damaged || (error.code == .classLocked && !isLocked) else { throw error }
        }
        return try await worker.run { () throws(SecretStoreError) in
            try self.refresh()
            let found = self.state.withLock { Place(name, in: $0.view) }
            return try found.map { (found) throws(SecretStoreError) in try self.value(of: name, found) }
        }
    }

    /// Where an item's value lies, and which of the first class's keys it may be under.
    struct Place: Sendable {
        var log: LogFile
        var entry: ItemIndex.Entry
        var epoch: UInt32

        init?(_ name: SecretName, in view: StoreView) {
            guard let entry = view.index[name] else { return nil }
            self.init(entry, in: view)
        }

        init(_ entry: ItemIndex.Entry, in view: StoreView) {
            self.entry = entry
            log = view.log
            epoch = view.header.classEpoch
        }
    }

    /// The names of all items in a namespace, sorted.
    public func names(in namespace: SecretNamespace) async throws(SecretStoreError) -> [SecretName] {
        // Sorted outside of the lock, so that no other call waits for it.
        let names = try await look { $0.index.names(in: namespace) }
        // They were checked when they came in; a name that fails now would be a bug worth seeing in tests.
        return names.compactMap { try? SecretName($0, in: namespace) }.sorted()
    }

    /// What can be said of the view without asking the system.
    private enum Glance<Value: Sendable>: Sendable {
        /// It holds all that was acknowledged, in the tick of the last look at least.
        case current(Value)
        /// It holds all that was acknowledged if the file has not changed.
        case known(StoreView.Extent, Value)
        /// It is being brought up to date, or the last attempt failed.
        case doubtful
    }

    /// Looks at the view as it is.
    private func glance<Value: Sendable>(
        in tick: UInt64,
        _ body: (StoreView) -> Value
    ) throws(SecretStoreError) -> Glance<Value> {
        try state.withLock { (state) throws(SecretStoreError) in
            if let failure = state.failure { throw failure }
            return switch state.view.freshness.glance(in: tick, { lockFile.sharedNotice }) {
            case .fresh: .current(body(state.view))
            case .look: .known(state.view.extent, body(state.view))
            case .reread: .doubtful
            }
        }
    }

    /// Looks at an up-to-date view, on the caller's thread unless others changed the file.
    private func look<Value: Sendable>(
        _ body: @escaping @Sendable (StoreView) -> Value
    ) async throws(SecretStoreError) -> Value {
        let tick = files.now
        switch try glance(in: tick, body) {
        case .current(let value): return value
        case .known(let extent, let value):
            guard let found = try lookAtFile(extent, value, in: tick, body) else {
                return try await lookOnQueue(body)
            }
            return found
        case .doubtful: return try await lookOnQueue(body)
        }
    }

    /// Looks whether what is known of the file is all there is.
    ///
    /// - Parameters:
    ///   - seen: what `body` makes of what is known.
    ///   - tick: the clock's, before any of it.
    /// - Returns: `nil` where the store's queue has to look.
    private func lookAtFile<Value: Sendable>(
        _ known: StoreView.Extent,
        _ seen: Value,
        in tick: UInt64,
        _ body: (StoreView) -> Value
    ) throws(SecretStoreError) -> Value? {
        // Before the file is looked at, which then holds every write that was counted.
        let before = try lockFile.notice()
        let status = try known.log.datedStatus()
        // What was seen before was current by the time of the `fstat`.
        switch known.freshness.status(status) {
        case .fresh:
            if let seen = known.freshness.seen { note(known, before, seen, in: tick) }
            return seen
        case .reread: return nil
        case .look: break
        }
        let now = files.now
        let (next, readsPreallocated) = known.freshness.bytes(behind: status, at: now, try lockFile.notice())
        if try known.isCurrent(at: status.size, readsPreallocated: readsPreallocated) {
            guard try known.log.statusInPlace() != nil else { return nil }
            note(known, before, next, in: tick)
            return seen
        }
        return state.withLock { state in
            let view = state.view
            // A commit of this process writes before its items may be seen, and holds the lock meanwhile. A
            // commit that has ended since is in the view, with all that was there before it; not so where a
            // refresh failed.
            let isCurrent =
                view.log === known.log && !view.freshness.isDoubtful
                && (view.isWriting || view.cursor.end > known.end)
            return isCurrent ? body(view) : nil
        }
    }

    /// Takes note that what is known of the file was found to be all there is.
    ///
    /// - Parameter before: the notice from before the look.
    private func note(_ known: StoreView.Extent, _ before: LockNotice, _ seen: SeenFile, in tick: UInt64) {
        state.withLock { state in
            guard state.view.log === known.log, state.view.cursor.end == known.end else { return }
            state.view.freshness.found(seen, before: before, in: tick)
        }
    }

    /// Looks on the store's queue too: between two of its jobs another refresh may have taken the index out.
    private func lookOnQueue<Value: Sendable>(
        _ body: @escaping @Sendable (StoreView) -> Value
    ) async throws(SecretStoreError) -> Value {
        try await worker.run { () throws(SecretStoreError) in
            try self.refresh()
            return try self.state.withLock { (state) throws(SecretStoreError) in
                if let failure = state.failure { throw failure }
                return body(state.view)
            }
        }
    }

    /// Opens one value where it lies.
    func value(
        of name: SecretName,
        _ place: Place
    ) throws(SecretStoreError) -> StoredSecret {
        let (log, entry, path) = (place.log, place.entry, place.log.path)
        guard let accessibility = Accessibility(byte: entry.accessibility) else {
            throw .damaged("the item \(name) has no class", path)
        }
        guard let key = ring.sealing(entry.accessibility, epoch: place.epoch) else { throw locked(name) }
        let binding = ValueSeal.binding(ring.storeID, name, entry.accessibility, version: entry.version)
        var failure: SecretStoreError?
        let size = Int(entry.sealedSize)
        let value = unsafe withUnsafeTemporaryAllocation(byteCount: size, alignment: 16) {
            buffer -> SecretBytes? in
            do {
                guard try unsafe files.read(log.descriptor.number, into: buffer, at: entry.offset) == size
                else {
                    return nil
                }
                return try unsafe ValueSeal.open(UnsafeRawBufferPointer(buffer), under: key, binding: binding)
            } catch let error as SystemCallError {
                failure = .system(error, path)
            } catch {
                failure = SecretStoreError(
                    code: .systemFailure,
                    message: "the cryptographic library failed",
                    path: path,
                    cause: error
                )
            }
            return nil
        }
        if let failure { throw failure }
        guard let value else {
            throw .damaged("the value of \(name) does not verify (offset \(entry.offset))", path)
        }
        return StoredSecret(
            value: value,
            version: SecretVersion(entry.version),
            accessibility: accessibility
        )
    }

    func locked(_ name: SecretName) -> SecretStoreError {
        SecretStoreError(code: .classLocked, message: "the class of \(name) is locked", path: place.path)
    }
}
