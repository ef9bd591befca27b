#if os(Linux)
import Glibc
import PortcullisCore
import PortcullisTesting
import Testing

@testable import ProcessShield

extension RealProcesses {
    @Suite("Stopping what runs", .timeLimit(.minutes(5)))
    struct StoppingTests {
        @Test("X-1: what runs is stopped when the call returns, and goes on where it was")
        func stops() async throws {
            let bench = try ShieldBench()
            let chess = try Child(bench.chess, ["60"])
            let mail = try Child(bench.mail, ["60"])
            try await bench.apply("chess.desktop")
            #expect(chess.isStopped && !mail.isStopped)
            try await bench.shield.clear(bench.daily)
            #expect(!chess.isStopped, "it goes on")
        }

        @Test("X-1: what runs is stopped by the time that the shield is up, each time it goes up")
        func isStoppedWhenUp() async throws {
            let bench = try ShieldBench()
            let chess = try Child(bench.chess, ["60"])
            for _ in 0..<40 {
                try await bench.apply("chess.desktop")
                #expect(chess.isStopped)
                try await bench.shield.clear(bench.daily)
            }
        }

        @Test("X-1: threads, children and the whole process group are stopped with it")
        func groups() async throws {
            let bench = try ShieldBench()
            let chess = try Child(bench.chess, ["60"])
            // One of the group that is not the app, and is not its child either: then no signal for all.
            let stranger = try Child(bench.mail, ["60"], group: chess.pid)
            try await bench.apply("chess.desktop")
            #expect(chess.isStopped && !stranger.isStopped)
        }

        @Test("X-1: a script and the interpreter that runs it are the app; the interpreter alone is not")
        func scripts() async throws {
            let bench = try ShieldBench()
            let script = try bench.scratch.write(
                "#!/bin/sh\nwhile :; do sleep 1; done\n",
                to: "bin/wrapper",
                mode: 0o755
            )
            let other = try bench.scratch.write(
                "#!/bin/sh\nwhile :; do sleep 1; done\n",
                to: "bin/other",
                mode: 0o755
            )
            let app = try Child("/bin/sh", [script])
            let shell = try Child("/bin/sh", [other])
            try await bench.apply(script)
            #expect(!shell.isStopped)
            #expect(app.isStopped)
        }

        @Test("X-1: what a person stopped by hand stays stopped when the shield goes")
        func stoppedByHand() async throws {
            let bench = try ShieldBench()
            let chess = try Child(bench.chess, ["60"])
            kill(chess.pid, SIGSTOP)
            await chess.wait { $0.isStopped }
            try await bench.apply("chess.desktop")
            try await bench.shield.clear(bench.daily)
            #expect(chess.isStopped)
        }

        @Test("X-1: other users' processes are not touched, whoever runs the shield")
        func otherUsers() async throws {
            let bench = try ShieldBench(users: [getuid() + 1])
            let chess = try Child(bench.chess, ["60"])
            try await bench.apply("chess.desktop")
            #expect(!chess.isStopped)
        }

        @Test("X-1: what is stopped is written down before, so that a failing store stops nothing")
        func writtenFirst() async throws {
            let bench = try ShieldBench()
            let chess = try Child(bench.chess, ["60"])
            bench.store.failNext(.write, with: SecretStoreError(code: .diskFull, message: "full"))
            let error = await #expect(throws: ShieldError.self) { try await bench.apply("chess.desktop") }
            #expect(error?.code == .stateUnreadable && error?.cause != nil)
            #expect(!chess.isStopped)
        }

        @Test("X-1: the next start lets go on what is no longer shielded, and adopts what is")
        func reconciles() async throws {
            let bench = try ShieldBench()
            let chess = try Child(bench.chess, ["60"])
            let mail = try Child(bench.mail, ["60"])
            try await bench.apply("chess.desktop", "mail.desktop")
            #expect(chess.isStopped && mail.isStopped)
            // Between the two somebody took mail from the shield, and died before it went on.
            let records = ShieldRecordStore(
                store: bench.store,
                namespace: ProcessShield.namespace,
                boot: String(
                    decoding: SmallFiles.read("/proc/sys/kernel/random/boot_id") ?? [],
                    as: UTF8.self
                )
            )
            _ = try await records.change {
                $0.shields[ShieldName("daily")]?.apps = [AppToken("chess.desktop")]
            }
            let next = bench.next()
            try await next.reconcile()
            #expect(chess.isStopped && !mail.isStopped)
            try await next.clear(bench.daily)
            #expect(!chess.isStopped)
            #expect(try await records.read().stopped.isEmpty, "nothing is remembered that is over")
        }

