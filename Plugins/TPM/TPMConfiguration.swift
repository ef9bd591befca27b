public import PortcullisCore

/// Which chip a ``TPMPasscodeSealer`` works with, and how new passcodes are sealed in it.
public struct TPMConfiguration: Sendable {
    /// The chip; `nil`: the one that a record names, and ``TPMAddress/system`` for a new one.
    public var address: TPMAddress?
    /// What tells the passcodes of one store from those of all others on this machine, the same for all copies of the store;
    /// such as its id. No secret.
    public var scope: [UInt8]
    /// A file beside the store, with which processes tell each other that they are sealing; made with mode 0600, and never
    /// removed. `nil`: no other process uses the store.
    public var lockPath: String?
    /// After how many wrong passcodes in a row the chip refuses all, of new passcodes; at least 1.
    ///
    /// 100 is the most that NIST SP 800-63B allows.
    public var limit: Int
    /// What else opens a new passcode's key.
    public var recovery: TPMRecovery
    /// The cost of new seals.
    public var parameters: Argon2Parameters

    /// A configuration; everything but the scope has a default.
    public init(
        address: TPMAddress? = nil,
        scope: [UInt8],
        lockPath: String? = nil,
        limit: Int = 100,
        recovery: TPMRecovery = .none,
        parameters: Argon2Parameters = .owaspMinimum
    ) {
        self.address = address
        self.scope = scope
        self.lockPath = lockPath
        self.limit = limit
        self.recovery = recovery
        self.parameters = parameters
    }
}
