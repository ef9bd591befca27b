internal import AdapterKit
internal import Gcrypt
internal import LinuxSystem
public import PortcullisCore
internal import Synchronization

/// A commit that waits in the queue.
struct CommitRequest: Sendable {
    var changes: [SecretChange]
    /// The upper bound of the bytes that the commit adds to a frame.
    var size: Int
    var continuation: CheckedContinuation<Result<Decision, SecretStoreError>, Never>
    let preparation = PreparedCommit.Handover()
}

extension GcryptKeystore {
    /// Writes one item; see ``/PortcullisCore/SecretStore``.
    public func write(
        _ value: SecretBytes,
        to name: SecretName,
        accessibility: Accessibility,
        if precondition: WritePrecondition
    ) async throws(SecretStoreError) -> WriteOutcome {
        switch try await commit([.write(value, to: name, accessibility: accessibility, if: precondition)]) {
        case .committed(let versions):
            guard let version = versions.first ?? nil else {
                throw SecretStoreError(
                    code: .systemFailure,
                    message: "a write got no version",
                    path: place.path
                )
            }
            return .written(version)
        case .conflict(let conflicts): return .conflict(current: conflicts[name] ?? nil)
        }
    }

    /// Removes one item. The item's bytes leave the file at the next compaction.
    ///
    /// See ``/PortcullisCore/SecretStore``.
    public func remove(
        _ name: SecretName,
        if precondition: WritePrecondition
    ) async throws(SecretStoreError) -> RemoveOutcome {
        let decision = try await decide([.remove(name, if: precondition)])
        switch decision.outcome {
        case .committed: return decision.removed > 0 ? .removed : .absent
        case .conflict(let conflicts): return .conflict(current: conflicts[name] ?? nil)
        }
    }

    /// Makes all changes or none; see ``/PortcullisCore/TransactionalSecretStore``.
    public func commit(_ changes: [SecretChange]) async throws(SecretStoreError) -> CommitOutcome {
        guard !changes.isEmpty else { return .committed([]) }
        return try await decide(changes).outcome
    }

    private func decide(_ changes: [SecretChange]) async throws(SecretStoreError) -> Decision {
        guard changes.count == 1 || Set(changes.map(\.name)).count == changes.count else {
            throw SecretStoreError(code: .invalidName, message: "a name occurs twice in a batch")
        }
        var size = BatchSize()
        for case .remove(let name, _) in changes { size.add(name) }
        for case .write(let value, let name, _, _) in changes {
            size.add(name, value: value.count)
            guard value.count <= Layout.largestValue else {
                throw SecretStoreError(
                    code: .tooLarge,
                    message: "the value of \(name) is too large",
                    path: place.path
                )
            }
        }
        guard size.bytes <= configuration.batchLimit else {
            throw SecretStoreError(code: .tooLarge, message: "the batch is too large", path: place.path)
        }
        let result = await withCheckedContinuation {
            (continuation: CheckedContinuation<Result<Decision, SecretStoreError>, Never>) in
            let request = CommitRequest(changes: changes, size: size.bytes, continuation: continuation)
            let isFirst = requests.withLock { requests in
                requests.append(request)
                return requests.count == 1
            }
            // Only the first waiting request starts a job. The job also commits requests that come before it
            // runs.
            guard isFirst else { return }
            worker.enqueue { self.drain() }
            // The queue's thread takes time to wake up. Meanwhile this thread prepares the commit. After a
            // while without a commit, the processor's caches lack the paths' data. In that case this thread
            // also looks the paths up. `Benchmarks/README.md` has the times.
            if lastCommit.load(ordering: .relaxed) != files.now {
                files.prefetch(place.lock, place.path)
            }
            if size.bytes <= PreparedCommit.largest {
                request.preparation.commit = PreparedCommit(changes, state, ring, place.path)
            }
        }
        return try result.get()
    }

    /// Commits the waiting requests, in one frame.
    ///
    /// This runs on the store's queue.
    private func drain() {
        let (waiting, isMore) = requests.withLock { requests in
            // As many requests are taken as fit the configured limit, and at least one.
            var size = 0
            let count = max(
                1,
                requests.prefix {
                    size += $0.size; return size <= configuration.batchLimit
                }.count
            )
            let taken = Array(requests.prefix(count))
            requests.removeFirst(taken.count)
            return (taken, !requests.isEmpty)
        }
        if isMore { worker.enqueue { self.drain() } }
        var isWorthCompacting = false
        do throws(SecretStoreError) {
            try whileWriting { (held) throws(SecretStoreError) in
                let results = try self.append(waiting, held)
                // The callers get their results here, so that they do not wait for the rest of the work under
                // the lock.
                for (request, result) in zip(waiting, results) {
                    request.continuation.resume(returning: result)
                }
            }
            isWorthCompacting = state.withLock { state in
                let failed = state.compaction?.deadBytes ?? 0
                return state.view.deadBytes > max(state.view.index.liveBytes, 64 * 1024, 2 * failed)
            }
        } catch {
            // An error can be thrown only before the first request gets its result. So no request has a
            // result yet, and all of them get the error.
            for request in waiting { request.continuation.resume(returning: .failure(error)) }
        }
        lastCommit.store(files.now, ordering: .relaxed)
        if isWorthCompacting { compactByItself() }
    }

