#if EtcdStore
import Foundation
import PortcullisCore
import SealingStore
import Synchronization
import Testing

@testable import EtcdStore

/// Nodes of its own each, because they are killed and held up.
@Suite(
    "EtcdStore when nodes fail (F-2)",
    .enabled(if: EtcdNodes.isInstalled, "etcd is not installed"),
    .serialized,
    .timeLimit(.minutes(10))
)
struct EtcdFaultTests {
    private let name: SecretName

    init() throws { name = try SecretName("count", in: SecretNamespace("faults")) }

    private func value(_ number: Int) -> SecretBytes { SecretBytes(copying: "\(number)".utf8) }

    /// Counts up by compare-and-set for a time; each count that was told is in the end there, and none twice.
    private func count(
        on store: EtcdStore,
        times: Int
    ) async throws -> (acknowledged: Int, unknown: Int, failed: Int) {
        var (acknowledged, unknown, failed) = (0, 0, 0)
        for _ in 0..<times {
            do throws(SecretStoreError) {
                let found = try await store.read(name)
                let text = found.map { item in
                    item.value.withBytes { bytes in
                        String(decoding: bytes.indices.map { bytes[$0] }, as: UTF8.self)
                    }
                }
                let outcome = try await store.write(
                    value((text.flatMap { Int($0) } ?? 0) + 1),
                    to: name,
                    accessibility: .afterFirstUnlock,
                    if: found.map { .version($0.version) } ?? .absent
                )
                if case .written = outcome { acknowledged += 1 }
            } catch {
                if error.code == .outcomeUnknown { unknown += 1 } else { failed += 1 }
            }
        }
        return (acknowledged, unknown, failed)
    }

    @Test("F-2: a leader that is killed under load loses no count, and no call waits until its deadline")
    func leaderKilled() async throws {
        let nodes = try await EtcdNodes()
        let store = try await nodes.store(prefix: "p/")
        let status = await store.status()
        #expect(status.count == 3)
        let counters = Task {
            try await withThrowingTaskGroup(of: (Int, Int, Int).self) { group in
                for _ in 0..<4 {
                    group.addTask {
                        let own = try await nodes.store(prefix: "p/", deadline: .seconds(5))
                        return try await count(on: own, times: 150)
                    }
                }
                return try await group.reduce(into: (0, 0, 0)) { all, one in
                    all = (all.0 + one.0, all.1 + one.1, all.2 + one.2)
                }
            }
        }
        try await Task.sleep(for: .milliseconds(500))
        let leader = try nodes.leader()
        nodes.kill(leader)
        let (acknowledged, unknown, failed) = try await counters.value
        let found = try #require(Int(try await store.text(at: name) ?? ""))
        #expect((acknowledged...(acknowledged + unknown)).contains(found))
        #expect(failed == 0)
        try nodes.start(leader)
    }

    @Test("F-4: a member that is replaced under load, the leader too, loses no count")
    func memberReplaced() async throws {
        let nodes = try await EtcdNodes()
        let store = try await nodes.store(prefix: "p/", deadline: .seconds(10))
        let kept = try SecretName("kept", in: name.namespace)
        try await store.put("before", at: kept)
        let counting = Task { try await count(on: store, times: 300) }
        let leader = try nodes.leader()
        for index in [(leader + 1) % 3, leader] {
            try await nodes.replace(index)
            // The new member has caught up when it answers a linearizable read by itself.
            let alone = try await nodes.store(prefix: "p/", endpoints: [nodes.endpoints[index]])
            #expect(try await alone.text(at: kept) == "before")
        }
        let (acknowledged, unknown, failed) = try await counting.value
        let found = try #require(Int(try await store.text(at: name) ?? ""))
        #expect((acknowledged...(acknowledged + unknown)).contains(found))
        #expect(failed == 0 && acknowledged > 0)
        let members = try nodes.control(["member", "list"]).split(separator: "\n")
        #expect(members.count == 3 && members.allSatisfy { $0.contains("started") })
    }

