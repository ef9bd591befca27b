internal import PortcullisCore

/// Makes, mails, counts and redeems codes.
struct CodeDesk: Sendable {
    let items: ServerItems
    let clock: any LockClock
    let policy: CodePolicy
    let outbox: Outbox

    /// How a request for a code ended.
    enum Requested: Sendable {
        /// The client sends this identifier back with the code.
        case sent(AccountCodeRequest)
        /// Too many codes were requested. The value is the wait.
        case throttled(Duration)
    }

    private func name(_ owner: CodeOwner) throws(SecretStoreError) -> SecretName {
        try SecretName(owner.item, in: items.names.codes)
    }

    /// Reads the record of an owner. If addresses share the item, and its record is another address's, the
    /// result is an empty record.
    private func read(_ owner: CodeOwner) async throws(SecretStoreError) -> Found<MailedCodes> {
        var found = try await items.read(try name(owner), or: MailedCodes())
        let isShared = owner.item != owner.key
        if isShared, found.record.owner != owner.key { found.record = MailedCodes() }
        found.record.owner = owner.key
        return found
    }

    /// Makes a code and has it mailed. For an address without an account the work is the same, without the
    /// mail.
    ///
    /// The answer depends on an item that addresses with and without an account have. If that item has
    /// forgotten a pause that the account's own record knows, the answer is the same as without an account,
    /// and no code is mailed.
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

    /// Decides how a request is answered: with a wait, or with success and the change that notes the request.
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

    /// Counts a try of a code, and compares the digits.
    ///
    /// - Returns: the code if the digits are right. The code may already have been used.
    func attempt(
        _ digits: SecretBytes,
        for request: AccountCodeRequest,
        of owner: CodeOwner
    ) async throws(SecretStoreError) -> MailedCodes.Code? {
        while true {
            var found = try await read(owner)
            let code = found.record.attempt(request, at: clock.now.wall, policy)
            // The record is written even if the code is missing. Only a record without an account loses codes
            // early, and a missing write would show that.
            let change = try items.writing(found.record, to: try name(owner), if: found.condition)
            guard try await items.commit([change]).isEmpty else { continue }
            guard let code, code.matches(digits) else { return nil }
            return code
        }
    }

    /// Takes back the try of a right code whose act was refused before it began.
    func takeBackTry(
        of code: MailedCodes.Code,
        _ owner: CodeOwner
    ) async throws(SecretStoreError) {
        while true {
            var found = try await read(owner)
            guard found.record.takeBackTry(of: code) else { return }
            let change = try items.writing(found.record, to: try name(owner), if: found.condition)
            if try await items.commit([change]).isEmpty { return }
        }
    }

    /// Returns the change that uses a code up. The caller commits it in one batch with the act that the code
    /// allows.
    ///
    /// - Parameter revision: the revision for which the answer can be repeated; `nil` if it cannot be.
    /// - Returns: the change; `nil` if the code was used or has expired meanwhile.
    func redeeming(
        _ code: MailedCodes.Code,
        of owner: CodeOwner,
        as revision: AccountRevision? = nil
    ) async throws(SecretStoreError) -> SecretChange? {
        var found = try await read(owner)
        guard found.record.use(code, as: revision, at: clock.now.wall, policy) else { return nil }
        return try items.writing(found.record, to: try name(owner), if: found.condition)
    }

    /// Removes records that are too old to matter. Nothing is removed while the gate is closed: records of
    /// all servers may look old to a wrong clock.
    func sweep(through gate: ServiceGate) async throws(SecretStoreError) {
        try await items.forEach(in: items.names.codes) {
            (name: SecretName, found: Found<MailedCodes>) async throws(SecretStoreError) in
            guard found.record.isPast(at: clock.now.wall, policy), gate.objection == nil else { return }
            _ = try await items.store.remove(name, if: found.condition)
        }
        try await items.forEach(in: items.names.requests) {
            (name: SecretName, found: Found<ToldRequests>) async throws(SecretStoreError) in
            var asked = found.record.asked
            asked.forget(at: WallClock.milliseconds(clock.now.wall))
            guard asked.entries.isEmpty, gate.objection == nil else { return }
            _ = try await items.store.remove(name, if: found.condition)
        }
    }
}
