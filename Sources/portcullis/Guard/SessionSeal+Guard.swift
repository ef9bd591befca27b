public import SealedSession
public import TerminalHost

/// A guarded run opens and closes the seal of its session.
extension SessionSeal: GuardSeal {}
