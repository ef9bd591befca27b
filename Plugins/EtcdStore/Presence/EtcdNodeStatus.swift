#if EtcdStore
internal import GRPCCore
internal import PortcullisCore

/// The state of one node of a cluster, as the node reports it.
public struct EtcdNodeStatus: Sendable {
    /// The node.
    public let endpoint: EtcdEndpoint
    /// The node's version of etcd, such as `3.4.23`.
    public let version: String
    /// Whether the node knows a leader.
    public let hasLeader: Bool
    /// The size of the node's data in bytes.
    public let bytes: Int64
    /// The node's alarms and other errors, such as `NOSPACE`.
    public let alarms: [String]
}

extension EtcdStore {
    /// Asks all nodes for their states at the same time. A node that fails or does not answer in time is left
    /// out.
    public func status() async -> [EtcdEndpoint: EtcdNodeStatus] {
        await withTaskGroup(of: EtcdNodeStatus?.self) { group in
            for node in cluster.nodes { group.addTask { [cluster] in await Self.status(node, cluster) } }
            return await group.reduce(into: [:]) { found, status in
                if let status { found[status.endpoint] = status }
            }
        }
    }

    private static func status(_ node: EtcdNode, _ cluster: EtcdCluster) async -> EtcdNodeStatus? {
        var options = CallOptions.defaults
        options.timeout = cluster.configuration.attemptTimeout
        do {
            let answer = try await Etcdserverpb_Maintenance.Client(wrapping: node.client).status(
                Etcdserverpb_StatusRequest(),
                metadata: try await cluster.metadata(node, options).metadata,
                options: options
            )
            return EtcdNodeStatus(
                endpoint: node.endpoint,
                version: answer.version,
                hasLeader: answer.leader != 0,
                bytes: answer.dbSize,
                alarms: answer.errors.compactMap { $0.contains("NOSPACE") ? "NOSPACE" : $0 }
            )
        } catch {
            let code = AttemptFailure(error, wasSent: false).code
            cluster.configuration.onEvent(.attemptFailed(node: node.endpoint, code: code))
            return nil
        }
    }
}
#endif
