/// The idle lock for a host that has learned late that time has passed.
extension LockSession {
    /// Locks if the idle deadline has passed and the timer has not fired yet, for example because the machine
    /// slept. The call does not count as activity and does not read the store. When the call returns,
    /// ``state`` shows the result.
    package func checkIdleAtOnce() {
        decide(.idleCheck)
    }
}
