#if EtcdStore
import GRPCCore
import PortcullisCore
import SwiftProtobuf
import Synchronization
import Testing

@testable import EtcdStore

@Suite("What clients tell each other (F-2)", .timeLimit(.minutes(2)))
struct EtcdPresenceTests {
    @Test("F-2, F-3: a text is made when it is sent, after the lease was renewed and anew for each attempt")
    func made() async throws {
        let time = Mutex(0)
        let told = Mutex<[String]>([])
        let header = Etcdserverpb_ResponseHeader.with { $0.revision = 7 }
        let node = try await ImpostorNode(
            ranges: { .with { $0.header = header } },
            transactions: {
                // The first attempt after a renewal is not answered, and takes a while.
                let isLost = time.withLock { time in
                    defer { if time == 1 { time = 2 } }
                    return time == 1
                }
                if isLost { throw RPCError(code: .unavailable, message: "the connection was lost") }
                return .with { $0.header = header }
            },
            changes: { _ in [] },
            renewed: { time.withLock { $0 += 1 } },
            asked: { request in
                let texts = request.success.map { String(decoding: $0.requestPut.value, as: UTF8.self) }
                told.withLock { $0 += texts }
            }
        )
        let store = try await EtcdStore.open(EtcdConfiguration(endpoints: [node.endpoint]))
        let presence = EtcdPresence(store, id: "one")
        for _ in 0..<2 { try await presence.tell { "\(time.withLock { $0 })" } }
        #expect(told.withLock { $0 } == ["0", "1", "2"])
        store.close()
        withExtendedLifetime(node) {}
    }
}
#endif
