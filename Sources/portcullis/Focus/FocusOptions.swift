#if os(Linux)
internal import ArgumentParser
internal import PortcullisCore
internal import ProgressSources

/// What every focus command takes: the store, and whose lock it is.
struct FocusOptions: ParsableArguments {
    @OptionGroup var store: StoreOptions
    @Option(
        name: [.customLong("account"), .customLong("user")],
        help: ArgumentHelp(
            "As root: whose programs are shut, and who runs the progress command. (default: yourself)",
            valueName: "name or number"
        )
    )
    var account: String?
    @Option(
        name: [.customLong("passcode-user"), .customLong("user-id")],
        help: ArgumentHelp(
            "Whose passcode guards the way out; decided when App Lock is switched on.",
            valueName: "id"
        )
    )
    var passcodeUser = UserID.device.rawValue

    func validate() throws {
        guard UserID(passcodeUser) != nil else {
            throw ValidationError("a user is 1 to 256 bytes without control characters")
        }
    }

    /// Whose passcode it is, as far as that is still open: ``FocusGuardian``.
    var userID: UserID { UserID(passcodeUser) ?? .device }

    /// Whose programs are shut.
    ///
    /// - Throws: ``ToolFailure``, ``ToolExit/usage``: there is no such user, or it is another one than this
    ///   process's and this is not root.
    func person() throws(ToolFailure) -> SystemAccount { try .whoseProgramsAreShut(account) }
}

extension SystemAccount {
    /// The account of a name or number, or the one that runs this process.
    ///
    /// - Throws: ``ToolExit/usage`` when there is no such account, or it is another one and this is not root.
    static func whoseProgramsAreShut(_ name: String?) throws(ToolFailure) -> SystemAccount {
        guard let name else { return .current }
        guard let found = SystemAccount(named: name) else {
            throw ToolFailure("there is no user '\(ForeignText.line(name))'", .usage)
        }
        guard found.isCurrent || current.isRoot else {
            throw ToolFailure("only root may shut the programs of \(name)", .usage)
        }
        return found
    }
}
#endif
