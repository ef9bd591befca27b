import PortcullisCore
import PortcullisTesting
import Synchronization

@testable import TerminalHost

/// A seal that tells what became of it.
final class RecordingSeal: GuardSeal {
    private struct State: Sendable {
        var opened: UInt64?
        var lastLock: UInt64 = 0
        var tries = 0
        var isAdmitted = false
        var isSealed = false
        var refuses = false
    }

    private let state = Mutex(State())
    /// Where each opening waits.
    let openings = Gate()

    var isSealed: Bool { state.withLock { $0.isSealed } }
    var isOpen: Bool { state.withLock { $0.isAdmitted } }
    /// How often it was to be opened.
    var tries: Int { state.withLock { $0.tries } }
    var refuses: Bool {
        get { state.withLock { $0.refuses } }
        set { state.withLock { $0.refuses = newValue } }
    }

    func lock(for generation: UInt64) {
        state.withLock { state in
            if let opened = state.opened, opened >= generation { return }
            state.lastLock = max(state.lastLock, generation)
            (state.opened, state.isAdmitted) = (nil, false)
        }
    }

    func open(with key: SecretBytes?, for generation: UInt64) async throws(SecretStoreError) {
        state.withLock { $0.tries += 1 }
        _ = await openings.pass()
        guard key != nil, !refuses else {
            throw SecretStoreError(code: .wrongKey, message: "another key")
        }
        let isCurrent = state.withLock { state in
            guard generation >= state.lastLock else { return false }
            (state.opened, state.isSealed) = (generation, true)
            return true
        }
        if !isCurrent { throw SecretStoreError(code: .classLocked, message: "locked again") }
    }

    func admit(for generation: UInt64) {
        state.withLock { if $0.opened == generation { $0.isAdmitted = true } }
    }

    func giveUp(for generation: UInt64) {
        state.withLock { if $0.opened == generation { ($0.opened, $0.isAdmitted) = (nil, false) } }
    }

    func end() { state.withLock { ($0.opened, $0.isAdmitted) = (nil, false) } }
}
