#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif
package import PortcullisCore

/// The role in which a person signs in.
package enum AccountRole: String, Codable, Sendable, Hashable {
    /// A person who works with the app.
    case staff
    /// A person who is served through the app.
    case customer
}

/// A person who may sign in.
package struct Account: Codable, Sendable, Hashable {
    /// The person's id, which never changes.
    package var id: UserID
    /// The role in which the person signs in.
    package var role: AccountRole
    /// The address to which codes are mailed. Address and role together identify the account.
    package var email: MailAddress
    /// Whether the person may have a passcode. The administrator decides this.
    package var passcodesEnabled: Bool
    /// The reason why the person is held back; `nil` if the person is not.
    package var quarantine: String?

    /// An account of these parts.
    package init(
        id: UserID,
        role: AccountRole,
        email: MailAddress,
        passcodesEnabled: Bool = true,
        quarantine: String? = nil
    ) {
        self.id = id
        self.role = role
        self.email = email
        self.passcodesEnabled = passcodesEnabled
        self.quarantine = quarantine
    }

    /// Reads an account. Only id, role and email are required.
    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        id = try container.decode(UserID.self, forKey: .id)
        role = try container.decode(AccountRole.self, forKey: .role)
        email = try container.decode(MailAddress.self, forKey: .email)
        passcodesEnabled = try container.decodeIfPresent(Bool.self, forKey: .passcodesEnabled) ?? true
        quarantine = try container.decodeIfPresent(String.self, forKey: .quarantine)
    }
}

extension Account {
    /// The account with the changes by an administrator's calls. A call can only restrict an account.
    func restricted(by record: AccountRecord) -> Account {
        var account = self
        if record.isDisabled == true { account.passcodesEnabled = false }
        account.quarantine = record.quarantine ?? quarantine
        return account
    }

    /// Whether a passcode may be set for the account now.
    var takesPasscode: Bool { passcodesEnabled && quarantine == nil }

    /// Checks that the person is not held back.
    ///
    /// - Parameter setsPasscode: whether the person must also be allowed to have a passcode.
    func check(setsPasscode: Bool) throws(Problem) {
        if let quarantine { throw .quarantined(quarantine) }
        guard passcodesEnabled || !setsPasscode else { throw .disabled }
    }
}

/// The accounts that may sign in, as the administrator's file had them when it was read.
package struct AccountDirectory: Sendable {
    private struct Address: Hashable {
        var email: MailAddress
        var role: AccountRole
    }

    private var byID: [UserID: Account]
    private var byAddress: [Address: Account]

    /// A directory of these accounts.
    ///
    /// - Throws: ``AccountDirectoryError`` when an id, or an address with a role, occurs twice.
    package init(_ accounts: [Account]) throws(AccountDirectoryError) {
        var byID: [UserID: Account] = [:]
        var byAddress: [Address: Account] = [:]
        for account in accounts {
            let address = Address(email: account.email, role: account.role)
            guard byID.updateValue(account, forKey: account.id) == nil,
                byAddress.updateValue(account, forKey: address) == nil
            else { throw AccountDirectoryError(message: "\(account.id) occurs twice among the accounts") }
        }
        self.byID = byID
        self.byAddress = byAddress
    }

    /// A directory as a JSON list of accounts.
    ///
    /// - Throws: ``AccountDirectoryError`` if the JSON is no such list.
    package init(json: [UInt8]) throws(AccountDirectoryError) {
        let accounts: [Account]
        do { accounts = try JSONDecoder().decode([Account].self, from: Data(json)) } catch {
            throw AccountDirectoryError(message: "this is no list of accounts: \(error)")
        }
        try self.init(accounts)
    }

    subscript(id: UserID) -> Account? { byID[id] }

    /// The accounts of this directory that another one has too, with the same role.
    func common(with other: AccountDirectory) -> AccountDirectory {
        var common = self
        common.byID = byID.filter { id, account in other[id]?.role == account.role }
        common.byAddress = byAddress.filter { _, account in common.byID[account.id] != nil }
        return common
    }

    func account(_ email: MailAddress, _ role: AccountRole) -> Account? {
        byAddress[Address(email: email, role: role)]
    }
}

/// The error for a directory that cannot be used.
package struct AccountDirectoryError: Error, CustomStringConvertible {
    /// One sentence for the administrator.
    package let message: String
    /// The message.
    package var description: String { message }
}
