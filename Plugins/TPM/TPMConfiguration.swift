public import PortcullisCore

/// The chip that a ``TPMPasscodeSealer`` uses, and the settings for sealing new passcodes.
public struct TPMConfiguration: Sendable {
    /// The chip's address. If it is `nil`, an existing record's own address is used, and
    /// ``TPMAddress/system`` for a new record.
    ///
    /// A record holds an address only if it is a device file of this machine's TPM (`device:/dev/tpm0`,
    /// `device:/dev/tpmrm0` and so on) or `tabrmd`. Any other address in a record is not used. A passcode in
    /// a chip with another address needs that address here each time.
    public var address: TPMAddress?
    /// The identifier of the store among all stores on this machine, such as the store's id. All copies of a
    /// store have the same scope. The scope is no secret.
    public var scope: [UInt8]
    /// The path of a lock file beside the store; `nil` if no other process uses the store. A process locks
    /// the file from the sealing of a key until the seal is recorded or given up, and while it deletes old
    /// indexes from the chip. The file is made with mode 0600 and never removed.
    public var lockPath: String?
    /// The number of wrong passcodes in a row after which the chip refuses every passcode; at least 1. The
    /// limit applies to new passcodes.
    ///
    /// 100 is the most that NIST SP 800-63B allows.
    public var limit: Int
    /// The way to open a new passcode's key after the limit is reached.
    public var recovery: TPMRecovery
    /// The cost of the key derivation for new seals.
    public var parameters: Argon2Parameters

    /// Makes a configuration. Everything but the scope has a default.
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
