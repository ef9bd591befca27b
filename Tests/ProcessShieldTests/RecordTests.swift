#if os(Linux)
import Glibc
import PortcullisCore
import PortcullisTesting
import Synchronization
import Testing

@testable import ProcessShield

extension RealProcesses {
    @Suite("The record", .timeLimit(.minutes(5)))
    struct RecordTests {
        @Test("X-1: after a restart of the machine the record is of that one from its first change on")
        func boot() async throws {
            let store = InMemorySecretStore()
            func records(_ boot: String) -> ShieldRecordStore {
                ShieldRecordStore(store: store, namespace: ProcessShield.namespace, boot: boot)
            }
            let stopped = StoppedProcess(identity: .init(pid: 7, start: 9))
            let keeper = ShieldKeeper(identity: .init(pid: 7, start: 9), denies: true)
            for boot in ["one", "two"] {
                let record = try await records(boot).read().record
                #expect(record.boot == boot && record.stopped.isEmpty && record.keepers.isEmpty)
                _ = try await records(boot).change { record in
                    record.stopped = [stopped]
                    record.keepers = [keeper]
                }
                let later = try await records(boot).read().record
                #expect(later.boot == boot && later.stopped == [stopped] && later.keepers == [keeper])
            }
        }

        @Test("X-1: those that look after the shields are noted once each, and not when they have ended")
        func keepers() throws {
            let table = ProcessTable()
            let own = try #require(table.process(getpid())).identity
            let parent = try #require(table.process(getppid())).identity
            let note = KeeperNote(keeper: ShieldKeeper(identity: own, denies: true), table: table)
            var record = ShieldRecord(boot: "one")
            record.keepers = [
                ShieldKeeper(identity: own, denies: false), ShieldKeeper(identity: parent, denies: false),
                ShieldKeeper(identity: .init(pid: own.pid, start: own.start + 1), denies: false),
            ]
            #expect(note.isNoted(in: record), "nothing is shielded")
            var none = record
            note.note(in: &none)
            #expect(none.keepers == [ShieldKeeper(identity: parent, denies: false)])
            record.shields["daily"] = ShieldSelection(apps: [AppToken("chess.desktop")])
            #expect(!note.isNoted(in: record))
            note.note(in: &record)
            #expect(note.isNoted(in: record) && record.keepers.count == 2)
        }

        @Test("X-1: a shield and what it stops are one write, and what is let go on is another")
        func writes() async throws {
            let bench = try ShieldBench()
            let store = RecordingSecretStore(InMemorySecretStore())
            let shield = ProcessShield(store: store, configuration: bench.configuration)
            let chess = try Child(bench.chess, ["60"])
            try await shield.apply(ShieldSelection(apps: [AppToken("chess.desktop")]), as: bench.daily)
            #expect(chess.isStopped && store.count(of: .write) == 1)
            // Nothing is written where nothing changes.
            try await shield.reconcile()
            _ = await shield.coverage()
            #expect(store.count(of: .write) == 1)
            try await shield.clear(bench.daily)
            #expect(!chess.isStopped && store.count(of: .write) == 3)
        }

        @Test("X-1: calls at the same time are carried out one after the other")
        func turns() async throws {
            let bench = try ShieldBench()
            let now = Mutex(0)
            let most = Mutex(0)
            let store = SlowStore(InMemorySecretStore()) {
                let inside = now.withLock { now in
                    now += 1
                    return now
                }
                most.withLock { $0 = max($0, inside) }
                for _ in 0..<20 { await Task.yield() }
                now.withLock { $0 -= 1 }
            }
            let shield = ProcessShield(store: store, configuration: bench.configuration)
            await withTaskGroup { group in
                for number in 0..<8 {
                    group.addTask {
                        let chess = ShieldSelection(apps: [AppToken("nothing\(number).desktop")])
                        try? await shield.apply(chess, as: ShieldName("\(number)"))
                    }
                }
            }
            #expect(most.withLock(\.self) == 1, "no two of them at once in the store")
            #expect(await shield.coverage().applied.count == 8)
        }

        @Test("X-1: what another process writes while the record is read for the first time is heard of")
        func firstRead() async throws {
            let bench = try ShieldBench()
            let reads = Mutex(0)
            let store = SlowStore(bench.store) {
                let number = reads.withLock { reads in
                    reads += 1
                    return reads
                }
                if number == 1 { try? await bench.apply("chess.desktop") }
            }
            let shield = ProcessShield(store: store, configuration: bench.configuration)
            _ = await shield.coverage()
            try await BoundedWait.until(every: .milliseconds(5)) {
                await shield.coverage().applied.count == 1
            }
        }
    }
}

/// A store in which something happens between the answer to a read and its arrival.
private final class SlowStore: SecretStore {
    private let base: any SecretStore
    private let delay: @Sendable () async -> Void

    init(_ base: any SecretStore, delay: @escaping @Sendable () async -> Void) {
        self.base = base
        self.delay = delay
    }

    var capabilities: SecretStoreCapabilities { base.capabilities }

    func read(_ name: SecretName) async throws(SecretStoreError) -> StoredSecret? {
        let found = try await base.read(name)
        await delay()
        return found
    }

    func write(
        _ value: SecretBytes,
        to name: SecretName,
        accessibility: Accessibility,
        if precondition: WritePrecondition
    ) async throws(SecretStoreError) -> WriteOutcome {
        try await base.write(value, to: name, accessibility: accessibility, if: precondition)
    }

    func remove(
        _ name: SecretName,
        if precondition: WritePrecondition
    ) async throws(SecretStoreError) -> RemoveOutcome { try await base.remove(name, if: precondition) }

    func names(in namespace: SecretNamespace) async throws(SecretStoreError) -> [SecretName] {
        try await base.names(in: namespace)
    }

    func changes(in namespace: SecretNamespace) -> AsyncStream<Void> { base.changes(in: namespace) }
}
#endif