    /// Compacts the store after commits that are durable already. An error is kept in
    /// ``lastCompactionFailure``.
    ///
    /// A compaction writes the whole store. If a failed compaction were repeated after each commit, every
    /// commit would take as long as a compaction. So it is not repeated after each commit.
    private func compactByItself() {
        let deadBytes = state.withLock { $0.view.deadBytes }
        do throws(SecretStoreError) {
            try compactNow()
            state.withLock { $0.compaction = nil }
        } catch {
            state.withLock { $0.compaction = (error, deadBytes) }
        }
    }

    /// Decides each commit, and appends the changes of the accepted commits as one frame.
    private func append(
        _ requests: [CommitRequest],
        _ held: borrowing HeldLock
    ) throws(SecretStoreError) -> [Result<Decision, SecretStoreError>] {
        let view = state.withLock { $0.view.head }
        if requests.count == 1, let prepared = requests[0].preparation.commit, prepared.fits(view, ring) {
            try write(prepared.content, prepared.frame, over: view, held)
            return [.success(prepared.decision)]
        }
        var draft = CommitDraft(
            lastVersion: view.cursor.lastVersion,
            ring: ring,
            epoch: view.header.classEpoch,
            path: place.path
        ) { name in
            self.state.withLock { $0.view.index[name]?.version }
        }
        let results = requests.map { draft.decide($0.changes) }
        if !draft.content.isEmpty { try write(draft.content, over: view, held) }
        return results
    }

    /// Makes a frame, appends it, syncs it and updates the view.
    func write(
        _ content: FrameContent,
        over view: StoreView,
        _ held: borrowing HeldLock
    ) throws(SecretStoreError) {
        try write(content, view.frame(of: content), over: view, held)
    }

    /// Appends a frame with this content, syncs it and updates the view.
    private func write(
        _ content: FrameContent,
        _ frame: [UInt8],
        over view: StoreView,
        _: borrowing HeldLock
    ) throws(SecretStoreError) {
        let file = view.log.descriptor.number
        state.withLock { $0.view.isWriting = true }
        do {
            try unsafe frame.span.bytes.withUnsafeBytes { (bytes) throws(SystemCallError) in
                try unsafe files.write(file, bytes, at: view.cursor.end)
            }
        } catch {
            // The file is cut back to the end of its last frame. If that fails too, the partial frame is an
            // unfinished tail.
            let isCut = (try? files.truncate(file, to: view.cursor.end)) != nil
            // The cut also freed the preallocated space, which is now taken back. Smaller commits, such as
            // the count of a passcode's tries, need this space when the disk is full. If other programs have
            // taken the space meanwhile, the store has no preallocated space.
            if isCut { try? writeZeros(view, from: view.cursor.end, to: view.size) }
            state.withLock { $0.view.isWriting = false }
            throw .system(error, place.path)
        }
        let size = preallocate(view, behind: view.cursor.end + UInt64(frame.count))
        do { try files.syncData(file) } catch { throw poison(error) }
        take(frame, content, over: view.cursor.end, size)
        witness(for: content.reason)
    }

    /// If the last frame made the file grow, extends the file with zeros beyond its frames. A later write
    /// into these zeros does not change the file's size. So the sync of that write has no new size to write.
    ///
    /// The zeros are written to the disk. With a hole, the file system would allocate the blocks at a later
    /// write. The zeros are written after the frame, so that they never take the space that the frame needs.
    ///
    /// - Returns: the file's new size in bytes.
    private func preallocate(_ view: StoreView, behind end: UInt64) -> UInt64 {
        guard end > view.size else { return view.size }
        let step = min(max(end / 8, Layout.leastGrowth), configuration.growth)
        let size = (end + step) / Layout.growthUnit * Layout.growthUnit
        guard size > end else { return end }
        do throws(SystemCallError) {
            try writeZeros(view, from: end, to: size)
            return size
        } catch {
            // The frame was written before, so the failure has no effect on it. The zeros written so far are
            // preallocated space.
            return end
        }
    }

    private func writeZeros(
        _ view: StoreView,
        from end: UInt64,
        to size: UInt64
    ) throws(SystemCallError) {
        guard size > end else { return }
        let zeros = [UInt8](repeating: 0, count: Int(min(size - end, 1 << 20)))
        try unsafe zeros.span.bytes.withUnsafeBytes { (bytes) throws(SystemCallError) in
            for start in stride(from: end, to: size, by: bytes.count) {
                let count = min(bytes.count, Int(size - start))
                try unsafe files.write(
                    view.log.descriptor.number,
                    UnsafeRawBufferPointer(rebasing: bytes[..<count]),
                    at: start
                )
            }
        }
    }

    private func take(_ frame: [UInt8], _ content: FrameContent, over start: UInt64, _ size: UInt64) {
        let values = frame.count - SealingKey.tagSize - content.values.count
        state.withLock { state in
            state.view.cursor.lastTag = Array(frame.suffix(SealingKey.tagSize))
            state.view.cursor.end = start + UInt64(frame.count)
            state.view.cursor.sequence += 1
            state.view.cursor.frames += 1
            state.view.size = size
            state.view.isWriting = false
            for record in content.records {
                state.view.cursor.note(record)
                state.view.index.apply(record, values: start + UInt64(values))
            }
        }
        // If there is no listener, no signal is needed: the view has the changes already, and a listener that
        // is added now finds them with its first read.
        if signals.isHeard { signals.signal(Set(content.records.compactMap(\.name))) }
    }
}
