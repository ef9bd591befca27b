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
    ///   - changes: what each watch is told.
    init(
        ranges: @escaping @Sendable () throws -> Etcdserverpb_RangeResponse,
        transactions: @escaping @Sendable () -> Etcdserverpb_TxnResponse,
        changes: @escaping @Sendable () -> Etcdserverpb_WatchResponse
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
        ) { _, _ in StreamingServerResponse(single: ServerResponse(message: try ranges())) }
        router.registerHandler(
            forMethod: Etcdserverpb_KV.Method.Txn.descriptor,
            deserializer: ProtobufDeserializer<Etcdserverpb_TxnRequest>(),
            serializer: ProtobufSerializer<Etcdserverpb_TxnResponse>()
        ) { _, _ in StreamingServerResponse(single: ServerResponse(message: transactions())) }
        router.registerHandler(
            forMethod: Etcdserverpb_Watch.Method.Watch.descriptor,
            deserializer: ProtobufDeserializer<Etcdserverpb_WatchRequest>(),
            serializer: ProtobufSerializer<Etcdserverpb_WatchResponse>()
        ) { _, _ in
            StreamingServerResponse { writer in
                try await writer.write(changes())
                return [:]
            }
        }
        let server = GRPCServer(transport: transport, router: router)
        serving = Task { try await server.serve() }
        self.server = server
        let port = try await transport.listeningAddress.ipv4?.port ?? 0
        endpoint = try EtcdEndpoint("http://127.0.0.1:\(port)")
    }

    deinit { serving.cancel() }
}
#endif
