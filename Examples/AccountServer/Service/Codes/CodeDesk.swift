internal import PortcullisCore

/// Makes, mails, counts and redeems codes.
struct CodeDesk: Sendable {
    let items: ServerItems
    let clock: any LockClock
    let policy: CodePolicy
    let outbox: Outbox

    /// How a request for a code ended.
    enum Requested: Sendable {
        /// This comes back with the code.
        case sent(AccountCodeRequest)
        /// Too many were requested: how long to wait.
        case throttled(Duration)
    }

    private func name(_ owner: CodeOwner) throws(SecretStoreError) -> SecretName {
        try SecretName(owner.key, in: items.names.codes)
    }

    /// Makes a code and has it mailed; for an address without an account the same, but for the mail.
    func request(_ owner: CodeOwner) async throws(SecretStoreError) -> Requested {
        let name = try name(owner)
        let request = AccountCodeRequest.random()
        let digits = SecretBytes(copying: (0..<6).map { _ in UInt8.random(in: 0x30...0x39) })
        while true {
            var found = try await items.read(name, or: MailedCodes())
            let wait = found.record.add(
                digits,
                for: request,
                from: owner.network,
                at: clock.now.wall,
                policy
            )
            if let wait { return .throttled(wait) }
            let change = try items.writing(found.record, to: name, if: found.condition)
            if try await items.commit([change]).isEmpty { break }
        }
        if let to = owner.account?.email {
            outbox.add(Outbox.Mail(to: to, purpose: owner.purpose, digits: digits))
        }
        return .sent(request)
    }

    /// Counts a try and compares.
    ///
    /// - Returns: the code, when these are its digits; it may have been used.
    func attempt(
        _ digits: SecretBytes,
        for request: AccountCodeRequest,
        of owner: CodeOwner
    ) async throws(SecretStoreError) -> MailedCodes.Code? {
        let name = try name(owner)
        while true {
            var found = try await items.read(name, or: MailedCodes())
            guard let code = found.record.attempt(request, at: clock.now.wall, policy) else { return nil }
            let change = try items.writing(found.record, to: name, if: found.condition)
            guard try await items.commit([change]).isEmpty else { continue }
            return code.matches(digits) ? code : nil
        }
    }

    /// The change that uses a code up, for a batch with what it is good for.
    ///
    /// - Parameter revision: what the answer can be given again for; `nil`: for nothing.
    /// - Returns: `nil` when it was used or expired meanwhile.
    func redeeming(
        _ code: MailedCodes.Code,
        of owner: CodeOwner,
        as revision: AccountRevision? = nil
    ) async throws(SecretStoreError) -> SecretChange? {
        let name = try name(owner)
        var found = try await items.read(name, or: MailedCodes())
        guard found.record.use(code, as: revision, at: clock.now.wall, policy) else { return nil }
        return try items.writing(found.record, to: name, if: found.condition)
    }

    /// Removes what is too old to matter.
    func sweep() async throws(SecretStoreError) {
        for name in try await items.store.names(in: items.names.codes) {
            let found = try await items.read(name, or: MailedCodes())
            guard found.condition != .absent, found.record.isPast(at: clock.now.wall, policy) else {
                continue
            }
            _ = try await items.store.remove(name, if: found.condition)
        }
    }
}
