#if EtcdStore
import Foundation
import GRPCCore
import PortcullisCore
import SealingStore
import Testing

@testable import EtcdStore

/// What the store costs beside the same transaction by grpc-swift alone: `PORTCULLIS_BENCH=1 swift test --enable-all-traits
/// --filter EtcdCostTests`, with `-c release -Xswiftc -enable-testing` for figures to go by.
@Suite(
    "What a store on etcd costs (F-2)",
    .enabled(if: EtcdNodes.isInstalled, "etcd is not installed"),
    .enabled(if: ProcessInfo.processInfo.environment["PORTCULLIS_BENCH"] != nil, "only when asked for"),
    .timeLimit(.minutes(10))
)
struct EtcdCostTests {
    private static let rounds = 8
    private static let calls = 150

    private func median(_ times: [Duration]) -> Duration { times.sorted()[times.count / 2] }

    private func time(_ work: () async throws -> Void) async rethrows -> Duration {
        try await ContinuousClock().measure { try await work() }
    }

    @Test("F-2: a compare-and-set through the store takes at most 1.2 times the same transaction alone")
    func compareAndSet() async throws {
        let nodes = try await EtcdNodes()
        _ = try await nodes.store()
        let leader = nodes.endpoints[try nodes.leader()]
        let store = try await nodes.store(prefix: "cost/", endpoints: [leader])
        let sealed = try await SealingStore.open(
            over: try await nodes.store(prefix: "sealed/", endpoints: [leader]),
            under: [SecretBytes(randomCount: 32)],
            creating: true
        )
        let name = try SecretName("item", in: SecretNamespace("cost"))
        let value = SecretBytes(randomCount: 256)
        let bytes = ValueForm.bytes(value, .afterFirstUnlock, mark: Data(count: 16))
        // Connected, and the leader's by now.
        for _ in 0..<50 { _ = try await step(store, name, value) }
        let client = Etcdserverpb_KV.Client(wrapping: store.cluster.nodes[0].client)
        let key = Data("alone".utf8)
        defer { withExtendedLifetime((nodes, store)) {} }
        var (alone, through, behind): ([Duration], [Duration], [Duration]) = ([], [], [])
        var revision: Int64 = 0
        for _ in 0..<Self.rounds {
            for _ in 0..<Self.calls {
                let request = Self.request(key, bytes, over: revision)
                alone.append(try await time { revision = try await client.txn(request).header.revision })
            }
            for _ in 0..<Self.calls { through.append(try await step(store, name, value)) }
            for _ in 0..<Self.calls { behind.append(try await step(sealed, name, value)) }
        }
        let times = [alone, through, behind].map { median($0) }
        print(
            """
            compare-and-set of 256 bytes, three nodes on this machine, one client, medians of \(alone.count):
            grpc-swift alone \(times[0]), EtcdStore \(times[1]) (\(times[1] / times[0]) times), sealed \(times[2]) (\(times[2] / times[0]) times)
            """
        )
        #expect(times[1] / times[0] <= 1.2)
    }

    /// One write over the version that is there; the read before it is not counted.
    private func step(_ store: some SecretStore, _ name: SecretName, _ value: SecretBytes) async throws
        -> Duration
    {
        let found = try await store.read(name)
        return try await time {
            _ = try await store.write(
                value,
                to: name,
                accessibility: .afterFirstUnlock,
                if: found.map { .version($0.version) } ?? .absent
            )
        }
    }

    private static func request(_ key: Data, _ value: Data, over revision: Int64) -> Etcdserverpb_TxnRequest {
        var compare = Etcdserverpb_Compare()
        (compare.key, compare.target, compare.result) = (key, .mod, .equal)
        compare.modRevision = revision
        var put = Etcdserverpb_PutRequest()
        (put.key, put.value) = (key, value)
        var operation = Etcdserverpb_RequestOp()
        operation.requestPut = put
        var range = Etcdserverpb_RangeRequest()
        (range.key, range.keysOnly) = (key, true)
        var otherwise = Etcdserverpb_RequestOp()
        otherwise.requestRange = range
        var request = Etcdserverpb_TxnRequest()
        (request.compare, request.success, request.failure) = ([compare], [operation], [otherwise])
        return request
    }
}
#endif