        @Test("X-1: numbers of another boot, or of processes that ended, are nobody's")
        func otherBoot() async throws {
            let bench = try ShieldBench()
            let chess = try Child(bench.chess, ["60"])
            try await bench.apply("chess.desktop")
            let records = ShieldRecordStore(
                store: bench.store,
                namespace: ProcessShield.namespace,
                boot: "another"
            )
            let record = try await records.read()
            #expect(record.stopped.isEmpty && record.shields.count == 1)
            chess.end()
            try await bench.shield.reconcile()
        }

        @Test("A-11: a record that cannot be understood is an error, and what is stopped stays so")
        func damaged() async throws {
            let bench = try ShieldBench()
            let chess = try Child(bench.chess, ["60"])
            try await bench.apply("chess.desktop")
            _ = try await bench.store.write(
                SecretBytes(copying: Array("{}".utf8)),
                to: SecretName("state", in: ProcessShield.namespace),
                accessibility: .afterFirstUnlockThisDeviceOnly,
                if: .none
            )
            let next = bench.next()
            let error = await #expect(throws: ShieldError.self) { try await next.clear(bench.daily) }
            #expect(error?.code == .stateUnreadable)
            #expect(chess.isStopped)
        }

        @Test("A-11: a shield that another process takes down by force is down here too")
        func releasedElsewhere() async throws {
            let bench = try ShieldBench()
            let chess = try Child(bench.chess, ["60"])
            try await bench.apply("chess.desktop")
            try await bench.next().clear(bench.daily)
            #expect(!chess.isStopped)
            for _ in 0..<10_000 where await bench.shield.coverage() != ShieldCoverage() {
                try await Task.sleep(for: .milliseconds(2))
            }
            #expect(await bench.shield.coverage() == ShieldCoverage())
            let later = try Child(bench.chess, ["0.05"])
            #expect(await later.wait { $0.state == "Z" } != nil)
            withExtendedLifetime(bench) {}
        }

        @Test("X-1: shields of two processes over one record unite")
        func twoProcesses() async throws {
            let bench = try ShieldBench()
            let chess = try Child(bench.chess, ["60"])
            let mail = try Child(bench.mail, ["60"])
            let other = bench.next()
            _ = await other.coverage()
            try await bench.apply("chess.desktop")
            try await other.apply(ShieldSelection(apps: [AppToken("mail.desktop")]), as: ShieldName("other"))
            let coverage = await other.coverage()
            #expect(coverage.applied.count == 2 && coverage.apps.count == 2)
            #expect(chess.isStopped && mail.isStopped)
            try await bench.shield.clear(bench.daily)
            #expect(!chess.isStopped && mail.isStopped)
        }

        @Test(
            "X-1: one with other users or another catalogue continues nothing that a shield still names",
            arguments: [true, false],
            [true, false]
        )
        func otherConfiguration(hasOtherUsers: Bool, byCategory: Bool) async throws {
            let bench = try ShieldBench()
            let chess = try Child(bench.chess, ["60"])
            let mail = try Child(bench.mail, ["60"])
            if byCategory {
                try await bench.apply(categories: ["Game"])
            } else {
                try await bench.apply("chess.desktop")
            }
            let office = ShieldName("office")
            try await bench.shield.apply(ShieldSelection(apps: [AppToken("mail.desktop")]), as: office)
            let records = ShieldRecordStore(store: bench.store, configuration: bench.configuration)
            let stopped = try await records.read().stopped
            #expect(Set(stopped.map(\.identity.pid)) == [chess.pid, mail.pid])
            var configuration = bench.configuration
            if hasOtherUsers {
                configuration.users = [getuid() + 1]
            } else {
                configuration.catalogue = DesktopCatalogue(folders: [], searchPath: [])
            }
            let other = ProcessShield(store: bench.store, configuration: configuration)
            try await other.reconcile()
            #expect(try await records.read().stopped == stopped)
            #expect(chess.isStopped && mail.isStopped)
            // What no shield names any more goes on, by whichever of them the shield is taken down.
            try await other.clear(bench.daily)
            #expect(!chess.isStopped && mail.isStopped)
            try await other.clear(office)
            #expect(!mail.isStopped)
            withExtendedLifetime(bench) {}
        }

