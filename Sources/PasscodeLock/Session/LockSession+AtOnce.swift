public import PortcullisCore

/// Calls for a host that has to cover the content before it waits for the store. When a call returns, the
/// session has handled the event in memory. It stores the result in the background.
extension LockSession {
    /// Locks, if the session knows that a passcode is set.
    ///
    /// - Returns: whether the session is locked now. If the result is `false`, a passcode may have been set
    ///   just before. So the host should then call ``lock()``, which reads the store.
    public func lockAtOnce() -> Bool {
        decide(.lock)
        return state.isLocked
    }

    /// Does the same as ``phaseChanged(to:)``, but never reads the store, even if the store does not signal
    /// changes. When the call returns, ``state`` shows the result.
    public func phaseChangedAtOnce(to phase: AppPhase) {
        decide(.phase(phase))
    }

    /// Reports to the session that the app went into the background at an earlier moment. A host calls this
    /// when it learns of the absence late, for example because the machine slept. The call does not read the
    /// store. When the call returns, ``state`` shows the result.
    ///
    /// The absence counts from that moment. If the absence has already reached the timeout, the app locks
    /// now. It does not wait for the return to the front.
    ///
    /// - Parameter moment: the moment at which the app went into the background. If the session already knows
    ///   of the absence, the moment is ignored.
    public func leftAtOnce(since moment: Moment) {
        decide(.left(since: moment))
    }

    /// Does the same as ``personWasActive()``, but does not wait for the store. If the idle time has already
    /// passed, the app is locked when the call returns.
    public func personWasActiveAtOnce() {
        decide(.activity)
    }
}
