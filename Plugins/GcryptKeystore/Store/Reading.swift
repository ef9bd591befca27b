internal import AdapterKit
internal import LinuxSystem
public import PortcullisCore
internal import Synchronization

extension GcryptKeystore {
    /// Reads one item; see ``/PortcullisCore/SecretStore``.
    public func read(_ name: SecretName) async throws(SecretStoreError) -> StoredSecret? {
        guard let found = try await look({ Place(name, in: $0) }) else { return nil }
        do throws(SecretStoreError) { return try value(of: name, found) } catch {
            // While a class key is replaced, the file changes first and the key in memory changes second. A
            // read between these two changes may fail with `damaged` or `classLocked`. A job on the store's
            // queue sees both changes, so the item is read again there. If the class is locked, a second
            // read would fail too, so the error is thrown at once.
            guard error.code == .damaged || (error.code == .classLocked && !isLocked) else { throw error }
        }
        return try await worker.run { () throws(SecretStoreError) in
            try self.refresh()
            let found = self.state.withLock { Place(name, in: $0.view) }
            return try found.map { (found) throws(SecretStoreError) in try self.value(of: name, found) }
        }
    }

    /// Reads several items as they are at one moment; see ``/PortcullisCore/TransactionalSecretStore``.
    public func read(_ names: [SecretName]) async throws(SecretStoreError) -> [StoredSecret?] {
        let found = try await look { view in names.map { Place($0, in: view) } }
        do throws(SecretStoreError) { return try values(of: names, found) } catch {
            // As in the reading of one item, a class key may be replaced at this moment. So the items are
            // read again on the store's queue.
            guard error.code == .damaged || (error.code == .classLocked && !isLocked) else { throw error }
        }
        return try await worker.run { () throws(SecretStoreError) in
            try self.refresh()
            let found = self.state.withLock { state in names.map { Place($0, in: state.view) } }
            return try self.values(of: names, found)
        }
    }

    private func values(
        of names: [SecretName],
        _ places: [Place?]
    ) throws(SecretStoreError) -> [StoredSecret?] {
        var items: [StoredSecret?] = []
        for (name, place) in zip(names, places) {
            items.append(try place.map { (place) throws(SecretStoreError) in try value(of: name, place) })
        }
        return items
    }

    /// The place of an item's value in the file, and the class epoch of the key that opens the value. The
    /// epoch distinguishes this key from earlier keys of the class.
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
        // The names are sorted after the state's mutex is released, so that no other call waits for the
        // sorting.
        let names = try await look { $0.index.names(in: namespace) }
        // The names were checked when they were read from the file, so none fails here.
        return names.compactMap { try? SecretName($0, in: namespace) }.sorted()
    }

    /// The result of a check whether a `StoreView` is current. The check makes no system call.
    private enum Glance<Value: Sendable>: Sendable {
        /// The view is current. In this tick of the clock (``KeystoreFiles/now``), a check of the file found
        /// every acknowledged write in the view. No other write has begun since that check.
        case current(Value)
        /// The view is current if the file has not changed since the view was last found to be current.
        case known(StoreView.Extent, Value)
        /// The view is being updated, or the last update failed.
        case doubtful
    }

    /// Checks without a system call whether the view is current, and reads the view with `body`.
    private func glance<Value: Sendable>(
        in tick: UInt64,
        _ body: (StoreView) -> Value
    ) throws(SecretStoreError) -> Glance<Value> {
        try state.withLock { (state) throws(SecretStoreError) in
            if let failure = state.failure { throw failure }
            return switch state.view.freshness.glance(in: tick, { lockFile.sharedNotice(in: tick) }) {
            case .fresh: .current(body(state.view))
            case .look: .known(state.view.extent, body(state.view))
            case .reread: .doubtful
            }
        }
    }

    /// Reads an up-to-date view. The read runs on the store's queue if another process changed the file, and
    /// otherwise on the caller's thread.
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

    /// Checks whether the view holds all that is in the file.
    ///
    /// - Parameters:
    ///   - seen: the value of `body` for the known view.
    ///   - tick: the tick of the clock that was read before the view.
    /// - Returns: the value for an up-to-date view; `nil` if the store's queue has to read the file.
    private func lookAtFile<Value: Sendable>(
        _ known: StoreView.Extent,
        _ seen: Value,
        in tick: UInt64,
        _ body: (StoreView) -> Value
    ) throws(SecretStoreError) -> Value? {
        // The notice has the number of begun writes. The notice is read before the file. A write that begins
        // between the two reads is not in that number. So a later check finds this write.
        let before = try lockFile.notice()
        let status = try known.log.datedStatus()
        // If the status is unchanged, the known view was current at the time of the `fstat`.
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
            // The file may differ from the known view because of a commit of this process. In that case the
            // present view can be used: it has every acknowledged item, and after the commit also the new
            // ones. A doubtful view is not used, because it may lack acknowledged items after a failed
            // refresh.
            let isCurrent =
                view.log === known.log && !view.freshness.isDoubtful
                && (view.isWriting || view.cursor.end > known.end)
            return isCurrent ? body(view) : nil
        }
    }

    /// Notes that the view was found to hold all that is in the file.
    ///
    /// - Parameter before: the notice that was read before the check.
    private func note(_ known: StoreView.Extent, _ before: LockNotice, _ seen: SeenFile, in tick: UInt64) {
        state.withLock { state in
            guard state.view.log === known.log, state.view.cursor.end == known.end else { return }
            state.view.freshness.found(seen, before: before, in: tick)
        }
    }

    /// Refreshes the view and reads it in the same job of the store's queue. After the job, another refresh
    /// may run, and the view has no index during a refresh. A read outside of the queue would then find no
    /// items.
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

    /// Reads one value from its place in the file, and opens it.
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
