internal import PasscodeLock
internal import PortcullisCore
internal import Synchronization

/// The accounts that may sign in now: the directory that was read last, with administrators' changes since
/// then.
final class Accounts: Sendable {
    private let items: ServerItems
    private let directory: Mutex<AccountDirectory>

    init(_ directory: AccountDirectory, items: ServerItems) {
        self.directory = Mutex(directory)
        self.items = items
    }

    /// The directory that was read last.
    var current: AccountDirectory { directory.withLock { $0 } }

    /// Replaces the directory.
    func replace(with new: AccountDirectory) { directory.withLock { $0 = new } }

    /// The account as the directory has it.
    subscript(id: UserID) -> Account? { directory.withLock { $0[id] } }

    /// The account of an address as the directory has it.
    func account(_ email: MailAddress, _ role: AccountRole) -> Account? {
        directory.withLock { $0.account(email, role) }
    }

    /// Returns the record of an account. Without an account the same work is done, and the record is empty.
    func record(of account: Account?) async throws(SecretStoreError) -> Found<AccountRecord> {
        try await record(account?.id ?? .device)
    }

    /// Returns the record of an account, and the record of its passcode as it was at the same moment.
    func record(
        withPasscodeOf account: Account?
    ) async throws(SecretStoreError) -> (record: AccountRecord, passcode: ReadItem) {
        let user = account?.id ?? .device
        let (found, passcode) = try await items.read(
            items.accountName(user),
            or: AccountRecord(),
            with: PasscodeNames.record(of: user)
        )
        return (found.record, passcode)
    }

    private func record(_ user: UserID) async throws(SecretStoreError) -> Found<AccountRecord> {
        try await items.read(items.accountName(user), or: AccountRecord())
    }

    /// Changes the record of an account.
    ///
    /// - Parameters:
    ///   - user: the account.
    ///   - more: changes that are made together with that of the record, without preconditions.
    ///   - change: changes the record.
    func update(
        _ user: UserID,
        with more: [SecretChange] = [],
        _ change: (inout AccountRecord) -> Void
    ) async throws(SecretStoreError) {
        while true {
            var found = try await record(user)
            change(&found.record)
            let write = try items.writing(found.record, to: items.accountName(user), if: found.condition)
            if try await items.commit([write] + more).isEmpty { return }
        }
    }
}
