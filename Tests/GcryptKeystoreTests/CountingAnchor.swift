import PortcullisCore
import Synchronization

/// An anchor in memory with a counter, which can be told not to move.
final class CountingAnchor: RollbackAnchor, RollbackCounter {
    private struct State {
        var record: [UInt8]?
        var value: UInt64 = 7
        var isStuck = false
        var isThere = true
        var beforeRaise: (@Sendable () -> Void)?
    }

    private let state = Mutex(State())
    let place = "memory"
    var counter: (any RollbackCounter)? { self }

    func records() throws(SecretStoreError) -> [UInt8]? { state.withLock { $0.record } }

    func keep(_ record: [UInt8], turn: UInt64, for reason: AnchorReason) throws(SecretStoreError) {
        state.withLock { $0.record = record }
    }

    func counts(_ reason: AnchorReason) -> Bool { reason != .other }

    func setUp(for store: [UInt8]) throws(SecretStoreError) -> UInt32 {
        state.withLock { $0.isThere = true }
        return 1
    }

    func value(of counter: UInt32, store: [UInt8]) throws(SecretStoreError) -> UInt64? {
        state.withLock { $0.isThere && counter == 1 ? $0.value : nil }
    }

    func raise(_ counter: UInt32, store: [UInt8]) throws(SecretStoreError) {
        let hook = state.withLock { state in
            defer { state.beforeRaise = nil }
            return state.beforeRaise
        }
        hook?()
        let isStuck = state.withLock { state in
            if !state.isStuck { state.value += 1 }
            return state.isStuck
        }
        if isStuck { throw SecretStoreError(code: .unavailable, message: "told to", path: place) }
    }

    var value: UInt64 { state.withLock { $0.value } }
    func stick(_ isStuck: Bool) { state.withLock { $0.isStuck = isStuck } }
    /// Runs before the next raise, and not again.
    func beforeRaise(_ hook: @escaping @Sendable () -> Void) { state.withLock { $0.beforeRaise = hook } }
    func removeCounter() { state.withLock { $0.isThere = false } }

    /// Puts an earlier record in the place of the last one, as a copy of the anchor's file does.
    var record: [UInt8]? {
        get { state.withLock { $0.record } }
        set { state.withLock { $0.record = newValue } }
    }
}
