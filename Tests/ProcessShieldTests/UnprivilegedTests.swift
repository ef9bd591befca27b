#if os(Linux)
import Glibc
import PortcullisCore
import Testing

@testable import ProcessShield

extension RealProcesses {
    @Suite("As an ordinary user", .timeLimit(.minutes(5)))
    struct UnprivilegedTests {
        /// Gives the rights of root away, where this process has them.
        static func becomeOrdinary() {
            guard getuid() == 0 else { return }
            let nobody: UInt32 = 65_534
            guard setgid(nobody) == 0, setuid(nobody) == 0, getuid() != 0 else { exit(2) }
        }

        @Test("X-1: what runs is stopped, what starts is stopped, and both go on", arguments: [true, false])
        func works(usesConnector: Bool) async {
            // In a process of its own, because rights that were given away do not come back.
            await #expect(processExitsWith: .success) { [usesConnector = usesConnector as Bool] in
                UnprivilegedTests.becomeOrdinary()
                let bench = try ShieldBench(usesConnector: usesConnector, usesGate: true)
                let running = try Child(bench.chess, ["60"])
                try await bench.apply("chess.desktop")
                #expect(running.isStopped)
                #expect(await bench.shield.coverage().apps == [AppToken("chess.desktop"): .reactive])
                let started = try Child(bench.chess, ["60"])
                #expect(await started.wait { $0.isStopped } != nil)
                try await bench.shield.clear(bench.daily)
                #expect(!running.isStopped && !started.isStopped)
            }
        }

        @Test(
            "X-1: what another user runs is no failure of a release; what that user has stopped stays recorded",
            .enabled(if: getuid() == 0, "only root has a user to spare")
        )
        func refused() async {
            await #expect(processExitsWith: .success) {
                let bench = try ShieldBench()
                let running = try Child(bench.chess, ["60"], isElsewhere: true)
                let stopped = try Child(bench.chess, ["60"], isElsewhere: true)
                kill(stopped.pid, SIGSTOP)
                await stopped.wait { $0.isStopped }
                let entries = try [running, stopped].map { child in
                    StoppedProcess(identity: try #require(ProcessTable().outline(child.pid)?.identity))
                }
                let records = ShieldRecordStore(store: bench.store, configuration: bench.configuration)
                _ = try await records.change { $0.stopped = Set(entries) }
                // The saved user stays root, so the rights come back, and with them the right to end both.
                guard setreuid(65_534, 0) == 0, seteuid(65_534) == 0 else { exit(2) }
                defer {
                    _ = seteuid(0)
                    running.end()
                    stopped.end()
                }
                let release = await ProcessShield.releaseByForce(
                    store: bench.store,
                    configuration: bench.configuration
                )
                #expect(release.failed == [stopped.pid] && release.continued.isEmpty)
                #expect(try await records.read().stopped == [entries[1]])
            }
        }

        @Test(
            "X-1: what cannot go on when the last shield falls is told as a problem, and stays recorded",
            .enabled(if: getuid() == 0, "only root has a user to spare")
        )
        func refusedAtLast() async {
            await #expect(processExitsWith: .success) {
                let bench = try ShieldBench()
                let stopped = try Child(bench.chess, ["60"])
                kill(stopped.pid, SIGSTOP)
                await stopped.wait { $0.isStopped }
                let entry = StoppedProcess(
                    identity: try #require(ProcessTable().outline(stopped.pid)?.identity)
                )
                let records = ShieldRecordStore(store: bench.store, configuration: bench.configuration)
                _ = try await records.change { record in
                    record.shields[ShieldName("daily")] = ShieldSelection(apps: [AppToken("none.desktop")])
                    record.stopped = [entry]
                }
                // The saved user stays root, so the rights come back, and with them the right to end it.
                guard setreuid(65_534, 0) == 0, seteuid(65_534) == 0 else { exit(2) }
                defer {
                    _ = seteuid(0)
                    stopped.end()
                }
                let events = await bench.shield.events()
                try await bench.shield.clear(bench.daily)
                await bench.shield.tell(.problem(ShieldError(code: .unavailable, message: "the end")))
                var listened = events.makeAsyncIterator()
                guard case .problem(let problem) = await listened.next() else { exit(3) }
                #expect(problem.code == .systemFailure)
                #expect(try await records.read().stopped == [entry])
            }
        }

        @Test("X-1: without connector and inotify an ordinary user's shield looks at all once a second")
        func scan() async {
            await #expect(processExitsWith: .success) {
                UnprivilegedTests.becomeOrdinary()
                let bench = try ShieldBench(usesConnector: false, usesOpenings: false)
                try await bench.apply("chess.desktop")
                let started = try Child(bench.chess, ["60"])
                let other = try Child(bench.mail, ["60"])
                #expect(await started.wait(limit: .seconds(30)) { $0.isStopped } != nil)
                #expect(!other.isStopped)
                try await bench.shield.clear(bench.daily)
                #expect(!started.isStopped)
            }
        }

        @Test(
            "X-1: another user's process is not touched",
            .enabled(if: getuid() == 0, "only root has two users")
        )
        func others() async throws {
            let bench = try ShieldBench()
            let chess = try Child(bench.chess, ["60"])
            await #expect(processExitsWith: .success) { [path = bench.chess as String] in
                UnprivilegedTests.becomeOrdinary()
                let bench = try ShieldBench()
                try await bench.apply(path)
                let state = await bench.shield.coverage().apps[AppToken(path)]
                #expect(state == .reactive)
            }
            #expect(!chess.isStopped)
        }
    }
}
#endif
