#if EtcdStore
internal import AdapterKit
internal import Foundation
public import PortcullisCore
internal import SwiftProtobuf

/// A ``/PortcullisCore/TransactionalSecretStore`` on an etcd cluster, for servers that share their items.
///
/// Each item is one key. Its version is the revision at which it was changed, reads are linearizable, and a batch is one
/// transaction. Changes by anyone are signalled through a watch, which goes on where it was after a connection was lost.
///
/// A call asks one node, and the next one where that does not answer in time, until the deadline. A change is sent with a
/// condition that holds once only, and with a mark of its own, so it is made at most once however often it is sent. What
/// became of it is then looked for: where that cannot be told, as when another client changed the item meanwhile, the error
/// is ``/PortcullisCore/SecretStoreErrorCode/outcomeUnknown``.
///
/// etcd encrypts nothing: put a `SealingStore` in front.
public final class EtcdStore: TransactionalSecretStore {
    let cluster: EtcdCluster
    let keys: KeyForm
    let backOff = BackOff.standard
    let signals = ChangeSignals()
    private let watch: ChangeWatch

    /// Connects to a cluster.
    ///
    /// - Throws: `etcdBadEndpoint` or `etcdCertificateRefused`
    ///   where the configuration cannot be used; the codes of a call where the cluster does not answer.
    public static func open(_ configuration: EtcdConfiguration) async throws(SecretStoreError) -> EtcdStore {
        let store = EtcdStore(try EtcdCluster(configuration))
        // Signals go back to here, however long their watch takes to begin.
        _ = try await store.isEmpty()
        return store
    }

    private init(_ cluster: EtcdCluster) {
        self.cluster = cluster
        keys = KeyForm(prefix: cluster.configuration.prefix)
        watch = ChangeWatch(cluster, keys, signals)
    }

    deinit { close() }

    /// Ends the connections and the streams of changes; calls fail from then on.
    public func close() {
        watch.stop()
        signals.finish()
        cluster.close()
    }

    /// All there is: items outlive the process, are shared, and changes by others are signalled.
    public var capabilities: SecretStoreCapabilities {
        [.signalsOwnChanges, .signalsOtherProcesses, .isDurable, .isShared]
    }

    /// Whether there is no item under the prefix, of any namespace.
    ///
    /// - Throws: the codes of a call.
    public func isEmpty() async throws(SecretStoreError) -> Bool {
        try await carryThrough { [cluster, keys] () async throws(SecretStoreError) in
            try await cluster.range(
                .with {
                    $0.key = keys.itemsStart
                    $0.rangeEnd = keys.itemsEnd
                    $0.limit = 1
                    $0.keysOnly = true
                }
            ).kvs.isEmpty
        }
    }

    /// Reads one item as it is now, by a majority's word.
    public func read(_ name: SecretName) async throws(SecretStoreError) -> StoredSecret? {
        try await carryThrough { [self] () async throws(SecretStoreError) in
            guard let found = try await current(name) else { return nil }
            let form = try ValueForm(found.value)
            return StoredSecret(
                value: form.value,
                version: SecretVersion(UInt64(found.modRevision)),
                accessibility: form.accessibility
            )
        }
    }

    func current(
        _ name: SecretName,
        keysOnly: Bool = false
    ) async throws(SecretStoreError) -> Etcdserverpb_KeyValue? {
        try await cluster.range(
            .with {
                $0.key = keys.key(name)
                $0.keysOnly = keysOnly
            }
        ).kvs.first
    }

    /// How many names are asked for at once.
    private static let pageSize: Int64 = 5_000

    /// The names in a namespace, sorted, all of one moment.
    public func names(in namespace: SecretNamespace) async throws(SecretStoreError) -> [SecretName] {
        try await carryThrough { [cluster, keys] () async throws(SecretStoreError) in
            var names: [SecretName] = []
            var (start, revision) = (keys.start(namespace), Int64(0))
            while true {
                let page: Etcdserverpb_RangeResponse
                do throws(SecretStoreError) {
                    page = try await cluster.range(
                        .with {
                            $0.key = start
                            $0.rangeEnd = keys.end(namespace)
                            $0.limit = Self.pageSize
                            $0.revision = revision
                            $0.keysOnly = true
                        }
                    )
                } catch {
                    guard error.code == .etcdCompacted else { throw error }
                    // The moment is not kept any more: from the beginning, at a later one.
                    (names, start, revision) = ([], keys.start(namespace), 0)
                    continue
                }
                names += page.kvs.compactMap { keys.name($0.key) }
                guard page.more, let last = page.kvs.last else { return names }
                (start, revision) = (last.key + [0], revision == 0 ? page.header.revision : revision)
            }
        }
    }

    /// A signal after each change in a namespace, by any client.
    public func changes(in namespace: SecretNamespace) -> AsyncStream<Void> {
        watch.start()
        return signals.stream(in: namespace)
    }

    /// A signal after each change of an item, by any client.
    public func changes(to name: SecretName) -> AsyncStream<Void> {
        watch.start()
        return signals.stream(of: name)
    }

    /// Does work that a cancelled task carries through as well: it ends by the deadline.
    func carryThrough<Answer: Sendable>(
        _ work: @escaping @Sendable () async throws(SecretStoreError) -> Answer
    ) async throws(SecretStoreError) -> Answer {
        let task = Task { () async -> Result<Answer, SecretStoreError> in
            do throws(SecretStoreError) { return .success(try await work()) } catch { return .failure(error) }
        }
        return try await task.value.get()
    }
}

extension EtcdStore: CustomStringConvertible {
    /// The nodes and the prefix.
    public var description: String {
        let configuration = cluster.configuration
        let nodes = configuration.endpoints.map { "\($0)" }.joined(separator: ", ")
        return "EtcdStore \(nodes) \(configuration.prefix)"
    }
}
#endif
