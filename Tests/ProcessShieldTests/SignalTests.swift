#if os(Linux)
import Glibc
import PortcullisCore
import PortcullisTesting
import Synchronization
import Testing

@testable import ProcessShield

extension RealProcesses {
    @Suite("Signals to the right process", .timeLimit(.minutes(5)))
    struct SignalTests {
        private func stopper(_ bench: ShieldBench, program: String? = nil) -> ProcessStopper {
            ProcessStopper(
                table: ProcessTable(),
                controlGroups: ControlGroups(folder: "\(bench.scratch.path)/cgroup"),
                rules: SafetyRules(
                    own: getpid(),
                    ancestors: [],
                    users: [getuid()],
                    program: program.flatMap { FileID(path: $0) }
                )
            )
        }

        @Test("X-1: a signal comes to the process that is meant, and to no other one of its number")
        func signals() async throws {
            let bench = try ShieldBench()
            let chess = try Child(bench.chess, ["60"])
            let identity = try #require(ProcessTable().outline(chess.pid)?.identity)
            let stopper = stopper(bench)
            let earlier = RunningProcess.Identity(pid: identity.pid, start: identity.start + 1)
            #expect(stopper.signal(earlier, SIGKILL) == ESRCH)
            #expect(stopper.signal(identity, SIGSTOP) == 0)
            #expect(await chess.wait { $0.isStopped } != nil)
            chess.end()
            #expect(stopper.signal(identity, SIGCONT) == ESRCH)
        }

