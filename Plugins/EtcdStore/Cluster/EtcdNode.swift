#if EtcdStore
internal import GRPCCore
internal import GRPCNIOTransportHTTP2
internal import GRPCProtobuf
internal import PortcullisCore
internal import SwiftProtobuf
internal import Synchronization

/// A connection to one node. A lost connection is opened again.
final class EtcdNode: Sendable {
    typealias Client = GRPCClient<HTTP2ClientTransport.Posix>

    let endpoint: EtcdEndpoint
    let client: Client
    private let running: Task<Void, Never>

    init(_ endpoint: EtcdEndpoint, _ tls: EtcdConfiguration.TLS) throws(SecretStoreError) {
        let client: Client
        do {
            let transport = try HTTP2ClientTransport.Posix(
                target: Self.target(endpoint),
                transportSecurity: endpoint.isSecure ? .tls(Self.security(tls)) : .plaintext,
                config: .defaults { config in
                    config.backoff = .init(
                        initial: .milliseconds(50),
                        max: .seconds(1),
                        multiplier: 1.6,
                        jitter: 0.2
                    )
                    // etcd allows at most one ping every five seconds, and drops clients that send more.
                    config.connection.keepalive = .init(
                        time: .seconds(10),
                        timeout: .seconds(3),
                        allowWithoutCalls: true
                    )
                    config.connection.maxIdleTime = nil
                    config.channelDebuggingCallbacks = .init(
                        onCreateTCPConnection: { PingAnswer.add(to: $0) },
                        onCreateHTTP2Stream: nil
                    )
                }
            )
            client = GRPCClient(transport: transport)
        } catch {
            throw SecretStoreError(
                code: endpoint.isSecure ? .etcdCertificateRefused : .etcdBadEndpoint,
                message: "no connection to \(endpoint) can be set up",
                cause: error
            )
        }
        (self.endpoint, self.client) = (endpoint, client)
        running = Task {
            // The call returns when this task is cancelled. It throws only if the client was run or shut down
            // before. This client is new, so the error is ignored.
            try? await client.runConnections()
        }
    }

    deinit { running.cancel() }

    /// Ends the connection and all calls over it.
    func close() { running.cancel() }

    private static func target(_ endpoint: EtcdEndpoint) -> any ResolvableTarget {
        if endpoint.host.contains(":") { return .ipv6(address: endpoint.host, port: endpoint.port) }
        if endpoint.isIPv4 { return .ipv4(address: endpoint.host, port: endpoint.port) }
        return .dns(host: endpoint.host, port: endpoint.port)
    }

    private static func security(
        _ tls: EtcdConfiguration.TLS
    ) -> HTTP2ClientTransport.Posix.TransportSecurity.TLS {
        .defaults { security in
            if let path = tls.authorities {
                security.trustRoots = .certificates([.file(path: path, format: .pem)])
            }
            if let path = tls.certificate { security.certificateChain = [.file(path: path, format: .pem)] }
            if let path = tls.key { security.privateKey = .file(path: path, format: .pem) }
        }
    }
}

/// Records whether a request has left this process.
final class SendMark: Sendable {
    private let isMarked = Atomic(false)

    var wasSent: Bool { isMarked.load(ordering: .acquiring) }

    func mark() { isMarked.store(true, ordering: .releasing) }
}

/// Serializes a request, and first records it as sent. gRPC serializes a request only after it has a
/// connection for the request. So a request without this record has not left the process.
struct MarkingSerializer<Message: SwiftProtobuf.Message>: MessageSerializer {
    let mark: SendMark

    func serialize<Bytes: GRPCContiguousBytes>(_ message: Message) throws -> Bytes {
        mark.mark()
        return try ProtobufSerializer<Message>().serialize(message)
    }
}
#endif
