#if EtcdStore
import Foundation
import GRPCCore
import PortcullisCore
import SwiftProtobuf
import Synchronization
import Testing

@testable import EtcdStore

/// Answers that would keep a client busy for ever, or fill its memory.
@Suite("Answers that would make a call endless (F-2)", .timeLimit(.minutes(2)))
final class EtcdEndlessTests: Sendable {
    /// What the node answers to reads.
    private enum Reads { case item, samePage, compacted, compactedLater, compactedTwice, refused }

    private let name: SecretName
    private let reads = Mutex(Reads.item)
    private let asked = Mutex(0)

    init() throws { name = try SecretName("item", in: SecretNamespace("endless")) }

    private var page: Etcdserverpb_RangeResponse {
        .with {
            $0.header = .with { $0.revision = 7 }
            $0.kvs = [
                .with {
                    $0.key = KeyForm(prefix: EtcdConfiguration(endpoints: []).prefix).key(name)
                    $0.modRevision = 7
                    $0.value = ValueForm.bytes(
                        SecretBytes(copying: "1".utf8),
                        .afterFirstUnlock,
                        mark: .init(repeating: 0, count: 16)
                    )
                }
            ]
        }
    }

    private func answer() throws -> Etcdserverpb_RangeResponse {
        let number = asked.withLock { asked in
            defer { asked += 1 }
            return asked
        }
        let compacted = RPCError(code: .outOfRange, message: "required revision has been compacted")
        var next = page
        next.more = true
        switch reads.withLock({ $0 }) {
        case .item: return page
        case .samePage: return next
        case .compacted: throw compacted
        case .compactedLater where number % 2 == 0: return next
        case .compactedLater: throw compacted
        case .compactedTwice where [1, 3].contains(number): throw compacted
        case .compactedTwice: return number < 4 ? next : page
        case .refused: throw RPCError(code: .permissionDenied, message: "etcdserver: permission denied")
        }
    }

    private func open(
        login: EtcdConfiguration.Login? = nil,
        token: @escaping @Sendable () -> String = { "" },
        admits: @escaping @Sendable (String) -> Bool = { _ in true },
        onEvent: @escaping @Sendable (EtcdEvent) -> Void = { _ in },
        transactions: (@Sendable () throws -> Etcdserverpb_TxnResponse)? = nil
    ) async throws -> (ImpostorNode, EtcdStore) {
        let item = page
        let node = try await ImpostorNode(
            ranges: { [self] in try answer() },
            // Each transaction is refused, although the item is as it was read.
            transactions: {
                try transactions?()
                    ?? .with {
                        $0.header = .with { $0.revision = 7 }
                        $0.responses = [.with { $0.responseRange = item }]
                    }
            },
            changes: { _ in [.with { $0.header = .with { $0.revision = 7 } }] },
            login: token,
            admits: admits
        )
        let configuration = EtcdConfiguration(
            endpoints: [node.endpoint],
            login: login,
            deadline: .seconds(20),
            onEvent: onEvent
        )
        return (node, try await EtcdStore.open(configuration))
    }

    @Test("F-2: a listing whose pages do not go on, or whose revisions are always compacted, is a failure")
    func listing() async throws {
        let (node, store) = try await open()
        for (kind, code) in [
            (.samePage, .systemFailure), (.compacted, .etcdCompacted), (.compactedLater, .etcdCompacted),
        ] as [(Reads, SecretStoreErrorCode)] {
            reads.withLock { $0 = kind }
            asked.withLock { $0 = 0 }
            let error = await #expect(throws: SecretStoreError.self) {
                _ = try await store.names(in: name.namespace)
            }
            #expect(error?.code == code, "\(kind)")
            #expect(asked.withLock { $0 } <= 40, "\(kind)")
        }
        // A revision that was compacted once or twice is no failure.
        reads.withLock { $0 = .compactedTwice }
        asked.withLock { $0 = 0 }
        #expect(try await store.names(in: name.namespace) == [name])
        #expect(asked.withLock { $0 } == 5)
        store.close()
        withExtendedLifetime(node) {}
    }

    @Test("F-2: a token that ends under many calls at once is fetched anew by few of them")
    func endedToken() async throws {
        let logins = Mutex(0)
        let isEnded = Mutex(false)
        let (node, store) = try await open(
            login: .init(user: "root", password: SecretBytes(copying: "right".utf8)),
            token: {
                // A login takes a node longer than a read does.
                Thread.sleep(forTimeInterval: 0.1)
                return logins.withLock { logins in
                    logins += 1
                    return "\(logins)"
                }
            },
            admits: { token in token != "1" || !isEnded.withLock { $0 } }
        )
        _ = try await store.read(name)
        isEnded.withLock { $0 = true }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<32 { group.addTask { [name] in _ = try await store.read(name) } }
            try await group.waitForAll()
        }
        // The first read's login, and one for all calls that were refused.
        #expect(logins.withLock { $0 } == 2)
        store.close()
        withExtendedLifetime(node) {}
    }

    @Test("F-2: in a cancelled task the presence is read too, and no attempt fails")
    func cancelled() async throws {
        let attempts = Mutex(0)
        let (node, store) = try await open(onEvent: { _ in attempts.withLock { $0 += 1 } })
        _ = try await store.read(name)
        let before = attempts.withLock { $0 }
        let task = Task {
            unsafe withUnsafeCurrentTask { unsafe $0?.cancel() }
            return try await EtcdPresence(store, id: "one").all()
        }
        _ = try await task.value
        #expect(attempts.withLock { $0 } == before)
        store.close()
        withExtendedLifetime(node) {}
    }

    @Test("F-2: a transaction that is refused without a cause is not repeated, and its outcome is unknown")
    func refused() async throws {
        let (node, store) = try await open()
        let value = SecretBytes(copying: "2".utf8)
        let calls: [@Sendable () async throws -> Void] = [
            { [name] in _ = try await store.write(value, to: name, accessibility: .afterFirstUnlock) },
            { [name] in _ = try await store.remove(name) },
            { [name] in _ = try await store.commit([.remove(name, if: .none)]) },
            { [name] in _ = try await store.remove(name, if: .version(SecretVersion(7))) },
        ]
        for call in calls {
            let error = await #expect(throws: SecretStoreError.self) { try await call() }
            #expect(error?.code == .outcomeUnknown)
        }
        store.close()
        withExtendedLifetime(node) {}
    }

    @Test("F-2: if the search for a lost change cannot read, the outcome is unknown, not the read's error")
    func searchFails() async throws {
        let attempts = Mutex(0)
        var changed = page
        changed.kvs[0].modRevision = 9
        let (node, store) = try await open(
            transactions: { [self, changed] in
                let number = attempts.withLock { attempts in
                    attempts += 1
                    return attempts
                }
                // The first attempt is not answered. At the second one another client has changed the item,
                // and from then on no read succeeds.
                if number == 1 { throw RPCError(code: .unavailable, message: "the connection was lost") }
                reads.withLock { $0 = .refused }
                return .with {
                    $0.header = .with { $0.revision = 9 }
                    $0.responses = [.with { $0.responseRange = changed }]
                }
            }
        )
        let value = SecretBytes(copying: "2".utf8)
        let error = await #expect(throws: SecretStoreError.self) {
            _ = try await store.write(
                value,
                to: name,
                accessibility: .afterFirstUnlock,
                if: .version(SecretVersion(7))
            )
        }
        #expect(error?.code == .outcomeUnknown)
        #expect(attempts.withLock { $0 } == 2)
        store.close()
        withExtendedLifetime(node) {}
    }
}
#endif
