internal import PortcullisCore

extension SecretStoreProbe {
    func checkSignalsOwnChanges() async throws {
        let item = try name("item")
        let signals = Signals(store.changes(in: space), patience: subject.patience)
        let own = Signals(store.changes(to: item), patience: subject.patience)
        let others = Signals(store.changes(in: otherSpace), patience: .milliseconds(20))
        try await put([1], item)
        try require(await signals.next(), "no signal after a write")
        try require(await own.next(), "no signal to a listener of the item that was written")
        try await expect([1], at: item)
        try await store.remove(item)
        try require(await signals.next(), "no signal after a removal")
        try require(await own.next(), "no signal to a listener of the item that was removed")
        try await expect(nil, at: item)
        if let transactional {
            let value = SecretBytes(copying: [2])
            _ = try await transactional.commit([
                .write(value, to: item, accessibility: .afterFirstUnlock, if: .none)
            ])
            try require(await signals.next(), "no signal after a batch")
            try require(await own.next(), "no signal to a listener of an item of a batch")
        }
        try require(await !others.next(), "a signal in a namespace where nothing changed")
    }

    func checkSignalsMerge() async throws {
        let changes = store.changes(in: space)
        for round in 0..<50 { try await put([UInt8(round)], name("item")) }
        let signals = Signals(changes, patience: subject.patience)
        try require(await signals.next(), "no signal for changes without a listener to yet")
        // A store may signal from another thread, so up to nine late signals are allowed. More signals show
        // that the store does not merge the signals of the fifty changes.
        let briefly = Signals(changes, patience: .milliseconds(20))
        var more = 0
        while more < 10, await briefly.next() { more += 1 }
        try require(more < 10, "signals that were not taken were not merged")
    }

    func checkSignalsOtherOpenings() async throws {
        let item = try name("item")
        let other = try await open()
        let signals = Signals(store.changes(in: space), patience: subject.patience)
        let own = Signals(store.changes(to: item), patience: subject.patience)
        let others = Signals(store.changes(in: otherSpace), patience: .milliseconds(20))
        try await put([1], item, on: other)
        try require(await signals.next(), "no signal after a write through another opening")
        try require(await own.next(), "no signal to a listener of an item that another opening wrote")
        try await expect([1], at: item)
        // No method of `store` is called until the next signal. The stream of `store` must signal the removal
        // nevertheless.
        try await other.remove(item)
        try require(await signals.next(), "no signal after a removal through another opening")
        try require(await own.next(), "no signal to a listener of an item that another opening removed")
        try await expect(nil, at: item)
        try require(await !others.next(), "a signal in a namespace where another opening changed nothing")
    }

    func checkSilentStreamsEnd() async throws {
        let isOver = await firstOf(patience: subject.patience) { [changes = store.changes(in: space)] in
            var iterator = changes.makeAsyncIterator()
            return await iterator.next() == nil
        }
        try require(isOver, "the stream of a store that cannot signal did not end at once")
    }

    func checkOpeningsShare() async throws {
        let item = try name("item")
        let other = try await open()
        let first = try await put([1], item)
        try await expect([1], at: item, version: first, on: other)
        let second = try await put([2], item, if: .version(first), on: other)
        try await expect([2], at: item, version: second)
        let stale = try await outcome(ofWriting: [3], to: item, if: .version(first))
        try requireEqual(stale, .conflict(current: second), "writing over what another opening wrote")

        let probe = self
        let counter = try name("counter")
        try await put(Self.bytes(of: 0), counter)
        _ = try await atOnce(4) { index in
            for _ in 0..<20 { try await probe.increment(counter, on: index % 2 == 0 ? probe.store : other) }
        }
        try await expect(Self.bytes(of: 80), at: counter, on: other)
    }

    func checkSurvivesReopening() async throws {
        let (kept, gone) = (try name("kept"), try name("gone"))
        var old: [SecretVersion] = []
        for _ in 0..<3 { old.append(try await put([4], gone)) }
        let version = try await put([1, 2, 3], kept, as: .whenUnlockedThisDeviceOnly)
        try await store.remove(gone)

        let again = try await open()
        try await expect(
            [1, 2, 3],
            at: kept,
            version: version,
            accessibility: .whenUnlockedThisDeviceOnly,
            on: again
        )
        try await expect(nil, at: gone, on: again)
        for _ in old {
            let new = try await put([5], gone, on: again)
            try require(!old.contains(new), "a version came back after the store was opened again")
        }
    }
}

/// Reads signals, and waits a limited time for each signal.
private struct Signals {
    private let stream: AsyncStream<Void>
    private let patience: Duration

    init(_ stream: AsyncStream<Void>, patience: Duration) {
        self.stream = stream
        self.patience = patience
    }

    func next() async -> Bool {
        await firstOf(patience: patience) { [stream] in
            var iterator = stream.makeAsyncIterator()
            return await iterator.next() != nil
        }
    }
}

/// Returns the result of the work, or `false` if the work takes longer than `patience`.
private func firstOf(patience: Duration, _ work: @escaping @Sendable () async -> Bool) async -> Bool {
    await withTaskGroup(of: Bool.self) { group in
        group.addTask { await work() }
        group.addTask {
            // The limit is in real time, because the store under test runs in real time.
            try? await Task.sleep(for: patience)
            return false
        }
        let first = await group.next() ?? false
        group.cancelAll()
        return first
    }
}
