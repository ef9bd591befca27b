#if os(Linux)
import Glibc
import PortcullisCore
import PortcullisTesting
import Testing

@testable import ProcessShield

extension RealProcesses {
    @Suite("Entries that another controller removes", .timeLimit(.minutes(5)))
    struct RemovedEntryTests {
        @Test(
            "X-1: what another one removes is recorded again, also where a change comes before its signal",
            arguments: [["chess.desktop"], ["chess.desktop", "mail.desktop"]]
        )
        func beforeChange(_ apps: [String]) async throws {
            let bench = try ShieldBench()
            let chess = try Child(bench.chess, ["60"])
            let records = ShieldRecordStore(store: bench.store, configuration: bench.configuration)
            // The first shield takes three reads, and the fourth read is that of the change.
            let store = InterruptedSecretStore(MuteStore(bench.store), before: .read, number: 3) {
                _ = try? await records.change { $0.stopped = [] }
            }
            let shield = ProcessShield(store: store, configuration: bench.configuration)
            try await shield.apply(ShieldSelection(apps: [AppToken("chess.desktop")]), as: bench.daily)
            #expect(chess.isStopped)
            try await shield.apply(ShieldSelection(apps: Set(apps.map(AppToken.init))), as: bench.daily)
            #expect(try await records.read().stopped.map(\.identity.pid) == [chess.pid])
            try await shield.clear(bench.daily)
            #expect(!chess.isStopped)
        }

        @Test("X-1: what its person stops by hand after a release is no entry under a new shield of the app")
        func byHand() async throws {
            let bench = try ShieldBench()
            let chess = try Child(bench.chess, ["60"])
            let selection = ShieldSelection(apps: [AppToken("chess.desktop")])
            // It hears of nothing, so its next change reads of the release.
            let shield = ProcessShield(store: DeafStore(bench.store), configuration: bench.configuration)
            try await shield.apply(selection, as: bench.daily)
            #expect(chess.isStopped)
            _ = await ProcessShield.releaseByForce(store: bench.store, configuration: bench.configuration)
            #expect(await chess.wait { !$0.isStopped } != nil)
            kill(chess.pid, SIGSTOP)
            await chess.wait { $0.isStopped }
            try await shield.apply(selection, as: bench.daily)
            let records = ShieldRecordStore(store: bench.store, configuration: bench.configuration)
            #expect(try await records.read().stopped.isEmpty)
            try await shield.clear(bench.daily)
            #expect(chess.isStopped)
        }
    }
}

/// A store whose signals have not come yet.
private final class MuteStore: ForwardingSecretStore {
    let base: any SecretStore

    init(_ base: any SecretStore) { self.base = base }

    func changes(in namespace: SecretNamespace) -> AsyncStream<Void> { AsyncStream { nil } }
}
#endif
