/// The same events for a host that has to cover before it waits: each is decided when the call returns, and writing
/// it down goes on.
extension LockSession {
    /// Locks, if it is known that a passcode is set.
    ///
    /// - Returns: whether it is locked now. If not, ``lock()`` reads the store first: a passcode that was set just
    ///   before may not be known yet.
    public func lockAtOnce() -> Bool {
        decide(.lock)
        return state.isLocked
    }

    /// As ``phaseChanged(to:)`` over a store that signals changes: another is not read again here. What it means for the
    /// lock is in ``state`` when this returns.
    public func phaseChangedAtOnce(to phase: AppPhase) {
        decide(.phase(phase))
    }

    /// As ``personWasActive()``; a key that comes too late has locked when this returns.
    public func personWasActiveAtOnce() {
        decide(.activity)
    }
}
