#if os(Linux)
import Glibc
import PortcullisCore
import PortcullisTesting
import Synchronization
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

        @Test(
            "X-1: what is stopped again between its release and the write of it is recorded while shielded",
            arguments: [true, false]
        )
        func beforeWrite(staysUp: Bool) async throws {
            let bench = try ShieldBench()
            let chess = try Child(bench.chess, ["60"])
            // It hears of nothing, so it does not mend what the other one forgets.
            let keeper = ProcessShield(store: DeafStore(bench.store), configuration: bench.configuration)
            try await keeper.apply(ShieldSelection(apps: [AppToken("chess.desktop")]), as: bench.daily)
            #expect(chess.isStopped)
            // Here the app's entry leads to another program.
            try bench.scratch.write(
                "[Desktop Entry]\nType=Application\nName=Chess\nExec=mail %U\n",
                to: "other/chess.desktop"
            )
            var configuration = bench.configuration
            configuration.catalogue = DesktopCatalogue(
                folders: ["\(bench.scratch.path)/other"],
                searchPath: ["\(bench.scratch.path)/bin"]
            )
            // The keeper's note is that of this process already. So the first write forgets what has gone on,
            // and the second records it again.
            let isContinued = Mutex(false)
            let stopping = InterruptedSecretStore(DeafStore(bench.store), before: .write) {
                isContinued.withLock { $0 = !chess.isStopped }
                kill(chess.pid, SIGSTOP)
                await chess.wait { $0.isStopped }
            }
            let records = ShieldRecordStore(store: bench.store, configuration: bench.configuration)
            let store = InterruptedSecretStore(stopping, before: .write, number: 1) {
                if !staysUp { _ = try? await records.change { $0.shields = [:] } }
            }
            let other = ProcessShield(store: store, configuration: configuration)
            try await other.reconcile()
            #expect(isContinued.withLock(\.self) && chess.isStopped == staysUp)
            #expect(try await records.read().stopped.map(\.identity.pid) == (staysUp ? [chess.pid] : []))
            try await keeper.clear(bench.daily)
            #expect(!chess.isStopped)
        }

        @Test("X-1: what is stopped again after its release may be a job of a shell, or held by a debugger")
        func stoppedOtherwise() throws {
            let processes = try ProcessFolder()
            let scope = "/user.slice/app-chess-1.scope"
            try processes.scratch.write("1\n", to: "cgroup\(scope)/cgroup.freeze")
            // A shell in the foreground of its terminal, and a job that has stopped in the background.
            try processes.write(400, "/bin/bash", session: 7, terminal: 3, foreground: 400)
            try processes.write(
                500,
                "/opt/chess",
                parent: 400,
                session: 7,
                terminal: 3,
                foreground: 400,
                state: "T"
            )
            try processes.write(501, "/opt/chess", session: 8, state: "t", tracer: 9)
            try processes.write(502, "/opt/chess", session: 8, state: "T")
            try processes.write(503, "/opt/chess", session: 8)
            // What is frozen has the state of one that sleeps.
            try processes.write(504, "/opt/chess", session: 8, scope: scope)
            let stopper = processes.stopper()
            let continued = (500...505).map { (pid: Int32) in
                StoppedProcess(identity: .init(pid: pid, start: 5), scope: pid == 504 ? scope : nil)
            }
            let again = stopper.stoppedAgain(Set(continued))
            #expect(again.map(\.identity.pid).sorted() == [502, 504])
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
