#if os(Linux)
import AdapterKit
import Foundation
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
                let record = try await records(boot).read()
                #expect(record.boot == boot && record.stopped.isEmpty && record.keepers.isEmpty)
                _ = try await records(boot).change { record in
                    record.stopped = [stopped]
                    record.keepers = [keeper]
                }
                let later = try await records(boot).read()
                #expect(later.boot == boot && later.stopped == [stopped] && later.keepers == [keeper])
            }
        }

        @Test("X-1: where a boot's id is unknown, another one's change keeps the record of what is stopped")
        func unknownBoot() async throws {
            let store = InMemorySecretStore()
            func records(_ boot: String) -> ShieldRecordStore {
                ShieldRecordStore(store: store, namespace: ProcessShield.namespace, boot: boot)
            }
            let stopped = StoppedProcess(identity: .init(pid: 7, start: 9))
            let keeper = ShieldKeeper(identity: .init(pid: 7, start: 9), denies: true)
            let elsewhere = ["pid:[2]": ShieldRecord.Processes(stopped: [stopped], keepers: [])]
            _ = try await records("none of 1").change { record in
                (record.stopped, record.keepers, record.elsewhere) = ([stopped], [keeper], elsewhere)
            }
            for boot in ["none of 2", "one", "none of 1", "one"] {
                let record = try await records(boot).change { record in
                    record.shields[ShieldName("daily")] = ShieldSelection(apps: [AppToken(boot)])
                }
                #expect(record.boot == boot && record.stopped == [stopped] && record.keepers == [keeper])
                #expect(record.elsewhere == elsewhere)
            }
            let record = try await records("two").read()
            #expect(record.stopped.isEmpty && record.keepers.isEmpty && record.elsewhere.isEmpty)
        }

        @Test("X-1: a process that an earlier version has recorded is read without its app")
        func earlier() throws {
            let text = #"{"identity":{"pid":7,"start":9}}"#
            let process = try JSONDecoder().decode(StoppedProcess.self, from: Data(text.utf8))
            #expect(process == StoppedProcess(identity: .init(pid: 7, start: 9)))
            // Whether a shield names its app is known only when there is no shield.
            let chess = ShieldSelection(apps: [AppToken("chess.desktop")])
            #expect(ResolvedSelection(selection: chess).names(process))
            #expect(!ResolvedSelection().names(process))
        }

        @Test("X-1: what was stopped in another namespace of processes stays recorded for that one")
        func namespaces() async throws {
            let store = InMemorySecretStore()
            func records(_ processes: String) -> ShieldRecordStore {
                ShieldRecordStore(
                    store: store,
                    namespace: ProcessShield.namespace,
                    boot: "one",
                    processes: processes
                )
            }
            let (outer, inner) = (records("pid:[1]"), records("pid:[2]"))
            let stopped = StoppedProcess(identity: .init(pid: 7, start: 9))
            let other = StoppedProcess(identity: .init(pid: 3, start: 11))
            _ = try await outer.change { $0.stopped = [stopped] }
            var found = try await inner.change { record in
                #expect(record.stopped.isEmpty && record.stoppedElsewhere == 1)
                record.stopped = [other]
                record.keepers = [ShieldKeeper(identity: other.identity, denies: false)]
            }
            #expect(found.stopped == [other])
            found = try await outer.read()
            #expect(found.stopped == [stopped] && found.keepers.isEmpty && found.stoppedElsewhere == 1)
            found = try await outer.change { $0.stopped = [] }
            #expect(found.stoppedElsewhere == 1)
            found = try await inner.read()
            #expect(found.stopped == [other] && found.keepers.count == 1 && found.elsewhere.isEmpty)
        }

        @Test("X-1: a process table of another namespace is used for nothing")
        func foreignTable() async throws {
            let processes = try ProcessFolder()
            try processes.write(7, "/usr/bin/chess")
            #expect(processes.table.numbers() == [7])
            try processes.scratch.link("proc/self", to: "1")
            let table = ProcessTable(folder: processes.table.folder)
            #expect(table.isForeign && table.numbers().isEmpty && table.process(7) == nil)
            #expect(table.unusable?.code == .unavailable)
            #expect(!ProcessTable().isForeign)
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
            record.shields[ShieldName("daily")] = ShieldSelection(apps: [AppToken("chess.desktop")])
            #expect(!note.isNoted(in: record))
            note.note(in: &record)
            #expect(note.isNoted(in: record) && record.keepers.count == 2)
        }

        @Test("X-1: one that looks after the shields and cannot be read stays noted")
        func unreadKeeper() throws {
            let processes = try ProcessFolder()
            try processes.hide("proc/500/stat")
            let keepers = [500, 501].map { (pid: Int32) in
                ShieldKeeper(identity: .init(pid: pid, start: 5), denies: true)
            }
            let own = ShieldKeeper(identity: .init(pid: 502, start: 5), denies: true)
            var record = ShieldRecord(boot: "one")
            record.keepers = Set(keepers)
            KeeperNote(keeper: own, table: processes.table).note(in: &record)
            #expect(record.keepers == [keepers[0]])
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

        /// How many calls of a controller are in its store at the same time.
        private func most(_ work: (ProcessShield) async -> Void) async throws -> Int {
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
            await work(ProcessShield(store: store, configuration: bench.configuration))
            return most.withLock(\.self)
        }

        @Test("X-1: calls at the same time are carried out one after the other")
        func turns() async throws {
            let changing = try await most { shield in
                await withTaskGroup { group in
                    for number in 0..<8 {
                        group.addTask {
                            let chess = ShieldSelection(apps: [AppToken("nothing\(number).desktop")])
                            try? await shield.apply(chess, as: ShieldName("\(number)"))
                        }
                    }
                }
                #expect(await shield.coverage().applied.count == 8)
            }
            #expect(changing == 1, "no two of them at once in the store")
            // Of calls that only look each would be the first.
            let looking = try await most { shield in
                await withTaskGroup { group in
                    for _ in 0..<8 { group.addTask { _ = await shield.coverage() } }
                }
            }
            let takingOver = try await most { shield in
                await withTaskGroup { group in
                    for _ in 0..<8 { group.addTask { try? await shield.reconcile() } }
                }
            }
            #expect(looking == 1 && takingOver == 1)
        }

        @Test("X-1: what another process lets go on just before the signal comes goes on all the same")
        func released() async throws {
            let bench = try ShieldBench()
            let base = bench.store
            let records = ShieldRecordStore(store: base, configuration: bench.configuration)
            // The third read looks whether the shield is still up when its processes are stopped.
            let store = InterruptedSecretStore(base, before: .read, number: 2) {
                _ = try? await records.change { record in
                    record.shields = [:]
                    record.stopped = []
                }
            }
            let shield = ProcessShield(store: store, configuration: bench.configuration)
            let chess = try Child(bench.chess, ["60"])
            try await shield.apply(ShieldSelection(apps: [AppToken("chess.desktop")]), as: bench.daily)
            #expect(await chess.wait { !$0.isStopped } != nil)
            try await BoundedWait.until(every: .milliseconds(5)) {
                try await records.read().stopped.isEmpty
            }
            #expect(await shield.coverage() == ShieldCoverage())
        }

        @Test("X-1: who takes over a shield notes itself, once, and reads the record when it has changed")
        func takesOver() async throws {
            let bench = try ShieldBench()
            let records = ShieldRecordStore(store: bench.store, configuration: bench.configuration)
            _ = try await records.change { record in
                record.shields[ShieldName("daily")] = ShieldSelection(apps: [AppToken("chess.desktop")])
            }
            let store = RecordingSecretStore(bench.store)
            let shield = ProcessShield(store: store, configuration: bench.configuration)
            try await shield.reconcile()
            #expect(try await records.read().keepers.count == 1)
            // Its own note is a change that it hears of, which may take a moment.
            try await BoundedWait.until(every: .milliseconds(5)) {
                let before = store.count(of: .read)
                for _ in 0..<5 { _ = await shield.coverage() }
                return store.count(of: .read) == before
            }
        }

        @Test("X-1: a shield that is taken over is found anew, though nothing told of a change")
        func foundAnew() async throws {
            let bench = try ShieldBench()
            try await bench.apply(categories: ["Game"])
            await bench.shield.guards?.end()
            try bench.scratch.copy("/bin/sleep", to: "bin/go")
            try bench.scratch.write(
                "[Desktop Entry]\nName=Go\nExec=go\nCategories=Game;\n",
                to: "applications/go.desktop"
            )
            let go = try Child("\(bench.scratch.path)/bin/go", ["60"])
            try await bench.shield.reconcile()
            #expect(go.isStopped)
        }

        @Test("X-1: starts that come while one waits for its turn are answered with it")
        func together() async throws {
            let bench = try ShieldBench()
            let store = RecordingSecretStore(DeafStore(bench.store))
            let shield = ProcessShield(store: store, configuration: bench.configuration)
            _ = await shield.coverage()
            let before = store.count(of: .read)
            await shield.turn.begin()
            await withTaskGroup { group in
                for _ in 0..<20 { group.addTask { await shield.started(nil) } }
                for _ in 0..<19 { _ = await group.next() }
                shield.turn.end()
            }
            #expect(store.count(of: .read) == before + 1)
        }

        @Test("X-1: over a store that tells nothing of others each start has the record read, denied or not")
        func deaf() async throws {
            let bench = try ShieldBench()
            let shield = ProcessShield(store: DeafStore(bench.store), configuration: bench.configuration)
            let selection = ShieldSelection(apps: [AppToken("chess.desktop")])
            let chess = try #require(FileID(path: bench.chess))
            for event in [Guards.Event.mayHaveStarted, .denied(chess)] {
                try await shield.apply(selection, as: bench.daily)
                try await bench.next().clear(bench.daily)
                shield.notice(event)
                try await BoundedWait.until(every: .milliseconds(5)) {
                    await shield.coverage() == ShieldCoverage()
                }
            }
            let events = await shield.events()
            bench.store.failNext(.read, with: SecretStoreError(code: .damaged, message: "damaged"))
            shield.notice(.mayHaveStarted)
            var listened = events.makeAsyncIterator()
            guard case .problem(let problem) = await listened.next() else {
                Issue.record("no problem was told")
                return
            }
            #expect(problem.code == .stateUnreadable)
        }
    }
}

/// A store that tells nothing of what others change.
final class DeafStore: ForwardingSecretStore {
    let base: any SecretStore

    init(_ base: any SecretStore) { self.base = base }

    var capabilities: SecretStoreCapabilities { base.capabilities.subtracting(.signalsOtherProcesses) }

    func changes(in namespace: SecretNamespace) -> AsyncStream<Void> { AsyncStream { nil } }
}

/// A store in which something happens between the answer to a read and its arrival.
private final class SlowStore: ForwardingSecretStore {
    let base: any SecretStore
    private let delay: @Sendable () async -> Void

    init(_ base: any SecretStore, delay: @escaping @Sendable () async -> Void) {
        self.base = base
        self.delay = delay
    }

    func read(_ name: SecretName) async throws(SecretStoreError) -> StoredSecret? {
        let found = try await base.read(name)
        await delay()
        return found
    }
}
#endif
