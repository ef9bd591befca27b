#if EtcdStore
import EtcdStore
import Foundation
import PortcullisCore
import Synchronization
import Testing

@testable import SealingStore

@Suite(
    "An item that was taken away from etcd is noticed (F-1, F-2)",
    .enabled(if: EtcdNodes.isInstalled, "etcd is not installed"),
    .timeLimit(.minutes(5))
)
struct EtcdAbsenceTests {
    @Test("F-1, F-2: an older record is taken away after ordinary removals of later items of its bucket")
    func neighbour() async throws {
        let nodes = try await EtcdNodes(1)
        let key = SecretBytes(randomCount: 32)
        let cluster = try await nodes.store(
            prefix: "t/",
            deadline: .seconds(60),
            attemptTimeout: .seconds(30)
        )
        func client(_ anchor: (any RollbackAnchor)? = nil) async throws -> SealingStore<EtcdStore> {
            try await SealingStore.open(over: cluster, under: [key], creating: true, anchor: anchor)
        }
        let anchor = KeptRecord()
        let (writer, reader, anchored) = (try await client(), try await client(), try await client(anchor))
        let record = try SecretName("a-user", in: SecretNamespace("accounts"))
        try await writer.put("five tries", at: record)
        for store in [reader, anchored] { #expect(try await store.text(at: record) == "five tries") }
        try await anchored.keepSeen()
        let (bucket, place) = try (writer.names.place(of: record).bucket, writer.names.place(of: record).name)
        let session = try #require(
            try (0..<1_000_000).lazy.map { try SecretName("session-\($0)", in: SecretNamespace("sessions")) }
                .first { try writer.names.place(of: $0).bucket == bucket }
        )
        for round in 0..<3 {
            try await writer.put("round \(round)", at: session)
            #expect(try await writer.remove(session) == .removed)
        }
        // With etcd's own means, as one who may write there.
        #expect(try await cluster.remove(place) == .removed)
        for store in [writer, reader, anchored, try await client(anchor)] {
            let error = await #expect(throws: SecretStoreError.self) { _ = try await store.read(record) }
            #expect(error?.code == .rolledBack)
            #expect(try await store.text(at: session) == nil)
        }
    }
}

/// An anchor in memory, which outlives its client.
private final class KeptRecord: RollbackAnchor {
    let place = "memory"
    private let kept = Mutex<[UInt8]?>(nil)

    func records() throws(SecretStoreError) -> [UInt8]? { kept.withLock { $0 } }

    func keep(_ record: [UInt8], turn: UInt64, for reason: AnchorReason) throws(SecretStoreError) {
        kept.withLock { $0 = record }
    }
}
#endif
