/// The check of the idle deadline at a time when the session's timer may be late.
extension LockSession {
    /// Locks if the idle deadline has passed and the timer has not fired yet, for example because the machine
    /// slept. The call does not count as activity and does not read the store. When the call returns,
    /// ``state`` shows the result.
    package func checkIdleAtOnce() {
        decide(.idleCheck)
    }
}