        @Test("X-1: two that find different programs for an app do not continue each other's without end")
        func otherProgram() async throws {
            let bench = try ShieldBench()
            let chess = try Child(bench.chess, ["600"])
            let mail = try Child(bench.mail, ["600"])
            try bench.scratch.write(
                "[Desktop Entry]\nType=Application\nName=Chess\nExec=mail %U\n",
                to: "other/chess.desktop"
            )
            var configuration = bench.configuration
            configuration.catalogue = DesktopCatalogue(
                folders: ["\(bench.scratch.path)/other"],
                searchPath: ["\(bench.scratch.path)/bin"]
            )
            let store = RecordingSecretStore(bench.store)
            let one = ProcessShield(store: store, configuration: bench.configuration)
            let other = ProcessShield(store: store, configuration: configuration)
            // From now on it hears what the first one changes.
            _ = await other.coverage()
            try await one.apply(ShieldSelection(apps: [AppToken("chess.desktop")]), as: bench.daily)
            #expect(await mail.wait { $0.isStopped } != nil)
            // Real time: each of them takes far less for a round.
            try await BoundedWait.until("quiet") {
                let before = store.count(of: .write)
                try await Task.sleep(for: .milliseconds(700))
                return store.count(of: .write) == before
            }
            #expect(await chess.wait { _ in chess.isStopped && mail.isStopped } != nil)
            withExtendedLifetime((one, other)) {}
        }

        @Test("X-1: a process that another one continues and takes from the record is stopped again")
        func continuedElsewhere() async throws {
            let bench = try ShieldBench()
            let chess = try Child(bench.chess, ["60"])
            try await bench.apply("chess.desktop")
            kill(chess.pid, SIGCONT)
            await chess.wait { !$0.isStopped }
            let records = ShieldRecordStore(store: bench.store, configuration: bench.configuration)
            _ = try await records.change { $0.stopped = [] }
            #expect(await chess.wait(limit: .seconds(20)) { $0.isStopped } != nil)
            #expect(try await records.read().stopped.count == 1)
            try await bench.shield.clear(bench.daily)
            #expect(!chess.isStopped)
        }

        @Test("X-1: a stopped process that another one takes from the record is recorded again")
        func forgottenElsewhere() async throws {
            let bench = try ShieldBench()
            let chess = try Child(bench.chess, ["60"])
            try await bench.apply("chess.desktop")
            let records = ShieldRecordStore(store: bench.store, configuration: bench.configuration)
            _ = try await records.change { $0.stopped = [] }
            try await BoundedWait.until("the record", every: .milliseconds(10)) {
                try await records.read().stopped.map(\.identity.pid) == [chess.pid]
            }
            try await bench.shield.clear(bench.daily)
            #expect(!chess.isStopped)
        }

        @Test("X-1: the freezer is used for a unit of the app's own, and only where nobody else is in it")
        func freezer() async throws {
            let scratch = try Scratch()
            let scope = "/user.slice/app-chess-1.scope"
            func write(_ pid: Int32, _ program: String, parent: Int32 = 1) throws {
                try scratch.write(
                    "\(pid) (x) S \(parent) \(pid) 1 0 0 0 0 0 0 0 0 0 0 0 0 0 1 0 77 0\n",
                    to: "proc/\(pid)/stat"
                )
                try scratch.write("Uid:\t1000\t1000\n", to: "proc/\(pid)/status")
                try scratch.write("0::\(scope)\n", to: "proc/\(pid)/cgroup")
                try scratch.link("proc/\(pid)/exe", to: program)
            }
            let chess = try scratch.copy("/bin/true", to: "chess")
            let helper = try scratch.copy("/bin/true", to: "helper")
            let shell = try scratch.copy("/bin/true", to: "bash")
            try write(500, chess)
            try write(501, helper, parent: 500)
            try scratch.write("0\n", to: "cgroup\(scope)/cgroup.freeze")
            try scratch.write("500\n501\n", to: "cgroup\(scope)/cgroup.procs")
            let stopper = ProcessStopper(
                table: ProcessTable(folder: "\(scratch.path)/proc"),
                controlGroups: ControlGroups(folder: "\(scratch.path)/cgroup"),
                rules: SafetyRules(own: 1, ancestors: [], users: [1_000])
            )
            let id = try #require(FileID(path: chess))
            let chessApp = Program(files: [id: chess], unitID: "chess")
            let found = stopper.findings(for: [chessApp])
            #expect(found.map(\.scope) == [scope])
            await stopper.stop(found, of: [chessApp])
            #expect(stopper.controlGroups.isFrozen(scope))
            #expect(stopper.findings(for: [chessApp]).isEmpty, "it is frozen already")
            stopper.resume(found)
            #expect(!stopper.controlGroups.isFrozen(scope))
            // A shell in it, or a program that the app did not start: the unit is not frozen, the app is stopped alone.
            let stranger = try scratch.copy("/bin/true", to: "browser")
            for (program, parent) in [(shell, 500), (stranger, 1)] as [(String, Int32)] {
                try? scratch.remove("proc/502")
                try write(502, program, parent: parent)
                try scratch.write("500\n501\n502\n", to: "cgroup\(scope)/cgroup.procs")
                let alone = stopper.findings(for: [chessApp])
                #expect(alone.map(\.identity.pid) == [500] && alone.allSatisfy { $0.scope == nil })
            }
        }
    }
}
#endif
