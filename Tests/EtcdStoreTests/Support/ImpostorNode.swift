#if EtcdStore
import GRPCCore
import GRPCNIOTransportHTTP2
import GRPCProtobuf
import SwiftProtobuf
import Synchronization

@testable import EtcdStore

/// A node whose answers a test chooses, as they come from a program that is no etcd.
final class ImpostorNode: Sendable {
    private let server: GRPCServer<HTTP2ServerTransport.Posix>
    private let serving: Task<Void, any Error>
    let endpoint: EtcdEndpoint

    /// - Parameters:
    ///   - ranges: the answer to each read.
    ///   - transactions: the answer to each transaction.
    ///   - changes: what a watch is told.
    ///   - endsWatches: whether the stream of a watch ends after that. Otherwise the node says nothing more,
    ///     and still answers keepalives.
    ///   - login: the token of each login.
    ///   - admits: whether a read with this token is answered.
    ///   - renewed: is called before the renewal of a lease is answered.
    ///   - asked: gets each transaction before it is answered.
    init(
        ranges: @escaping @Sendable () throws -> Etcdserverpb_RangeResponse,
        transactions: @escaping @Sendable () throws -> Etcdserverpb_TxnResponse,
        changes: @escaping @Sendable (Etcdserverpb_WatchCreateRequest) -> [Etcdserverpb_WatchResponse],
        endsWatches: Bool = true,
        login: @escaping @Sendable () -> String = { "" },
        admits: @escaping @Sendable (String) -> Bool = { _ in true },
        renewed: @escaping @Sendable () -> Void = {},
        asked: @escaping @Sendable (Etcdserverpb_TxnRequest) -> Void = { _ in }
    ) async throws {
        let transport = HTTP2ServerTransport.Posix(
            address: .ipv4(host: "127.0.0.1", port: 0),
            transportSecurity: .plaintext
        )
        var router = RPCRouter<HTTP2ServerTransport.Posix>()
        router.registerHandler(
            forMethod: Etcdserverpb_KV.Method.Range.descriptor,
            deserializer: ProtobufDeserializer<Etcdserverpb_RangeRequest>(),
            serializer: ProtobufSerializer<Etcdserverpb_RangeResponse>()
        ) { request, _ in
            guard admits(request.metadata[stringValues: "token"].joined()) else {
                throw RPCError(code: .unauthenticated, message: "etcdserver: invalid auth token")
            }
            return StreamingServerResponse(single: ServerResponse(message: try ranges()))
        }
        router.registerHandler(
            forMethod: Etcdserverpb_KV.Method.Txn.descriptor,
            deserializer: ProtobufDeserializer<Etcdserverpb_TxnRequest>(),
            serializer: ProtobufSerializer<Etcdserverpb_TxnResponse>()
        ) { request, _ in
            for try await message in request.messages { asked(message) }
            return StreamingServerResponse(single: ServerResponse(message: try transactions()))
        }
        router.registerHandler(
            forMethod: Etcdserverpb_Lease.Method.LeaseGrant.descriptor,
            deserializer: ProtobufDeserializer<Etcdserverpb_LeaseGrantRequest>(),
            serializer: ProtobufSerializer<Etcdserverpb_LeaseGrantResponse>()
        ) { _, _ in StreamingServerResponse(single: ServerResponse(message: .with { $0.id = 1 })) }
        router.registerHandler(
            forMethod: Etcdserverpb_Lease.Method.LeaseKeepAlive.descriptor,
            deserializer: ProtobufDeserializer<Etcdserverpb_LeaseKeepAliveRequest>(),
            serializer: ProtobufSerializer<Etcdserverpb_LeaseKeepAliveResponse>()
        ) { request, _ in
            StreamingServerResponse { writer in
                for try await _ in request.messages {
                    renewed()
                    try await writer.write(.with { $0.ttl = 5 })
                }
                return [:]
            }
        }
        router.registerHandler(
            forMethod: Etcdserverpb_Watch.Method.Watch.descriptor,
            deserializer: ProtobufDeserializer<Etcdserverpb_WatchRequest>(),
            serializer: ProtobufSerializer<Etcdserverpb_WatchResponse>()
        ) { request, _ in
            StreamingServerResponse { writer in
                for try await message in request.messages {
                    for change in changes(message.createRequest) { try await writer.write(change) }
                    if endsWatches { break }
                }
                return [:]
            }
        }
        router.registerHandler(
            forMethod: Etcdserverpb_Auth.Method.Authenticate.descriptor,
            deserializer: ProtobufDeserializer<Etcdserverpb_AuthenticateRequest>(),
            serializer: ProtobufSerializer<Etcdserverpb_AuthenticateResponse>()
        ) { _, _ in StreamingServerResponse(single: ServerResponse(message: .with { $0.token = login() })) }
        let server = GRPCServer(transport: transport, router: router)
        serving = Task { try await server.serve() }
        self.server = server
        let port = try await transport.listeningAddress.ipv4?.port ?? 0
        endpoint = try EtcdEndpoint("http://127.0.0.1:\(port)")
    }

    deinit { serving.cancel() }
}
#endif
