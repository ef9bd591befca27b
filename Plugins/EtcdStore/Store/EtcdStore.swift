#if EtcdStore
internal import AdapterKit
internal import Foundation
public import PortcullisCore
internal import SwiftProtobuf

/// A ``/PortcullisCore/TransactionalSecretStore`` on an etcd cluster, for servers that share their items.
///
/// Each item is one key. The item's version is the revision of its last change. Reads are linearizable, and a
/// batch is one transaction. The changes of all clients are signalled through a watch. After a lost
/// connection the watch resumes at the next revision.
///
/// A call is sent to one node. If that node does not answer in time, the call is sent to the next node, until
/// the deadline. The next node then also gets the later calls, and the watch moves to it.
///
/// A change is sent with a precondition that the change itself makes false. So the change is made at most
/// once, even if it is sent several times.
///
/// There is one exception, because the precondition that an item is absent can become true again. This
/// happens if the answer to the creation of an item is lost, and then another client removes the item. When
/// the creation is sent again, the item is created a second time.
///
/// A transaction also stores 16 random bytes, its mark. After a lost answer, the next attempt may find a
/// precondition false. The store then searches the earlier revisions of the items for the mark. If the search
/// has no certain result, for instance because another client removed the item meanwhile, the error is
/// ``/PortcullisCore/SecretStoreErrorCode/outcomeUnknown``.
///
/// etcd does not encrypt the items: put a `SealingStore` in front of this store.
public final class EtcdStore: TransactionalSecretStore {
    let cluster: EtcdCluster
    let keys: KeyForm
    let backOff = BackOff.standard
    let signals = ChangeSignals()
    private let watch: ChangeWatch

    /// Connects to a cluster.
    ///
    /// - Throws: `etcdBadEndpoint` or `etcdCertificateRefused` if the configuration cannot be used; the error
    ///   of a failed call if the cluster does not answer.
    public static func open(_ configuration: EtcdConfiguration) async throws(SecretStoreError) -> EtcdStore {
        let store = EtcdStore(try EtcdCluster(configuration))
        // The answer contains the present revision. A watch that is set up later begins with the next
        // revision. So the watch misses no change.
        _ = try await store.isEmpty()
        return store
    }

    private init(_ cluster: EtcdCluster) {
        self.cluster = cluster
        keys = KeyForm(prefix: cluster.configuration.prefix)
        watch = ChangeWatch(cluster, keys, signals)
    }

    deinit { close() }

    /// Ends the connections and the streams of changes. Later calls fail.
    public func close() {
        watch.stop()
        signals.finish()
        cluster.close()
    }

    /// The store is durable and shared by processes. It signals the changes of this process and of others.
    public var capabilities: SecretStoreCapabilities {
        [.signalsOwnChanges, .signalsOtherProcesses, .isDurable, .isShared]
    }

    /// Whether there is no item under the prefix, in any namespace.
    ///
    /// - Throws: the error of a failed call.
    public func isEmpty() async throws(SecretStoreError) -> Bool {
        try await cluster.carryThrough { [cluster, keys] () async throws(SecretStoreError) in
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

    /// Reads one item. A majority of the nodes confirms that the result is the item's present value.
    public func read(_ name: SecretName) async throws(SecretStoreError) -> StoredSecret? {
        try await cluster.carryThrough { [self] () async throws(SecretStoreError) in
            try stored(try await current(name))
        }
    }

    /// Reads several items at one revision, in one transaction that changes nothing.
    ///
    /// - Throws: `tooLarge` for more items than the cluster accepts (128 by default); the error of a failed
    ///   call.
    public func read(_ names: [SecretName]) async throws(SecretStoreError) -> [StoredSecret?] {
        guard !names.isEmpty else { return [] }
        return try await cluster.carryThrough { [self] () async throws(SecretStoreError) in
            let answer = try await cluster.ranges(names.map { name in .with { $0.key = keys.key(name) } })
            guard answer.count == names.count else { throw .etcdAnswerOfAnotherForm }
            var items: [StoredSecret?] = []
            for range in answer { items.append(try stored(range.kvs.first)) }
            return items
        }
    }

    private func stored(
        _ entry: Etcdserverpb_KeyValue?
    ) throws(SecretStoreError) -> StoredSecret? {
        guard let entry else { return nil }
        let form = try ValueForm(entry.value)
        return StoredSecret(
            value: form.value,
            version: SecretVersion(UInt64(entry.modRevision)),
            accessibility: form.accessibility
        )
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

    /// The largest number of names in the answer to one request.
    private static let pageSize: Int64 = 5_000
    /// The largest number of listings in one call. If the cluster compacts the revision of a listing, the
    /// listing begins again. Clusters compact every few minutes.
    private static let mostListings = 20

    /// Returns the names in a namespace, sorted, as they are at one revision.
    ///
    /// - Throws: `systemFailure` if a node returns a page twice; the error of a failed call.
    public func names(in namespace: SecretNamespace) async throws(SecretStoreError) -> [SecretName] {
        try await cluster.carryThrough { [cluster, keys] () async throws(SecretStoreError) in
            var names: [SecretName] = []
            var (start, revision, listings) = (keys.start(namespace), Int64(0), 1)
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
                    // Revision 0 means the present revision, which is always kept. So for revision 0 the
                    // error is thrown, and the listing does not begin again.
                    guard error.code == .etcdCompacted, revision != 0, listings < Self.mostListings else {
                        throw error
                    }
                    // The cluster no longer keeps this revision. So all names are read again at a later
                    // revision.
                    (names, start, revision) = ([], keys.start(namespace), 0)
                    listings += 1
                    continue
                }
                names += page.kvs.compactMap { keys.name($0.key) }
                guard page.more, let last = page.kvs.last else { return names }
                // A node that returns a page twice would make the listing endless.
                guard !last.key.lexicographicallyPrecedes(start) else { throw .etcdAnswerOfAnotherForm }
                (start, revision) = (last.key + [0], revision == 0 ? page.header.revision : revision)
            }
        }
    }

    /// Signals each change in a namespace, by any client.
    public func changes(in namespace: SecretNamespace) -> AsyncStream<Void> {
        watch.start()
        return signals.stream(in: namespace)
    }

    /// Signals each change of an item, by any client.
    public func changes(to name: SecretName) -> AsyncStream<Void> {
        watch.start()
        return signals.stream(of: name)
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
