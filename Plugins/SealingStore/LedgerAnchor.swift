internal import AdapterKit
internal import Gcrypt
internal import PortcullisCore
internal import Synchronization

/// Reads and writes this client's records in a rollback anchor.
///
/// A record consists of these parts, each with its number of bytes:
/// - fixed first bytes (8),
/// - the number of the record, called the turn (8),
/// - the id of the client (16),
/// - the number of the root, an item of the ``SeenLedger`` (8),
/// - the generation of the sealing keys (8),
/// - zeros (48),
/// - the HMAC-SHA256 of all bytes before (32).
final class LedgerAnchor: Sendable {
    struct Witness: Sendable {
        var turn: UInt64 = 0
        var number: UInt64 = 0
        var keyring: UInt64 = 0
    }

    private static let mark: [UInt8] = [0x89, 0x50, 0x53, 0x53, 0x4E, 0x0D, 0x0A, 0x1A]
    private static let size = 128

    let client: [UInt8]
    private let port: any RollbackAnchor
    /// Keeps other clients from the anchor as long as this object lasts.
    private let claim: (any AnchorClaim)?
    private let key: SecretBytes
    /// The thread for the port's calls, which block.
    private let queue: WorkerQueue
    private let state: Mutex<Witness>

    var witness: Witness { state.withLock { $0 } }

    /// Claims an anchor. If another client holds the claim, waits for the end of that client.
    ///
    /// Two clients with the same anchor would overwrite each other's records and stored numbers. The stored
    /// numbers could then be older than the latest record, and the store would count as rolled back.
    ///
    /// - Returns: the claim; `nil` if the anchor has no claims.
    /// - Throws: `anchorInUse` after the time limit, or if the task is cancelled.
    static func claim(
        _ port: any RollbackAnchor,
        within limit: Duration
    ) async throws(SecretStoreError) -> (any AnchorClaim)? {
        let queue = WorkerQueue("portcullis.anchor")
        let due = ContinuousClock.now + limit
        var tries = 0
        while true {
            do throws(SecretStoreError) {
                return try await queue.run { () throws(SecretStoreError) in try port.claim() }
            } catch {
                guard error.code == .lockTimeout else { throw error }
                guard ContinuousClock.now < due, !Task.isCancelled else {
                    throw SecretStoreError(
                        code: .anchorInUse,
                        message: "another process uses this anchor: end it, or give this one its own anchor",
                        path: port.place,
                        cause: error
                    )
                }
                await BackOff.standard.wait(after: tries)
                tries += 1
            }
        }
    }

    /// Refuses an underlying store that holds no keys although the anchor holds a record. A record is kept
    /// only after there are keys, so such a store was emptied.
    static func demandKeys(
        in base: any SecretStore,
        _ port: any RollbackAnchor
    ) async throws(SecretStoreError) {
        let queue = WorkerQueue("portcullis.anchor")
        let records = try await queue.run { () throws(SecretStoreError) in try port.records() }
        guard !isBlank(records ?? []), try await base.read(Keyring.itemName) == nil else { return }
        throw SecretStoreError(
            code: .rolledBack,
            message: "the anchor knows a store, but its sealing keys are gone",
            path: port.place
        )
    }

    /// Whether the bytes hold no record. If the write of the first record is cut short, it may leave only
    /// zeros.
    private static func isBlank(_ bytes: [UInt8]) -> Bool { bytes.allSatisfy { $0 == 0 } }

    static func open(
        _ port: any RollbackAnchor,
        _ claim: (any AnchorClaim)?,
        nameKey: SecretBytes
    ) async throws(SecretStoreError) -> LedgerAnchor {
        let queue = WorkerQueue("portcullis.anchor")
        let key: SecretBytes
        do { key = try Digest.derive(from: nameKey, Array("portcullis anchor 1".utf8)) } catch {
            throw .sealing(error)
        }
        let records = try await queue.run { () throws(SecretStoreError) in try port.records() }
        let found = try records.flatMap { (records) throws(SecretStoreError) in
            try newest(in: records, key, port.place)
        }
        return LedgerAnchor(
            client: found?.client ?? .random(16),
            port: port,
            claim: claim,
            key: key,
            queue: queue,
            witness: found?.witness ?? Witness()
        )
    }

    private init(
        client: [UInt8],
        port: any RollbackAnchor,
        claim: (any AnchorClaim)?,
        key: SecretBytes,
        queue: WorkerQueue,
        witness: Witness
    ) {
        (self.client, self.port, self.claim) = (client, port, claim)
        (self.key, self.queue) = (key, queue)
        state = Mutex(witness)
    }

    private static func newest(
        in bytes: [UInt8],
        _ key: SecretBytes,
        _ place: String
    ) throws(SecretStoreError) -> (client: [UInt8], witness: Witness)? {
        var best: (client: [UInt8], witness: Witness)?
        for start in stride(from: 0, through: bytes.count - size, by: size) {
            let record = Array(bytes[start..<start + size])
            guard record.starts(with: mark), try mac(record, key) == Array(record[96...]) else { continue }
            let turn: UInt64 = record.number(at: 8)
            guard turn > best?.witness.turn ?? 0 else { continue }
            best = (
                Array(record[16..<32]),
                Witness(turn: turn, number: record.number(at: 32), keyring: record.number(at: 40))
            )
        }
        if best == nil, !isBlank(bytes) {
            throw SecretStoreError(code: .damaged, message: "the anchor is not this store's", path: place)
        }
        return best
    }

    private static func mac(_ record: [UInt8], _ key: SecretBytes) throws(SecretStoreError) -> [UInt8] {
        do { return try Digest.authenticate(record[..<96], under: key) } catch { throw .sealing(error) }
    }

    func keep(number: UInt64, keyring: UInt64) async throws(SecretStoreError) {
        let last = witness
        let next = Witness(turn: last.turn + 1, number: number, keyring: max(keyring, last.keyring))
        var record = Self.mark
        record.append(next.turn)
        record += client
        record.append(next.number)
        record.append(next.keyring)
        record += [UInt8](repeating: 0, count: 48)
        record += try Self.mac(record, key)
        let (port, bytes, reason) = (port, record, last.turn == 0 ? AnchorReason.setUp : .libraryItems)
        try await queue.run { () throws(SecretStoreError) in
            try port.keep(bytes, turn: next.turn, for: reason)
        }
        state.withLock { $0 = next }
    }
}
