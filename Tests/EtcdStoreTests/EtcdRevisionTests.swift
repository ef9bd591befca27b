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
        let ofReads = Mutex<(header: Int64, item: Int64)>((7, 7))
        let ofTransactions = Mutex<(header: Int64, item: Int64)>((7, 7))
    }

    @Test(
        "F-2: an answer with such a revision is a failure, a change's outcome is unknown, and the client goes on",
        arguments: [.min, -1, 0, .max] as [Int64]
    )
    func impossible(_ revision: Int64) async throws {
        let revisions = Revisions()
        @Sendable func items(_ now: (header: Int64, item: Int64)) -> Etcdserverpb_RangeResponse {
            .with {
                $0.header = .with { $0.revision = now.header }
                $0.kvs = [
                    .with {
                        $0.modRevision = now.item
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
            ranges: { items(revisions.ofReads.withLock { $0 }) },
            transactions: {
                let now = revisions.ofTransactions.withLock { $0 }
                return .with {
                    $0.header = .with { $0.revision = now.header }
                    $0.responses = [.with { $0.responseRange = items(now) }]
                }
            },
            changes: { _ in [.with { $0.header = .with { $0.revision = revision } }] }
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
        typealias Call = @Sendable () async throws -> Void
        func demand(_ code: SecretStoreErrorCode, _ calls: [Call]) async {
            for call in calls {
                let error = await #expect(throws: SecretStoreError.self) { try await call() }
                #expect(error?.code == code)
            }
        }
        let create: Call = {
            _ = try await store.write(value, to: name, accessibility: .afterFirstUnlock, if: .absent)
        }
        let write: Call = { _ = try await store.write(value, to: name, accessibility: .afterFirstUnlock) }
        let remove: Call = { _ = try await store.remove(name) }
        for revisionsNow in [(revision, 7), (7, revision)] as [(Int64, Int64)] {
            revisions.ofReads.withLock { $0 = revisionsNow }
            // The last two read the item first, and then send no change.
            await demand(.systemFailure, [{ _ = try await store.read(name) }, write, remove])
            revisions.ofReads.withLock { $0 = (7, 7) }
            revisions.ofTransactions.withLock { $0 = revisionsNow }
            await demand(.systemFailure, [{ _ = try await store.read([name]) }])
            await demand(.outcomeUnknown, [create, write, remove])
            revisions.ofTransactions.withLock { $0 = (7, 7) }
        }
        #expect(try await store.read(name)?.version == SecretVersion(7))
        let signals = store.changes(to: name)
        #expect(await interruptions.first { _ in true } != nil)
        store.close()
        withExtendedLifetime((node, signals)) {}
    }
}
#endif
