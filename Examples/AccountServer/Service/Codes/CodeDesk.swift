internal import PortcullisCore

/// Whom a code is for: an account, or an address that has none.
struct CodeOwner: Sendable {
    /// What codes are good for.
    enum Purpose: String, Sendable { case signIn = "sign-in", reset }

    var purpose: Purpose
    /// Who gets the mail; `nil` for an address without an account.
    var account: Account?
    /// What names the item.
    var key: String

    init(_ purpose: Purpose, _ account: Account) {
        self.purpose = purpose
        self.account = account
        key = "\(purpose.rawValue):account:\(account.id)"
    }

    init(_ purpose: Purpose, stranger email: MailAddress, _ role: AccountRole) {
        self.purpose = purpose
        key = "\(purpose.rawValue):stranger:\(Hashing.name("\(role.rawValue) \(email)".utf8))"
    }
}

/// Makes, mails, counts and redeems codes.
struct CodeDesk: Sendable {
    let items: ServerItems
    let clock: any LockClock
    let policy: CodePolicy
    let outbox: Outbox

    private func name(_ owner: CodeOwner) throws(SecretStoreError) -> SecretName {
        try SecretName(owner.key, in: items.names.codes)
    }

    /// Makes a code and has it mailed; for a stranger the same, but for the mail.
    ///
    /// - Returns: how long to wait instead, after too many requests.
    func request(_ owner: CodeOwner) async throws(SecretStoreError) -> Duration? {
        let name = try name(owner)
        let digits = SecretBytes(copying: (0..<6).map { _ in UInt8.random(in: 0x30...0x39) })
        while true {
            var found = try await items.read(name, or: MailedCodes())
            if let wait = found.record.request(digits, at: clock.now.wall, policy) { return wait }
            let change = try items.writing(found.record, to: name, if: found.condition)
            if try await items.commit([change]).isEmpty { break }
        }
        outbox.add(Outbox.Mail(to: owner.account?.email, purpose: owner.purpose, digits: digits))
        return nil
    }

    /// Counts a try and compares.
    ///
    /// - Returns: the code, when these are its digits.
    func attempt(_ digits: SecretBytes, of owner: CodeOwner) async throws(SecretStoreError) -> MailedCodes
        .Code?
    {
        let name = try name(owner)
        while true {
            var found = try await items.read(name, or: MailedCodes())
            guard let code = found.record.attempt(at: clock.now.wall, policy) else { return nil }
            let change = try items.writing(found.record, to: name, if: found.condition)
            guard try await items.commit([change]).isEmpty else { continue }
            return code.matches(digits) ? code : nil
        }
    }

    /// The change that uses a code up, for a batch with what it is good for.
    ///
    /// - Returns: `nil` when it was used or replaced meanwhile.
    func redeeming(
        _ code: MailedCodes.Code,
        of owner: CodeOwner
    ) async throws(SecretStoreError) -> SecretChange? {
        let name = try name(owner)
        var found = try await items.read(name, or: MailedCodes())
        guard code.isSame(as: found.record.code) else { return nil }
        found.record.code = nil
        return try items.writing(found.record, to: name, if: found.condition)
    }

    /// Removes what is too old to matter.
    func sweep() async throws(SecretStoreError) {
        for name in try await items.store.names(in: items.names.codes) {
            let found = try await items.read(name, or: MailedCodes())
            guard found.condition != .absent, found.record.isPast(at: clock.now.wall) else { continue }
            _ = try await items.store.remove(name, if: found.condition)
        }
    }
}
