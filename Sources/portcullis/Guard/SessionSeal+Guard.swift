public import SealedSession
public import TerminalHost

/// A session's seal is the seal that a guarded run opens and closes.
extension SessionSeal: GuardSeal {}
