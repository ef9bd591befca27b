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
        try SecretName(owner.item, in: items.names.codes)
    }

    /// The record of an owner; of addresses that share an item, the one that is not this address's is as good as none.
    private func read(_ owner: CodeOwner) async throws(SecretStoreError) -> Found<MailedCodes> {
        var found = try await items.read(try name(owner), or: MailedCodes())
        let isShared = owner.item != owner.key
        if isShared, found.record.owner != owner.key { found.record = MailedCodes() }
        found.record.owner = owner.key
        return found
    }

    /// Makes a code and has it mailed; for an address without an account the same, but for the mail.
    ///
    /// What is answered goes by an item that all addresses have alike. Where that has forgotten a pause that the account's
    /// own record knows, the answer is that of a stranger, and nothing is mailed.
    func request(_ owner: CodeOwner) async throws(SecretStoreError) -> Requested {
        let request = AccountCodeRequest.random()
        let digits = SecretBytes(copying: (0..<6).map { _ in UInt8.random(in: 0x30...0x39) })
        while true {
            var found = try await read(owner)
            let wall = clock.now.wall
            var changes: [SecretChange] = []
            if let slot = owner.slot {
                let isKnown = found.record.knows(owner.network, at: wall, policy)
                switch try await tell(owner, in: slot, isKnown: isKnown, at: wall) {
                case .wait(let wait): return .throttled(wait)
                case .write(let change): changes.append(change)
                }
            }
            let wait = found.record.add(digits, for: request, from: owner.network, at: wall, policy)
            if let wait, owner.slot == nil { return .throttled(wait) }
            changes.append(try items.writing(found.record, to: try name(owner), if: found.condition))
            guard try await items.commit(changes).isEmpty else { continue }
            if wait == nil, let to = owner.account?.email {
                outbox.add(Outbox.Mail(to: to, purpose: owner.purpose, digits: digits))
            }
            return .sent(request)
        }
    }

    private enum Told {
        case wait(Duration)
        case write(SecretChange)
    }

    /// How a request is answered, and the change that notes it.
    private func tell(
        _ owner: CodeOwner,
        in slot: String,
        isKnown: Bool,
        at wall: Duration
    ) async throws(SecretStoreError) -> Told {
        let name = try SecretName(slot, in: items.names.requests)
        var found = try await items.read(name, or: ToldRequests(owner: owner.key))
        if found.record.owner != owner.key { found.record = ToldRequests(owner: owner.key) }
        let now = WallClock.milliseconds(wall)
        if let wait = found.record.asked.add(from: owner.network, isKnown: isKnown, at: now, policy) {
            return .wait(wait)
        }
        return .write(try items.writing(found.record, to: name, if: found.condition))
    }

    /// Counts a try and compares.
    ///
    /// - Returns: the code, when these are its digits; it may have been used.
    func attempt(
        _ digits: SecretBytes,
        for request: AccountCodeRequest,
        of owner: CodeOwner
    ) async throws(SecretStoreError) -> MailedCodes.Code? {
        while true {
            var found = try await read(owner)
            let code = found.record.attempt(request, at: clock.now.wall, policy)
            // Written also where there is no such code: of a stranger it may be gone, of an account not.
            let change = try items.writing(found.record, to: try name(owner), if: found.condition)
            guard try await items.commit([change]).isEmpty else { continue }
            guard let code, code.matches(digits) else { return nil }
            return code
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
        var found = try await read(owner)
        guard found.record.use(code, as: revision, at: clock.now.wall, policy) else { return nil }
        return try items.writing(found.record, to: try name(owner), if: found.condition)
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
        for name in try await items.store.names(in: items.names.requests) {
            var found = try await items.read(name, or: ToldRequests(owner: ""))
            found.record.asked.forget(at: WallClock.milliseconds(clock.now.wall))
            guard found.condition != .absent, found.record.asked.entries.isEmpty else { continue }
            _ = try await items.store.remove(name, if: found.condition)
        }
    }
}