        @Test("X-1: a group's signal comes to the group that was found, and to no later one of its number")
        func groups() async throws {
            let bench = try ShieldBench()
            let processes = try ProcessFolder()
            // The process is real, and what the table says of it is not.
            let chess = try Child(bench.chess, ["60"])
            try processes.write(chess.pid, bench.chess)
            let app = Program(files: [try #require(FileID(path: bench.chess)): bench.chess])
            let stopper = processes.stopper()
            /// The group, by one in it that has ended since.
            func found(leader: UInt64) -> Set<StoppedProcess> {
                let group = ProcessGroup(number: chess.pid, session: 1, leader: leader)
                return [StoppedProcess(identity: .init(pid: 900_001, start: 5), group: group)]
            }
            await stopper.stop(found(leader: 4), of: [app])
            #expect(!chess.isStopped, "another group has the number")
            try processes.write(900_002, bench.mail, group: chess.pid)
            await stopper.stop(found(leader: 5), of: [app])
            #expect(!chess.isStopped, "a stranger is in it")
            try processes.hide("proc/900002/status")
            await stopper.stop(found(leader: 5), of: [app])
            #expect(!chess.isStopped, "one that cannot be read is in it")
            try processes.scratch.remove("proc/900002")
            await stopper.stop(found(leader: 5), of: [app])
            #expect(await chess.wait { $0.isStopped } != nil)
            stopper.resume(found(leader: 4))
            #expect(chess.isStopped)
            stopper.resume(found(leader: 5))
            #expect(await chess.wait { !$0.isStopped } != nil)
        }

        @Test("X-1: one that has become the program that shields since it was found goes on")
        func shield() async throws {
            let bench = try ShieldBench()
            let own = try Child(bench.mail, ["60"])
            let chess = try Child(bench.chess, ["60"])
            let stopper = stopper(bench, program: bench.mail)
            let found = try [own, chess].map { child in
                StoppedProcess(identity: try #require(ProcessTable().outline(child.pid)?.identity))
            }
            await stopper.stop(Set(found), of: [])
            #expect(chess.isStopped)
            #expect(await own.wait { !$0.isStopped } != nil)
        }

        @Test("X-1: a release while very many are being stopped ends that, and leaves none of them stopped")
        func releasedMeanwhile() async throws {
            let bench = try ShieldBench()
            let children = try (0..<ProcessStopper.slice + 50).map { _ in try Child(bench.chess, ["600"]) }
            let stopped = Mutex(0)
            // The third read comes before the first slice, and the fourth before the second one.
            let store = InterruptedSecretStore(bench.store, before: .read, number: 3) {
                await children[0].wait { _ in children.count(where: \.isStopped) >= ProcessStopper.slice }
                stopped.withLock { $0 = children.count(where: \.isStopped) }
                try? await bench.next().clear(bench.daily)
            }
            let shield = ProcessShield(store: store, configuration: bench.configuration)
            try await shield.apply(ShieldSelection(apps: [AppToken("chess.desktop")]), as: bench.daily)
            #expect(stopped.withLock { $0 } == ProcessStopper.slice, "the others were not stopped")
            #expect(await children[0].wait { _ in !children.contains(where: \.isStopped) } != nil)
            let records = ShieldRecordStore(store: bench.store, configuration: bench.configuration)
            try await BoundedWait.until(every: .milliseconds(5)) {
                try await records.read().stopped.isEmpty
            }
            #expect(await shield.coverage() == ShieldCoverage())
        }

        @Test("X-1: what another one continues and forgets during a release of others is stopped again")
        func forgottenMeanwhile() async throws {
            let bench = try ShieldBench()
            let chess = try Child(bench.chess, ["600"])
            let mail = try Child(bench.mail, ["600"])
            let records = ShieldRecordStore(store: bench.store, configuration: bench.configuration)
            // The first three writes put two shields up, and take one of them down. The fourth one forgets
            // what has gone on.
            let store = InterruptedSecretStore(bench.store, before: .write, number: 3) {
                kill(chess.pid, SIGCONT)
                await chess.wait { !$0.isStopped }
                _ = try? await records.change { record in
                    record.stopped = record.stopped.filter { $0.identity.pid != chess.pid }
                }
            }
            let shield = ProcessShield(store: store, configuration: bench.configuration)
            let office = ShieldName("office")
            try await shield.apply(ShieldSelection(apps: [AppToken("chess.desktop")]), as: bench.daily)
            try await shield.apply(ShieldSelection(apps: [AppToken("mail.desktop")]), as: office)
            #expect(chess.isStopped && mail.isStopped)
            try await shield.clear(office)
            #expect(chess.isStopped && !mail.isStopped)
            #expect(try await records.read().stopped.map(\.identity.pid) == [chess.pid])
            try await shield.clear(bench.daily)
            #expect(!chess.isStopped)
        }

        @Test(
            "X-1: what is stopped anew while a release forgets it stays recorded, and goes on with its shield",
            arguments: [false, true]
        )
        func stoppedAnew(byForce: Bool) async throws {
            let bench = try ShieldBench()
            let chess = try Child(bench.chess, ["60"])
            let selection = ShieldSelection(apps: [AppToken("chess.desktop")])
            // It hears of nothing, so it does not mend what the release forgets.
            let keeper = ProcessShield(store: DeafStore(bench.store), configuration: bench.configuration)
            try await keeper.apply(selection, as: bench.daily)
            #expect(chess.isStopped)
            // The first write takes the shield down, and the second forgets what has gone on.
            let daily = bench.daily
            let store = InterruptedSecretStore(bench.store, before: .write, number: 1) {
                await Self.stopAnew(chess, selection, by: keeper, as: daily)
            }
            if byForce {
                _ = await ProcessShield.releaseByForce(store: store, configuration: bench.configuration)
            } else {
                let release = ProcessShield(store: DeafStore(store), configuration: bench.configuration)
                try await release.clear(bench.daily)
            }
            let records = ShieldRecordStore(store: bench.store, configuration: bench.configuration)
            #expect(chess.isStopped)
            #expect(try await records.read().stopped.map(\.identity.pid) == [chess.pid])
            try await keeper.clear(bench.daily)
            #expect(!chess.isStopped)
            #expect(try await records.read().stopped.isEmpty)
        }

        /// Stops a program again as soon as another controller has continued it.
        private static func stopAnew(
            _ child: Child,
            _ selection: ShieldSelection,
            by keeper: ProcessShield,
            as name: ShieldName
        ) async {
            await child.wait { !$0.isStopped }
            try? await keeper.apply(selection, as: name)
            #expect(child.isStopped)
        }

        @Test("X-1: what its person stops by hand after a release is not recorded, and stays stopped")
        func stoppedByHand() async throws {
            let bench = try ShieldBench()
            let chess = try Child(bench.chess, ["60"])
            let mail = try Child(bench.mail, ["60"])
            let office = ShieldName("office")
            // It hears of nothing, so its next write reads of the release.
            let shield = ProcessShield(store: DeafStore(bench.store), configuration: bench.configuration)
            try await shield.apply(ShieldSelection(apps: [AppToken("chess.desktop")]), as: bench.daily)
            #expect(chess.isStopped)
            _ = await ProcessShield.releaseByForce(store: bench.store, configuration: bench.configuration)
            #expect(await chess.wait { !$0.isStopped } != nil)
            kill(chess.pid, SIGSTOP)
            await chess.wait { $0.isStopped }
            try await shield.apply(ShieldSelection(apps: [AppToken("mail.desktop")]), as: office)
            let records = ShieldRecordStore(store: bench.store, configuration: bench.configuration)
            #expect(try await records.read().stopped.map(\.identity.pid) == [mail.pid])
            try await shield.clear(office)
            #expect(chess.isStopped && !mail.isStopped)
        }

        @Test("X-1: a release while no process can be read forgets nothing, and a later one continues it")
        func unreadable() async throws {
            let bench = try ShieldBench()
            let chess = try Child(bench.chess, ["60"])
            var configuration = bench.configuration
            configuration.processFolder = "\(bench.scratch.path)/proc"
            try bench.scratch.link("proc", to: "/proc")
            let shield = ProcessShield(store: bench.store, configuration: configuration)
            try await shield.apply(ShieldSelection(apps: [AppToken("chess.desktop")]), as: bench.daily)
            #expect(chess.isStopped)
            let events = await shield.events()
            try #require(unsafe unlink(configuration.processFolder) == 0)
            try await shield.clear(bench.daily)
            let records = ShieldRecordStore(store: bench.store, configuration: bench.configuration)
            let record = try await records.read()
            try #require(record.shields.isEmpty && record.stopped.map(\.identity.pid) == [chess.pid])
            var listened = events.makeAsyncIterator()
            guard case .problem(let problem) = await listened.next() else {
                Issue.record("no problem was told")
                return
            }
            #expect(problem.code == .unavailable && chess.isStopped)
            try bench.scratch.link("proc", to: "/proc")
            try await shield.reconcile()
            #expect(!chess.isStopped)
            #expect(try await records.read().stopped.isEmpty)
        }

        @Test("X-1: one that cannot read its own process puts up no shield until it can, and is noted then")
        func unreadItself() async throws {
            let bench = try ShieldBench()
            let chess = try Child(bench.chess, ["60"])
            var configuration = bench.configuration
            configuration.processFolder = "\(bench.scratch.path)/proc"
            let shield = ProcessShield(store: bench.store, configuration: configuration)
            let selection = ShieldSelection(apps: [AppToken("chess.desktop")])
            let error = await #expect(throws: ShieldError.self) {
                try await shield.apply(selection, as: bench.daily)
            }
            let records = ShieldRecordStore(store: bench.store, configuration: bench.configuration)
            #expect(try await records.read().shields.isEmpty)
            #expect(error?.code == .unavailable && !chess.isStopped)
            // A shield that is up can come down all the same.
            _ = try await records.change { $0.shields[bench.daily] = selection }
            try await ProcessShield(store: bench.store, configuration: configuration).clear(bench.daily)
            #expect(try await records.read().shields.isEmpty)
            try bench.scratch.link("proc", to: "/proc")
            try await shield.apply(selection, as: bench.daily)
            #expect(chess.isStopped)
            #expect(try await shield.report().isAttended)
            try await shield.clear(bench.daily)
            #expect(!chess.isStopped)
        }

        @Test("X-1: a program whose file was removed is told from one whose file is there")
        func replaced() throws {
            let bench = try ShieldBench()
            let chess = try Child(bench.chess, ["60"])
            let table = ProcessTable()
            #expect(table.process(chess.pid)?.isReplaced == false)
            try bench.scratch.remove("bin/chess")
            let process = try #require(table.process(chess.pid))
            #expect(process.isReplaced && process.executablePath == bench.chess)
            #expect(table.group(of: chess.pid) == chess.pid && table.group(of: .max) == nil)
        }

        @Test("X-1: a release by force that cannot empty the record says so, and what was thawed")
        func halfEmptied() async throws {
            let bench = try ShieldBench()
            let processes = try ProcessFolder()
            let scope = "/user.slice/app-mail-1.scope"
            try processes.write(900_001, bench.mail, scope: scope)
            try bench.scratch.write("1\n", to: "cgroup\(scope)/cgroup.freeze")
            let configuration = ProcessShieldConfiguration(
                catalogue: DesktopCatalogue(folders: [], searchPath: []),
                users: [1_000],
                processFolder: processes.table.folder,
                controlGroupFolder: "\(bench.scratch.path)/cgroup"
            )
            let records = ShieldRecordStore(store: bench.store, configuration: configuration)
            _ = try await records.change { record in
                record.shields[ShieldName("daily")] = ShieldSelection(apps: [AppToken("mail.desktop")])
                record.stopped = [StoppedProcess(identity: .init(pid: 900_001, start: 5), scope: scope)]
            }
            // The first write takes the shields down, and the second forgets what has gone on.
            let store = InterruptedSecretStore(bench.store, before: .write, number: 1) {
                bench.store.failNext(.write, with: SecretStoreError(code: .diskFull, message: "full"))
            }
            let release = await ProcessShield.releaseByForce(store: store, configuration: configuration)
            #expect(release.recordError?.code == .stateUnreadable && release.thawed == [scope])
            #expect(!ControlGroups(folder: configuration.controlGroupFolder).isFrozen(scope))
            let record = try await records.read()
            #expect(record.shields.isEmpty && record.stopped.count == 1)
        }
    }
}
#endif
