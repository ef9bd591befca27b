#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif
internal import Crypto
internal import Logging
internal import PortcullisCore

/// The namespaces of the server's items, besides the passcodes.
struct ServerNames: Sendable {
    /// The records of accounts.
    let accounts: SecretNamespace
    /// Codes that were mailed.
    let codes: SecretNamespace
    /// The items that decide how requests for codes are answered.
    let requests: SecretNamespace
    /// Sessions, by the hash of their tokens.
    let sessions: SecretNamespace
    /// The item that is written to check whether the store takes writes.
    let probes: SecretNamespace

    init() throws(SecretStoreError) {
        accounts = try SecretNamespace("account-server.accounts")
        codes = try SecretNamespace("account-server.codes")
        requests = try SecretNamespace("account-server.requests")
        sessions = try SecretNamespace("account-server.sessions")
        probes = try SecretNamespace("account-server.probes")
    }
}

/// The stored data of an account, besides the passcode's own record.
struct AccountRecord: Codable, Sendable, Hashable {
    var version = 1
    var revision: AccountRevision?
    var timeout = AccountTimeout.preset
    /// How often all sessions of the account were ended; `nil` if they never were.
    var epoch: Int?
    /// Whether an administrator's call has disabled passcodes, whatever the file of accounts says.
    var isDisabled: Bool?
    /// The reason for which an administrator's call holds the person back; `nil` if none does.
    var quarantine: String?

    /// Ends all sessions that have begun so far.
    mutating func raiseEpoch() { epoch = (epoch ?? 0) + 1 }
}

/// An item as it was read: its content, and the precondition for the next write.
struct Found<Record: Sendable>: Sendable {
    var record: Record
    var condition: WritePrecondition
}

/// An item that was read together with another one.
struct ReadItem: Sendable {
    var name: SecretName
    /// The item; `nil` if there was none.
    var stored: StoredSecret?
}

/// Reads and prepares items that are JSON.
struct ServerItems: Sendable {
    let store: any TransactionalSecretStore
    let names: ServerNames
    private let logger: Logger

    init(store: any TransactionalSecretStore, logger: Logger) throws(SecretStoreError) {
        self.store = store
        self.names = try ServerNames()
        self.logger = logger
    }

    /// Reads an item, or returns `fallback` if there is none.
    func read<Record: Decodable & Sendable>(
        _ name: SecretName,
        or fallback: Record
    ) async throws(SecretStoreError) -> Found<Record> {
        try found(ReadItem(name: name, stored: try await store.read(name)), or: fallback)
    }

    /// Reads an item, or returns `fallback` if there is none; also reads another item as it was at the same
    /// moment.
    func read<Record: Decodable & Sendable>(
        _ name: SecretName,
        or fallback: Record,
        with other: SecretName
    ) async throws(SecretStoreError) -> (found: Found<Record>, other: ReadItem) {
        let items = try await store.read([name, other])
        let item = ReadItem(name: name, stored: items[0])
        return (try found(item, or: fallback), ReadItem(name: other, stored: items[1]))
    }

    /// Decodes an item that was read, or returns `fallback` if there was none.
    func found<Record: Decodable & Sendable>(
        _ item: ReadItem,
        or fallback: Record
    ) throws(SecretStoreError) -> Found<Record> {
        guard let stored = item.stored else { return Found(record: fallback, condition: .absent) }
        return try decoded(stored, item.name)
    }

    private func decoded<Record: Decodable & Sendable>(
        _ stored: StoredSecret,
        _ name: SecretName
    ) throws(SecretStoreError) -> Found<Record> {
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

    /// How many items are read in one call. A cluster takes 128 in a call by default.
    private static let batchSize = 100

    /// Does something with each item of a namespace, until the task is cancelled. An item that cannot be
    /// understood is logged, and does not hold up the others.
    ///
    /// Items are read a hundred at a time. So an item may have changed when the body gets it, and a write has
    /// to name the version that was read.
    func forEach<Record: Decodable & Sendable>(
        in namespace: SecretNamespace,
        _ body: (SecretName, Found<Record>) async throws(SecretStoreError) -> Void
    ) async throws(SecretStoreError) {
        var rest = try await store.names(in: namespace)[...]
        while !rest.isEmpty {
            let names = Array(rest.prefix(Self.batchSize))
            rest = rest.dropFirst(names.count)
            guard !Task.isCancelled else { return }
            let batch = try await together(names)
            for (index, name) in names.enumerated() {
                guard !Task.isCancelled else { return }
                do throws(SecretStoreError) {
                    let stored = if let batch { batch[index] } else { try await store.read(name) }
                    if let stored { try await body(name, try decoded(stored, name)) }
                } catch {
                    switch error.code.portable {
                    case .damaged, .rolledBack, .newerFormat:
                        logger.error(
                            "an item cannot be read or ended",
                            metadata: ["namespace": "\(namespace)", "reason": "\(error)"]
                        )
                    default: throw error
                    }
                }
            }
        }
    }

    /// Reads several items in one call. The result is `nil` if one of them cannot be read, or if the store
    /// does not take so many in a call. Each item then has to be read by itself.
    private func together(_ names: [SecretName]) async throws(SecretStoreError) -> [StoredSecret?]? {
        do throws(SecretStoreError) { return try await store.read(names) } catch {
            switch error.code.portable {
            case .damaged, .rolledBack, .newerFormat, .tooLarge: return nil
            default: throw error
            }
        }
    }

    /// Makes the change that writes a record.
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

    /// Makes all changes, or none if another writer was faster.
    ///
    /// - Returns: the names of the items that another writer has changed; empty if all changes were made.
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
