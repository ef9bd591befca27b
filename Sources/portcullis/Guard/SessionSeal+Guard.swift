public import SealedSession
public import TerminalHost

/// What seals the store is what a guarded run opens and shuts.
extension SessionSeal: GuardSeal {}
