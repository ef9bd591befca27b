internal import PortcullisCore
internal import Synchronization

extension SecretStoreProbe {
    func checkDamageIsAnError() async throws {
        guard let damage = place.damage else { return }
        let item = try name("damaged")
        let bytes = (0..<200).map { UInt8($0) }
        let version = try await put(bytes, item)
        let other = try name("other")
        let otherVersion = try await put([2], other)
        try await damage(item)
        // The store that has written the item may still have the item's value in memory, and may return that
        // value.
        let isNoticed = try await isDamage { try await self.expect(bytes, at: item, version: version) }
        let opened: any SecretStore
        if subject.canReopen {
            do { opened = try await open() } catch let error as SecretStoreError {
                return try requireEqual(error.code.portable, .damaged, "code for opening a damaged store")
            }
        } else {
            opened = store
            try require(isNoticed, "a damaged item was read")
        }
        let isError = try await isDamage { _ = try await opened.read(item) }
        try require(isError, "a damaged item was read, or taken for absent")
        let isRefused = try await isRefused(item, with: other, as: .damaged, on: opened)
        try require(isRefused, "a damaged item was read together with another, or taken for absent")
        _ = try await isDamage {
            let names = try await opened.names(in: self.space)
            try require(names.contains(item), "a damaged item is in no listing")
        }
        _ = try await isDamage {
            let ended = try await self.outcome(ofWriting: [3], to: item, if: .absent, on: opened)
            if case .written = ended {
                throw Finding("a damaged item was created anew, as if it were absent")
            }
        }
        // A store that keeps all items in one piece may be damaged as a whole. It then cannot change one item
        // without losing the others.
        let isStoreDamaged = try await isDamage {
            try await self.expect([2], at: other, version: otherVersion, on: opened)
        }
        let isNotWritten = try await isDamage {
            let new = try await self.put([3], item, on: opened)
            try await self.expect([3], at: item, version: new, on: opened)
        }
        if isStoreDamaged, isNotWritten { return }
        try require(!isNotWritten, "a damaged item could not be overwritten without a precondition")
        try await damage(item)
        let isNotRemoved = try await isDamage {
            let ended = try await opened.remove(item, if: .none)
            try requireEqual(ended, .removed, "removing a damaged item")
            try await self.expect(nil, at: item, on: opened)
        }
        try require(!isNotRemoved, "a damaged item could not be removed without a precondition")
        // The other item may be damaged. But the changes of this item must not have removed the other one.
        _ = try await isDamage { try await self.expect([2], at: other, on: opened) }
    }

    /// Whether the work throws the error for damage. Any other error makes the clause fail.
    private func isDamage(_ work: () async throws -> Void) async throws -> Bool {
        do { try await work() } catch let error as SecretStoreError {
            try requireEqual(error.code.portable, .damaged, "code for a damaged item")
            return true
        }
        return false
    }

    /// The number of concurrent calls. It is greater than the number of threads in Swift's pool, even if the
    /// system starts further threads in place of blocked ones.
    private static let manyCalls = 300

    func checkWaitsOffThePool() async throws {
        guard let hold = place.hold else { return }
        let store = store
        let item = try name("item")
        try await put([1], item)
        let calls: [(what: String, call: @Sendable () async throws -> Void)] = [
            (
                "write",
                {
                    try await store.write(
                        SecretBytes(copying: [2]),
                        to: item,
                        accessibility: .afterFirstUnlock
                    )
                }
            ),
            ("read", { _ = try await store.read(item) }),
            ("names", { _ = try await store.names(in: item.namespace) }),
            ("remove", { _ = try await store.remove(item, if: .absent) }),
        ]
        for (what, call) in calls {
            let turns = Turns(try await hold(), patience: subject.patience)
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<Self.manyCalls {
                    group.addTask { @concurrent in
                        do {
                            try await call()
                            turns.ended()
                        } catch let error as SecretStoreError {
                            // A store may limit how long a call waits. On a busy machine a call may exceed
                            // this limit, so the call may throw `lockTimeout`.
                            try requireEqual(
                                error.code.portable,
                                .lockTimeout,
                                "code of a \(what) that waits"
                            )
                        }
                    }
                }
                group.addTask { @concurrent in
                    // This task yields many times, so that it continues only after all the calls have begun.
                    for _ in 0..<100 { await Task.yield() }
                    turns.gotThrough()
                }
                try await group.waitForAll()
            }
            let (gotThrough, ended) = turns.result
            try require(gotThrough, "while calls of \(what) waited, no other task got its turn")
            try require(what != "write" || ended == 0, "a write ended while the store was held up")
        }
    }
}

/// Lets the waiting calls of a store continue. This happens when another task has run in Swift's pool, or
/// when the time limit `patience` has passed.
///
/// A separate thread checks the time limit, because all threads of the pool may be blocked.
private final class Turns: Sendable {
    private struct State {
        /// The number of calls that were carried out.
        var ended = 0
        /// The number of calls that had ended before the other task ran; `nil` if the other task did not run
        /// in time.
        var endedBefore: Int?
        var isOver = false
    }

    private let state = Mutex(State())
    private let release: SecretStoreSubject.Place.Release

    init(_ release: @escaping SecretStoreSubject.Place.Release, patience: Duration) {
        self.release = release
        let due = ContinuousClock.now + patience
        Threads.start { [self] in
            while !state.withLock({ $0.isOver }), ContinuousClock.now < due {
                Threads.sleep(microseconds: 1_000)
            }
            letGo { _ in }
        }
    }

    var result: (gotThrough: Bool, ended: Int) {
        state.withLock { ($0.endedBefore != nil, $0.endedBefore ?? 0) }
    }

    func ended() { state.withLock { $0.ended += 1 } }

    func gotThrough() { letGo { $0.endedBefore = $0.ended } }

    /// Changes the state and lets the waiting calls of the store continue. Only the first call of this method
    /// has an effect.
    private func letGo(_ change: (inout State) -> Void) {
        let isFirst = state.withLock { state in
            if state.isOver { return false }
            change(&state)
            state.isOver = true
            return true
        }
        if isFirst { release() }
    }
}
