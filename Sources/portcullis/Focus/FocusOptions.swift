#if os(Linux)
internal import ArgumentParser
internal import PortcullisCore
internal import ProgressSources

/// The options of every focus command: the store and the account.
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

    /// The user who becomes the guardian when the lock is switched on. While the lock is on, the stored
    /// guardian applies.
    var userID: UserID { UserID(passcodeUser) ?? .device }

    /// The account whose programs are shut.
    ///
    /// - Throws: ``ToolFailure`` with ``ToolExit/usage``; see ``SystemAccount/whoseProgramsAreShut(_:)``.
    func person() throws(ToolFailure) -> SystemAccount { try .whoseProgramsAreShut(account) }
}

extension SystemAccount {
    /// Finds the account with this name or number; the account of this process if the name is `nil`.
    ///
    /// - Throws: ``ToolFailure`` with ``ToolExit/usage`` if there is no such account, or if the account
    ///   belongs to another user and the process is not root.
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