    @Test("F-2: a node that is held up is left for another one")
    func nodeHeldUp() async throws {
        let nodes = try await EtcdNodes()
        let events = Mutex<[SecretStoreErrorCode]>([])
        let store = try await nodes.store(prefix: "p/", endpoints: nodes.endpoints) { event in
            if case .attemptFailed(_, let code) = event { events.withLock { $0.append(code) } }
        }
        try await store.put("1", at: name)
        for index in 0..<3 {
            nodes.hold(index)
            let start = ContinuousClock.now
            try await store.put("2", at: name)
            #expect(ContinuousClock.now - start < .seconds(5))
            nodes.hold(index, false)
            try await Task.sleep(for: .seconds(1))
        }
        #expect(events.withLock { $0 }.contains(.etcdSlow))
    }

    @Test("F-2: without a majority calls end by their deadline, and tell what is known of the change")
    func noMajority() async throws {
        let nodes = try await EtcdNodes()
        let store = try await nodes.store(prefix: "p/", deadline: .seconds(4))
        try await store.put("1", at: name)
        nodes.kill(0)
        nodes.kill(1)
        let start = ContinuousClock.now
        let read = await #expect(throws: SecretStoreError.self) { _ = try await store.read(name) }
        #expect([.unreachable, .timedOut].contains(read?.code.portable))
        let write = await #expect(throws: SecretStoreError.self) {
            _ = try await store.write(
                value(2),
                to: name,
                accessibility: .afterFirstUnlock,
                if: .version(SecretVersion(1))
            )
        }
        #expect([.outcomeUnknown, .unreachable, .timedOut].contains(write?.code.portable))
        #expect(ContinuousClock.now - start < .seconds(11))
        nodes.kill(2)
        let none = await #expect(throws: SecretStoreError.self) { _ = try await store.read(name) }
        #expect(none?.code == .etcdUnreachable || none?.code == .etcdSlow)
        for index in 0..<3 { try nodes.start(index) }
        let again = try await nodes.store(prefix: "p/")
        #expect(try await again.text(at: name) == "1")
        // The connections of before are made again by themselves.
        #expect(try await store.text(at: name) == "1")
    }

    @Test("F-2: signals go on after more was missed than one message may hold, and a read may hold as much")
    func watchOfMuch() async throws {
        let nodes = try await EtcdNodes()
        let store = try await nodes.store(prefix: "p/", endpoints: [nodes.endpoints[0]])
        let other = try await nodes.store(
            prefix: "p/",
            endpoints: [nodes.endpoints[1], nodes.endpoints[2]],
            attemptTimeout: .seconds(5)
        )
        var signals = store.changes(in: name.namespace).makeAsyncIterator()
        try await other.put("1", at: name)
        #expect(await signals.next() != nil)
        nodes.kill(0)
        let names = try (0..<12).map { try SecretName("large \($0)", in: name.namespace) }
        for name in names {
            let value = SecretBytes(randomCount: 900_000)
            _ = try await other.write(value, to: name, accessibility: .afterFirstUnlock)
        }
        try nodes.start(0)
        #expect(await signals.next() != nil)
        let all = try await store.read(names)
        #expect(all.compactMap { $0?.value.count } == names.map { _ in 900_000 })
        // Drained, then one more.
        try await Task.sleep(for: .milliseconds(500))
        try await other.put("last", at: name)
        #expect(await signals.next() != nil)
    }

    @Test("F-2: signals go on after nodes were lost and after the missed changes were compacted")
    func watch() async throws {
        let nodes = try await EtcdNodes()
        let compacted = Mutex(0)
        let store = try await nodes.store(prefix: "p/", endpoints: [nodes.endpoints[0]]) { event in
            if case .watchCompacted = event { compacted.withLock { $0 += 1 } }
        }
        let other = try await nodes.store(prefix: "p/", endpoints: [nodes.endpoints[1], nodes.endpoints[2]])
        var signals = store.changes(in: name.namespace).makeAsyncIterator()
        try await other.put("1", at: name)
        #expect(await signals.next() != nil)
        nodes.kill(0)
        try await other.put("2", at: name)
        try nodes.start(0)
        #expect(await signals.next() != nil)
        nodes.kill(0)
        for round in 0..<20 { try await other.put("\(round)", at: name) }
        let revision = other.cluster.revision
        try nodes.control(["compact", "\(revision)"], endpoints: [nodes.endpoints[1]])
        try nodes.start(0)
        #expect(await signals.next() != nil)
        #expect(compacted.withLock { $0 } > 0)
        // Drained, then one more.
        try await Task.sleep(for: .milliseconds(500))
        try await other.put("last", at: name)
        #expect(await signals.next() != nil)
    }
}
#endif
