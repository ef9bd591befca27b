#if os(Linux)
import Glibc
import PortcullisCore
import PortcullisTesting
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
                let stopped = try Child(bench.chess, ["60"], isElsewhere: true)
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

        @Test("X-1: a unit that a release by force cannot thaw is waited for, and told by what is in it")
        func frozen() async {
            await #expect(processExitsWith: .success) {
                UnprivilegedTests.becomeOrdinary()
                let processes = try ProcessFolder()
                let scratch = processes.scratch
                let scope = "/user.slice/app-chess-1.scope"
                let state = "cgroup\(scope)/cgroup.freeze"
                try scratch.write("1\n", to: state, mode: 0o444)
                try processes.write(900_001, nil, scope: scope)
                let configuration = ProcessShieldConfiguration(
                    catalogue: DesktopCatalogue(folders: [], searchPath: []),
                    users: [1_000],
                    processFolder: processes.table.folder,
                    controlGroupFolder: "\(scratch.path)/cgroup"
                )
                let store = InMemorySecretStore()
                let records = ShieldRecordStore(store: store, configuration: configuration)
                // The second one has ended.
                let entries = [900_001, 900_002].map { (pid: Int32) in
                    StoppedProcess(identity: .init(pid: pid, start: 5), scope: scope)
                }
                _ = try await records.change { $0.stopped = Set(entries) }
                let refused = await ProcessShield.releaseByForce(store: store, configuration: configuration)
                #expect(refused.failed == [900_001] && refused.thawed.isEmpty)
                #expect(try await records.read().stopped == Set(entries))
                // Another shield thaws the unit while the release looks at it.
                let helped = InterruptedSecretStore(store, before: .read) {
                    _ = Task {
                        try await Task.sleep(for: .milliseconds(10))
                        try scratch.remove(state)
                        try scratch.write("0\n", to: state)
                    }
                }
                let release = await ProcessShield.releaseByForce(store: helped, configuration: configuration)
                #expect(release.failed.isEmpty && release.thawed == [scope])
                #expect(try await records.read().stopped.isEmpty)
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
