#if EtcdStore
import Foundation
import PortcullisCore
import SwiftProtobuf
import Synchronization
import Testing

@testable import EtcdStore

@Suite("Revisions that no cluster has (F-2)", .timeLimit(.minutes(2)))
struct EtcdRevisionTests {
    /// The revisions in the impostor's answers.
    private final class Revisions: Sendable {
        let values = Mutex<(header: Int64, item: Int64)>((7, 7))
    }

    @Test(
        "F-2: an answer with such a revision is a failure of the system, and the client goes on",
        arguments: [.min, -1, 0, .max] as [Int64]
    )
    func impossible(_ revision: Int64) async throws {
        let revisions = Revisions()
        @Sendable func header() -> Etcdserverpb_ResponseHeader {
            .with { $0.revision = revisions.values.withLock { $0.header } }
        }
        @Sendable func items() -> Etcdserverpb_RangeResponse {
            .with {
                $0.header = header()
                $0.kvs = [
                    .with {
                        $0.modRevision = revisions.values.withLock { $0.item }
                        $0.value = ValueForm.bytes(
                            SecretBytes(copying: "1".utf8),
                            .afterFirstUnlock,
                            mark: .init(repeating: 0, count: 16)
                        )
                    }
                ]
            }
        }
        let node = try await ImpostorNode(
            ranges: items,
            transactions: {
                .with {
                    $0.header = header()
                    $0.responses = [.with { $0.responseRange = items() }]
                }
            },
            changes: { .with { $0.header = .with { $0.revision = revision } } }
        )
        let (interruptions, told) = AsyncStream.makeStream(of: Void.self)
        let configuration = EtcdConfiguration(
            endpoints: [node.endpoint],
            deadline: .seconds(20),
            onEvent: { event in if case .watchInterrupted = event { told.yield() } }
        )
        let store = try await EtcdStore.open(configuration)
        let name = try SecretName("item", in: SecretNamespace("revisions"))
        #expect(try await store.read(name)?.version == SecretVersion(7))
        let value = SecretBytes(copying: "2".utf8)
        for revisionsNow in [(revision, 7), (7, revision)] as [(Int64, Int64)] {
            revisions.values.withLock { $0 = revisionsNow }
            for call in [
                { _ = try await store.read(name) },
                { _ = try await store.write(value, to: name, accessibility: .afterFirstUnlock, if: .absent) },
                { _ = try await store.write(value, to: name, accessibility: .afterFirstUnlock) },
                { _ = try await store.remove(name) },
            ] as [@Sendable () async throws -> Void] {
                let error = await #expect(throws: SecretStoreError.self) { try await call() }
                #expect(error?.code == .systemFailure)
            }
        }
        revisions.values.withLock { $0 = (7, 7) }
        #expect(try await store.read(name)?.version == SecretVersion(7))
        let signals = store.changes(to: name)
        #expect(await interruptions.first { _ in true } != nil)
        store.close()
        withExtendedLifetime((node, signals)) {}
    }
}
#endif
