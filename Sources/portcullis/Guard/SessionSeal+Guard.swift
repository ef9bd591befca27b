public import SealedSession
public import TerminalHost

extension SessionSeal: GuardSeal {}
