#if EtcdStore
internal import AdapterKit
internal import Foundation
internal import GRPCCore
public import PortcullisCore
internal import SwiftProtobuf
internal import Synchronization

/// Publishes a short text of this client to the other clients of a cluster, and reads their texts.
///
/// A text lasts as long as its lease, which ends a few seconds after the client last renewed it. A call that
/// has begun is completed even if its task is cancelled. Each request of the call lasts at most as long as
/// the cluster's deadline.
public final class EtcdPresence: Sendable {
    /// The text of one client.
    public struct Entry: Sendable, Hashable {
        /// The client's id.
        public let id: String
        /// The client's text.
        public let text: String
        /// The revision at which the client published the text. A new revision means that the client has
        /// published again.
        public let revision: Int64
    }

    private let cluster: EtcdCluster
    private let keys: KeyForm
    private let id: String
    /// How long other clients see the text after the last call of ``tell(_:)``.
    public let lifetime: Duration
    private let lease = Mutex<Int64?>(nil)

    /// Makes the presence of one client.
    ///
    /// - Parameters:
    ///   - store: the store whose cluster and prefix are used.
    ///   - id: the name of this client: 1 to 64 printable characters of ASCII.
    ///   - lifetime: how long other clients see the text after it was last published; whole seconds, 2 at
    ///     least.
    public init(_ store: EtcdStore, id: String, lifetime: Duration = .seconds(5)) {
        (cluster, keys, self.id) = (store.cluster, store.keys, id)
        self.lifetime = max(lifetime, .seconds(2))
    }

    private func key(_ id: String) -> Data { keys.beside("presence/" + id) }

    /// Publishes a text in place of the previous one, and renews the lifetime.
    ///
    /// - Parameter text: makes the text. The closure is called for each attempt, just before the text is
    ///   sent. By then the renewal of the lifetime and earlier attempts may have taken seconds.
    /// - Throws: the error of a failed call.
    public func tell(_ text: @escaping @Sendable () -> String) async throws(SecretStoreError) {
        try await cluster.carryThrough { [self] () async throws(SecretStoreError) in try await publish(text) }
    }

    private func publish(_ text: @Sendable () -> String) async throws(SecretStoreError) {
        let known = lease.withLock { $0 }
        let id: Int64
        if let known, try await isRenewed(known) { id = known } else { id = try await grant() }
        lease.withLock { $0 = id }
        _ = try await cluster.txn {
            .with {
                $0.success = [
                    .with {
                        $0.requestPut = .with {
                            $0.key = key(self.id)
                            $0.value = Data(text().utf8)
                            $0.lease = id
                        }
                    }
                ]
            }
        }
    }

    private func grant() async throws(SecretStoreError) -> Int64 {
        let seconds = lifetime.components.seconds
        return try await cluster.call { attempt in
            try await Etcdserverpb_Lease.Client(wrapping: attempt.node.client).leaseGrant(
                .with { $0.ttl = seconds },
                metadata: attempt.metadata,
                options: attempt.options
            )
        }.answer.id
    }

    private func isRenewed(_ lease: Int64) async throws(SecretStoreError) -> Bool {
        try await cluster.call { attempt in
            try await Etcdserverpb_Lease.Client(wrapping: attempt.node.client).leaseKeepAlive(
                metadata: attempt.metadata,
                options: attempt.options,
                requestProducer: { writer in try await writer.write(.with { $0.id = lease }) },
                onResponse: { response in
                    for try await message in response.messages { return message.ttl > 0 }
                    return false
                }
            )
        }.answer
    }

    /// Returns the texts whose lifetime has not ended, including this client's text.
    ///
    /// - Throws: the error of a failed call.
    public func all() async throws(SecretStoreError) -> [Entry] {
        let (start, end) = (key(""), keys.beside("presence0"))
        let found = try await cluster.carryThrough { [cluster] () async throws(SecretStoreError) in
            try await cluster.range(
                .with {
                    $0.key = start
                    $0.rangeEnd = end
                }
            )
        }
        return found.kvs.compactMap { entry in
            guard let id = String(validating: entry.key.dropFirst(start.count), as: UTF8.self),
                let text = String(validating: entry.value, as: UTF8.self)
            else { return nil }
            return Entry(id: id, text: text, revision: entry.modRevision)
        }
    }

    /// Removes this client's text from the cluster.
    ///
    /// - Throws: the error of a failed call. After an error the other clients may see the text until its
    ///   lifetime ends.
    public func leave() async throws(SecretStoreError) {
        guard let known = lease.withLock({ $0 }) else { return }
        try await cluster.carryThrough { [cluster] () async throws(SecretStoreError) in
            _ = try await cluster.call { attempt in
                try await Etcdserverpb_Lease.Client(wrapping: attempt.node.client).leaseRevoke(
                    .with { $0.id = known },
                    metadata: attempt.metadata,
                    options: attempt.options
                )
            }
        }
        lease.withLock { $0 = nil }
    }
}
#endif
