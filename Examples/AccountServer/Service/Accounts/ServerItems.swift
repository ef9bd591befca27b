#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif
internal import Crypto
internal import PortcullisCore

/// The names of what the server keeps beside the passcodes.
struct ServerNames: Sendable {
    /// What accounts tell of their passcodes.
    let accounts: SecretNamespace
    /// Codes that were mailed.
    let codes: SecretNamespace
    /// By what requests for codes are answered.
    let requests: SecretNamespace
    /// Sessions, by the hash of their tokens.
    let sessions: SecretNamespace
    /// What is written to see whether it can be.
    let probes: SecretNamespace

    init() throws(SecretStoreError) {
        accounts = try SecretNamespace("account-server.accounts")
        codes = try SecretNamespace("account-server.codes")
        requests = try SecretNamespace("account-server.requests")
        sessions = try SecretNamespace("account-server.sessions")
        probes = try SecretNamespace("account-server.probes")
    }
}

/// What is kept of an account, beside what the passcode's own record says.
struct AccountRecord: Codable, Sendable, Hashable {
    var version = 1
    var revision: AccountRevision?
    var timeout = AccountTimeout.preset
    /// How often all sessions of the account were ended; `nil`: never.
    var epoch: Int?
    /// Whether an administrator's call has disabled passcodes, whatever the file of accounts says.
    var isDisabled: Bool?
    /// Why an administrator's call holds the person back, if so.
    var quarantine: String?

    /// Ends all sessions that have begun so far.
    mutating func raiseEpoch() { epoch = (epoch ?? 0) + 1 }
}

/// An item as it was found: its content and what to name in the precondition of the next write.
struct Found<Record: Sendable>: Sendable {
    var record: Record
    var condition: WritePrecondition
}

/// An item that was read together with another one.
struct ReadItem: Sendable {
    var name: SecretName
    /// The item; `nil`: there was none.
    var stored: StoredSecret?
}

/// Reads and prepares items that are JSON.
struct ServerItems: Sendable {
    let store: any TransactionalSecretStore
    let names: ServerNames

    init(store: any TransactionalSecretStore) throws(SecretStoreError) {
        self.store = store
        self.names = try ServerNames()
    }

    /// An item, or `fallback` when there is none.
    func read<Record: Decodable & Sendable>(
        _ name: SecretName,
        or fallback: Record
    ) async throws(SecretStoreError) -> Found<Record> {
        try found(try await store.read(name), name, or: fallback)
    }

    /// An item, or `fallback` when there is none, and another item as it was at the same moment.
    func read<Record: Decodable & Sendable>(
        _ name: SecretName,
        or fallback: Record,
        with other: SecretName
    ) async throws(SecretStoreError) -> (found: Found<Record>, other: ReadItem) {
        let items = try await store.read([name, other])
        return (try found(items[0], name, or: fallback), ReadItem(name: other, stored: items[1]))
    }

    private func found<Record: Decodable & Sendable>(
        _ stored: StoredSecret?,
        _ name: SecretName,
        or fallback: Record
    ) throws(SecretStoreError) -> Found<Record> {
        guard let stored else { return Found(record: fallback, condition: .absent) }
        let data = stored.value.withBytes { bytes in
            unsafe bytes.withUnsafeBytes { buffer in unsafe Data(buffer) }
        }
        do {
            let record = try JSONDecoder().decode(Record.self, from: data)
            return Found(record: record, condition: .version(stored.version))
        } catch {
            throw SecretStoreError(code: .damaged, message: "the item \(name.namespace) cannot be understood")
        }
    }

    /// The change that writes a record.
    func writing<Record: Encodable>(
        _ record: Record,
        to name: SecretName,
        if condition: WritePrecondition
    ) throws(SecretStoreError) -> SecretChange {
        do {
            return .write(
                SecretBytes(copying: try JSONEncoder().encode(record)),
                to: name,
                accessibility: .afterFirstUnlockThisDeviceOnly,
                if: condition
            )
        } catch {
            throw SecretStoreError(code: .systemFailure, message: "an item cannot be written")
        }
    }

    /// Makes all changes, or none because somebody else was faster.
    ///
    /// - Returns: the names that had changed; empty when all is done.
    func commit(_ changes: [SecretChange]) async throws(SecretStoreError) -> Set<SecretName> {
        switch try await store.commit(changes) {
        case .committed: []
        case .conflict(let current): Set(current.keys)
        }
    }

    func accountName(_ user: UserID) -> SecretName { SecretName(user, in: names.accounts) }
}

/// Hashes and random texts.
enum Hashing {
    /// The lower-case hexadecimal digits of SHA-256.
    static func name(_ bytes: some Sequence<UInt8>) -> String {
        SHA256.hash(data: Array(bytes)).map { byte in
            let digits = String(byte, radix: 16)
            return digits.count == 1 ? "0" + digits : digits
        }.joined()
    }
}
