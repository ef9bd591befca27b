import AdapterKit
import Foundation
import PortcullisCore
import PortcullisTesting
import Testing

/// All items of a store.
struct Snapshot: Sendable {
    var items: [SecretName: StoredSecret] = [:]
    /// Counts all changes: a version does not come back when its item is removed and made again.
    var latest: UInt64 = 0
}

/// What the platform gives. Both calls may block.
protocol Snapshots: Sendable {
    func load() throws(SecretStoreError) -> Snapshot
    /// Replaces all that is there in one step, which is durable when the call returns.
    func save(_ snapshot: Snapshot) throws(SecretStoreError)
}

struct SnapshotStore: SecretStore {
    let snapshots: any Snapshots
    let capabilities: SecretStoreCapabilities = [.isDurable, .signalsOwnChanges]
    private let thread = WorkerThread()
    private let signals = ChangeSignals()

    init(_ snapshots: any Snapshots) { self.snapshots = snapshots }

    func read(_ name: SecretName) async throws(SecretStoreError) -> StoredSecret? {
        try await thread.run { () throws(SecretStoreError) in try snapshots.load().items[name] }
    }

    func write(
        _ value: SecretBytes,
        to name: SecretName,
        accessibility: Accessibility,
        if precondition: WritePrecondition
    ) async throws(SecretStoreError) -> WriteOutcome {
        let (old, new) = try await replace(name, if: precondition) { version in
            StoredSecret(value: value, version: version, accessibility: accessibility)
        }
        return new.map { .written($0) } ?? .conflict(current: old)
    }

    func remove(_ name: SecretName, if precondition: WritePrecondition) async throws(SecretStoreError)
        -> RemoveOutcome
    {
        let (old, new) = try await replace(name, if: precondition) { _ in nil }
        return new == nil ? .conflict(current: old) : old == nil ? .absent : .removed
    }

    func names(in namespace: SecretNamespace) async throws(SecretStoreError) -> [SecretName] {
        let names = try await thread.run { () throws(SecretStoreError) in try snapshots.load().items.keys }
        return names.filter { $0.namespace == namespace }.sorted()
    }

    func changes(in namespace: SecretNamespace) -> AsyncStream<Void> { signals.stream(in: namespace) }
    func changes(to name: SecretName) -> AsyncStream<Void> { signals.stream(of: name) }

    /// - Returns: the version that was there, and the new one; no new one where the precondition does not hold.
    private func replace(
        _ name: SecretName,
        if precondition: WritePrecondition,
        by item: @escaping @Sendable (SecretVersion) -> StoredSecret?
    ) async throws(SecretStoreError) -> (old: SecretVersion?, new: SecretVersion?) {
        let (old, new) = try await thread.run { () throws(SecretStoreError) in
            var snapshot = try snapshots.load()
            let old = snapshot.items[name]?.version
            guard precondition.holds(for: old) else { return (old, nil as SecretVersion?) }
            snapshot.latest += 1
            snapshot.items[name] = item(SecretVersion(snapshot.latest))
            try snapshots.save(snapshot)
            return (old, SecretVersion(snapshot.latest))
        }
        if new != nil { signals.send([name]) }
        return (old, new)
    }
}

extension SecretStoreErrorCode {
    static let diskRemoved = Self("snapshotStore.diskRemoved", like: .unreachable)
}

/// A durable store: its places are files.
@Suite("Guides: a secret store", .timeLimit(.minutes(5)))
struct StorePortGuide {
    private static let inapplicable: Set<String> = [
        "SS-23", "SS-24", "SS-25", "SS-27", "SS-28", "SS-29", "SS-30", "SS-31", "SS-37",
    ]

    @Test("X-3: keeps the contract", arguments: SecretStoreContract.allCases)
    func contract(_ clause: SecretStoreContract) async throws {
        let subject = SecretStoreSubject(places: {
            let file = try MyFile()
            return .init(
                damage: { item in try file.damage(item) },
                hold: { file.hold() },
                open: { SnapshotStore(file) }
            )
        })
        let result = try await clause.check(subject)
        #expect((result == .kept) == !Self.inapplicable.contains(clause.id))
    }

    @Test("X-3: a store with a lock, which is shared")
    func report() async throws {
        let subject = SecretStoreSubject(
            unsupported: [.valueSizes],
            lock: { store in (store as? MyStore)?.lock() },
            unlock: { store in (store as? MyStore)?.unlock() },
            reopening: {
                let items = MyStore.Storage()
                return { MyStore(items) }
            }
        )
        let report = await ContractReport(of: SecretStoreContract.self) { clause throws(ContractViolation) in
            try await clause.check(subject)
        }
        print(report)
        #expect(report.isKept)
        #expect(report.notApplicable.map(\.id) == ["SS-02", "SS-24", "SS-32", "SS-36"])
    }

