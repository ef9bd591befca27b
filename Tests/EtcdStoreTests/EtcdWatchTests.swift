#if EtcdStore
import Foundation
import PortcullisCore
import PortcullisTesting
import SwiftProtobuf
import Synchronization
import Testing

@testable import EtcdStore

/// How a watch goes on after what a node says, or does not say.
@Suite("The watch of an etcd store (F-2)", .timeLimit(.minutes(2)))
struct EtcdWatchTests {
    private let name: SecretName

    init() throws { name = try SecretName("item", in: SecretNamespace("watched")) }

    /// The revisions at which watches began.
    private final class Starts: Sendable {
        private let all = Mutex<[Int64]>([])
        func note(_ start: Int64) { all.withLock { $0.append(start) } }
        var noted: [Int64] { all.withLock { $0 } }
    }

    private func node(
        changes: @escaping @Sendable (Etcdserverpb_WatchCreateRequest) -> [Etcdserverpb_WatchResponse],
        endsWatches: Bool = true,
        login: @escaping @Sendable () -> String = { "" }
    ) async throws -> ImpostorNode {
        try await ImpostorNode(
            ranges: { .with { $0.header = .with { $0.revision = 7 } } },
            transactions: { .init() },
            changes: changes,
            endsWatches: endsWatches,
            login: login
        )
    }

    private static let created = Etcdserverpb_WatchResponse.with {
        $0.header = .with { $0.revision = 7 }
        $0.created = true
    }

    private func changes(_ revisions: [Int64], _ header: Int64, isFragment: Bool = false)
        -> Etcdserverpb_WatchResponse
    {
        .with {
            $0.header = .with { $0.revision = header }
            $0.fragment = isFragment
            $0.events = revisions.map { revision in
                .with {
                    $0.kv = .with {
                        $0.key = KeyForm(prefix: EtcdConfiguration(endpoints: []).prefix).key(name)
                        $0.modRevision = revision
                    }
                }
            }
        }
    }

    @Test("F-2: a watch resumes after the last change that it was told, and again at a revision told in part")
    func resumes() async throws {
        let starts = Starts()
        let node = try await node(changes: { [self] request in
            starts.note(request.startRevision)
            #expect(request.fragment)
            switch request.startRevision {
            // A node that catches up names the present revision in each message.
            case 8: return [Self.created, changes([8, 9], 100)]
            case 10: return [Self.created, changes([10, 11], 100, isFragment: true)]
            case 11: return [Self.created, changes([11], 100)]
            case 12: return [Self.created, changes([], 100)]
            default: return []
            }
        })
        let store = try await EtcdStore.open(EtcdConfiguration(endpoints: [node.endpoint]))
        let signals = store.changes(to: name)
        try await BoundedWait.until("the watches") { starts.noted.count >= 5 }
        #expect(starts.noted.prefix(5) == [8, 10, 11, 12, 101])
        store.close()
        withExtendedLifetime((node, signals)) {}
    }

    @Test(
        "F-2: a watch that a node ends for its token logs in again",
        arguments: [
            "rpc error: code = Unauthenticated desc = etcdserver: invalid auth token",
            "rpc error: code = PermissionDenied desc = etcdserver: permission denied",
            "etcdserver: revision of auth store is old",
        ]
    )
    func tokenEnds(_ reason: String) async throws {
        let logins = Mutex(0)
        let starts = Starts()
        let node = try await node(
            changes: { request in
                starts.note(request.startRevision)
                return [
                    Self.created,
                    .with {
                        $0.canceled = true
                        $0.cancelReason = reason
                    },
                ]
            },
            login: {
                logins.withLock { logins in
                    logins += 1
                    return "token \(logins)"
                }
            }
        )
        let login = EtcdConfiguration.Login(user: "root", password: SecretBytes(copying: "word".utf8))
        let store = try await EtcdStore.open(EtcdConfiguration(endpoints: [node.endpoint], login: login))
        #expect(logins.withLock { $0 } == 1)
        let signals = store.changes(to: name)
        try await BoundedWait.until("further logins") { logins.withLock { $0 } >= 3 }
        #expect(starts.noted.count >= 2)
        store.close()
        withExtendedLifetime((node, signals)) {}
    }

    @Test("F-2: a node that takes connections and says nothing does not hold the watch")
    func silentNode() async throws {
        let starts = Starts()
        let node = try await node(changes: { request in
            starts.note(request.startRevision)
            return [Self.created]
        })
        let silent = try SilentNode()
        let interrupted = Mutex<[EtcdEndpoint]>([])
        let configuration = EtcdConfiguration(
            endpoints: [node.endpoint, silent.endpoint],
            deadline: .seconds(2),
            attemptTimeout: .milliseconds(300),
            onEvent: { event in
                if case .watchInterrupted(let node, .etcdUnreachable) = event {
                    interrupted.withLock { $0.append(node) }
                }
            }
        )
        let store = try await EtcdStore.open(configuration)
        if store.cluster.node.endpoint == node.endpoint { store.cluster.leave(store.cluster.node) }
        let signals = store.changes(to: name)
        try await BoundedWait.until("the other node") { !starts.noted.isEmpty }
        #expect(interrupted.withLock { $0.first } == silent.endpoint)
        store.close()
        withExtendedLifetime((node, signals)) {}
    }

    @Test("F-2: the watch leaves a node together with the calls, even if the node keeps the watch open")
    func leftNode() async throws {
        let (stalled, other) = (Starts(), Starts())
        let stalledNode = try await node(
            changes: { request in
                stalled.note(request.startRevision)
                return [Self.created]
            },
            endsWatches: false
        )
        let otherNode = try await node(
            changes: { [self] request in
                other.note(request.startRevision)
                return [Self.created, changes([8], 8)]
            },
            endsWatches: false
        )
        let store = try await EtcdStore.open(
            EtcdConfiguration(
                endpoints: [stalledNode.endpoint, otherNode.endpoint],
                // A busy machine may be late with an answer, which would move the watch by itself.
                deadline: .seconds(60),
                attemptTimeout: .seconds(20)
            )
        )
        if store.cluster.node.endpoint == otherNode.endpoint { store.cluster.leave(store.cluster.node) }
        var signals = store.changes(to: name).makeAsyncIterator()
        try await BoundedWait.until("the watch") { !stalled.noted.isEmpty }
        store.cluster.leave(store.cluster.node)
        try await BoundedWait.until("the other node", limit: .seconds(30)) { !other.noted.isEmpty }
        #expect(await signals.next() != nil)
        #expect(stalled.noted == [8] && other.noted == [8])
        store.close()
        withExtendedLifetime((stalledNode, otherNode)) {}
    }
}
#endif
