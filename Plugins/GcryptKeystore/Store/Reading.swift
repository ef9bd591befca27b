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
            try self.refresh(holdingLock: false)
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
        case beingRefreshed
    }

    /// Looks at the view as it is.
    private func glance<Value: Sendable>(
        in tick: UInt64,
        _ body: (StoreView) -> Value
    ) throws(SecretStoreError) -> Glance<Value> {
        try state.withLock { (state) throws(SecretStoreError) in
            if let failure = state.failure { throw failure }
            guard !state.isRefreshing else { return .beingRefreshed }
            let value = body(state.view)
            // Every write is counted. What changes without one, as where a file is put in this one's place,
            // is seen with the next tick.
            if state.view.looked == tick, !state.view.isDoubtful, let writes = state.view.writes,
                lockFile.isUnchanged(since: writes)
            {
                return .current(value)
            }
            return .known(state.view.extent, value)
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
        case .beingRefreshed: return try await lookOnQueue(body)
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
        // What was seen before was current by the time of the `fstat`. With a second name the file may have lost its place
        // without losing its last link: the store's queue looks.
        guard status.links == 1 else { return nil }
        if let last = known.seen, last.isSettled, last.isSame(status) {
            note(known, before, last, in: tick)
            return seen
        }
        let now = files.now
        let notice = try lockFile.notice()
        var next = follow(known.seen, status, at: now, notice)
        let others = notice.hasOthers(since: known.writes) && notice.hasOthers(since: next.writes)
        if try known.isCurrent(at: status.size, others: others) {
            guard try known.log.statusInPlace() != nil else { return nil }
            next.writes = notice.writes
            note(known, before, next, in: tick)
            return seen
        }
        return state.withLock { state in
            let view = state.view
            // A commit of this process writes before its items may be seen, and holds the lock meanwhile. A
            // commit that has ended since is in the view, with all that was there before it; not so where a
            // refresh failed.
            let isCurrent =
                !state.isRefreshing && view.log === known.log && !view.isDoubtful
                && (view.isWriting || view.cursor.end > known.end)
            return isCurrent ? body(view) : nil
        }
    }

    /// Takes note that what is known of the file was found to be all there is.
    ///
    /// - Parameter before: the notice from before the look.
    private func note(
        _ known: StoreView.Extent,
        _ before: FileLock.Notice,
        _ seen: StoreView.Seen,
        in tick: UInt64
    ) {
        state.withLock { state in
            guard state.view.log === known.log, state.view.cursor.end == known.end else { return }
            state.view.seen = seen
            guard before.note == .settled else { return }
            state.view.writes = before.writes
            state.view.looked = tick
        }
    }

    /// What is to be remembered of the file, if it turns out to hold no more than was read.
    ///
    /// - Parameters:
    ///   - now: read after `fstat`.
    ///   - notice: read after the clock and before the look at the file's bytes. Where it is `settled`, that
    ///     look finds the bytes of every write that was begun before the clock was read.
    private func follow(
        _ last: StoreView.Seen?,
        _ status: FileStatus,
        at now: UInt64,
        _ notice: FileLock.Notice
    ) -> StoreView.Seen {
        guard var next = last, next.isSame(status) else { return StoreView.Seen(status, since: now) }
        // A file has the time of a write before its bytes, and the writer may be held up in between. Where
        // the notice says that no write is under way, the bytes are where they will be looked for.
        next.isSettled = next.isPast(at: now) && notice.note == .settled
        return next
    }

    /// Looks on the store's queue too: between two of its jobs another refresh may have taken the index out.
    private func lookOnQueue<Value: Sendable>(
        _ body: @escaping @Sendable (StoreView) -> Value
    ) async throws(SecretStoreError) -> Value {
        try await worker.run { () throws(SecretStoreError) in
            try self.refresh(holdingLock: false)
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