    @Test("X-3: a code of the adapter's own")
    func code() {
        #expect(SecretStoreErrorCode.diskRemoved.portable == .unreachable)
    }
}

private typealias MyStore = InMemorySecretStore

/// All items in one file, replaced as a whole; the last eight bytes are the sum of the others.
///
/// The values lie in it as they are.
private final class MyFile: Snapshots {
    private struct Row: Codable {
        var namespace: String
        /// Bytes, because equal strings may differ in theirs.
        var name: Data
        var value: Data
        var version: UInt64
        var accessibility: Int
    }

    private struct Rows: Codable {
        var latest: UInt64
        var rows: [Row]
    }

    private let folder: ScratchFolder
    private let url: URL
    private let isFree = NSCondition()
    // Guarded by `isFree`.
    nonisolated(unsafe) private var isHeld = false

    init() throws {
        folder = try ScratchFolder()
        url = URL(fileURLWithPath: "\(folder)/items")
    }

    func load() throws(SecretStoreError) -> Snapshot {
        wait()
        var content = Snapshot()
        guard FileManager.default.fileExists(atPath: url.path) else { return content }
        let data: Data
        do { data = try Data(contentsOf: url) } catch {
            throw SecretStoreError(code: .systemFailure, message: "not read", path: url.path, cause: error)
        }
        guard data.count > 8, data.suffix(8) == Self.sum(of: data.dropLast(8)),
            let rows = try? JSONDecoder().decode(Rows.self, from: data.dropLast(8))
        else { throw SecretStoreError(code: .damaged, message: "the sum is another", path: url.path) }
        content.latest = rows.latest
        for row in rows.rows {
            let text = String(decoding: row.name, as: UTF8.self)
            content.items[try SecretName(text, in: SecretNamespace(row.namespace))] = StoredSecret(
                value: SecretBytes(copying: row.value),
                version: SecretVersion(row.version),
                accessibility: Accessibility.allCases[row.accessibility]
            )
        }
        return content
    }

    func save(_ content: Snapshot) throws(SecretStoreError) {
        wait()
        let rows = content.items.map { name, item in
            Row(
                namespace: name.namespace.rawValue,
                name: Data(name.name.utf8),
                value: item.value.withBytes { bytes in Data(bytes.indices.map { bytes[$0] }) },
                version: item.version.rawValue,
                accessibility: Accessibility.allCases.firstIndex(of: item.accessibility) ?? 0
            )
        }
        do {
            let data = try JSONEncoder().encode(Rows(latest: content.latest, rows: rows))
            let new = url.appendingPathExtension("new")
            try (data + Self.sum(of: data)).write(to: new)
            try Self.synchronise(new)
            guard unsafe rename(new.path, url.path) == 0 else { throw POSIXError(.EIO) }
        } catch {
            throw SecretStoreError(code: .systemFailure, message: "not written", path: url.path, cause: error)
        }
        do { try Self.synchronise(url.deletingLastPathComponent()) } catch {
            throw SecretStoreError(
                code: .durabilityUnknown,
                message: "not synced",
                path: url.path,
                cause: error
            )
        }
    }

    private static func synchronise(_ url: URL) throws {
        let handle = try FileHandle(forReadingFrom: url)
        defer { try? handle.close() }
        try handle.synchronize()
    }

    /// FNV-1a: it tells an accident, and not an attack.
    private static func sum(of data: Data) -> Data {
        var sum: UInt64 = 0xCBF2_9CE4_8422_2325
        for byte in data { sum = (sum ^ UInt64(byte)) &* 0x0000_0100_0000_01B3 }
        return Data((0..<8).map { UInt8(truncatingIfNeeded: sum >> (8 * $0)) })
    }

    private func wait() {
        isFree.withLock { while unsafe isHeld { isFree.wait() } }
    }

    func hold() -> @Sendable () -> Void {
        isFree.withLock { unsafe isHeld = true }
        return { [self] in
            isFree.withLock {
                unsafe isHeld = false
                isFree.broadcast()
            }
        }
    }

    /// All items lie in one file, so that each is damaged with the others.
    func damage(_ item: SecretName) throws {
        var data = try Data(contentsOf: url)
        data[data.count / 2] ^= 1
        try data.write(to: url)
    }
}
