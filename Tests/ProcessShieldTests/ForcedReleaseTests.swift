#if os(Linux)
import Glibc
import PortcullisCore
import PortcullisTesting
import Testing

@testable import ProcessShield

extension RealProcesses {
    @Suite("Release by force", .timeLimit(.minutes(5)))
    struct ForcedReleaseTests {
        @Test("X-1: with the record, what a shield stopped goes on, what a person stopped does not")
        func recorded() async throws {
            let bench = try ShieldBench()
            let chess = try Child(bench.chess, ["60"])
            let mail = try Child(bench.mail, ["60"])
            kill(mail.pid, SIGSTOP)
            await mail.wait { $0.isStopped }
            try await bench.apply("chess.desktop", "mail.desktop")
            #expect(chess.isStopped)
            let release = await ProcessShield.releaseByForce(
                store: bench.store,
                configuration: bench.configuration
            )
            #expect(release.recordError == nil && release.failed.isEmpty)
            #expect(!chess.isStopped && mail.isStopped)
            #expect(release.continued.contains(chess.pid) && !release.continued.contains(mail.pid))
            let records = ShieldRecordStore(store: bench.store, configuration: bench.configuration)
            let record = try await records.read()
            #expect(record.shields.isEmpty && record.stopped.isEmpty)
            // Who looks after the shields follows.
            let later = try Child(bench.chess, ["0.05"])
            #expect(await later.wait { $0.state == "Z" } != nil)
            withExtendedLifetime(bench) {}
        }

        @Test("X-1: a record that can be read and not written is enough to let go on")
        func unwritable() async throws {
            let bench = try ShieldBench()
            let chess = try Child(bench.chess, ["60"])
            try await bench.apply("chess.desktop")
            bench.store.failNext(.write, with: SecretStoreError(code: .diskFull, message: "full"))
            let release = await ProcessShield.releaseByForce(
                store: bench.store,
                configuration: bench.configuration
            )
            #expect(release.recordError?.code == .stateUnreadable)
            #expect(!chess.isStopped)
        }

        /// In another user's name, so that nobody's processes but the test's go on.
        @Test(
            "X-1: without a record everything that is stopped goes on, but for jobs of a terminal's shell",
            .enabled(if: getuid() == 0, "only root has a user to spare")
        )
        func unknown() async throws {
            let user: UInt32 = 54_321
            let bench = try ShieldBench(users: [user])
            let plain = try Child(
                "/usr/bin/setpriv",
                ["--reuid=\(user)", "--clear-groups", bench.chess, "60"]
            )
            // script(1) makes the terminal; the shell has job control and one job, which it stops.
            let terminal = try Child(
                "/usr/bin/setpriv",
                [
                    "--reuid=\(user)", "--clear-groups", "/usr/bin/script", "-qfc",
                    "exec /bin/bash -mc '\(bench.mail) 60 & sleep 0.3; kill -STOP $!; sleep 60; true'",
                    "/dev/null",
                ]
            )
            defer { kill(-terminal.pid, SIGKILL) }
            func job() -> RunningProcess? {
                ProcessTable().all().values.first { $0.executablePath == bench.mail }
            }
            await terminal.wait { _ in job()?.isStopped == true }
            let stopped = try #require(job())
            defer { kill(stopped.pid, SIGKILL) }
            await plain.wait { child in ProcessTable().process(child.pid)?.executablePath == bench.chess }
            kill(plain.pid, SIGSTOP)
            await plain.wait { $0.isStopped }
            let release = await ProcessShield.releaseByForce(
                store: nil,
                configuration: bench.configuration
            )
            #expect(release.recordError?.code == .stateUnreadable)
            #expect(release.continued == [plain.pid] && release.left == [stopped.pid])
            #expect(release.failed.isEmpty && !plain.isStopped && job()?.isStopped == true)
        }

        @Test(
            "X-1: without a record what is in the terminal's foreground goes on: no shell has put it aside",
            .enabled(if: getuid() == 0, "only root has a user to spare")
        )
        func foreground() async throws {
            let user: UInt32 = 54_322
            let bench = try ShieldBench(users: [user])
            // A shell without job control: what it starts is in its own group, the terminal's foreground.
            let terminal = try Child(
                "/usr/bin/setpriv",
                [
                    "--reuid=\(user)", "--clear-groups", "/usr/bin/script", "-qfc",
                    "exec /bin/sh -c '\(bench.mail) 60; true'", "/dev/null",
                ]
            )
            defer { kill(-terminal.pid, SIGKILL) }
            func mail() -> RunningProcess? {
                ProcessTable().all().values.first { $0.executablePath == bench.mail }
            }
            await terminal.wait { _ in mail() != nil }
            let process = try #require(mail())
            defer { kill(process.pid, SIGKILL) }
            #expect(process.terminal != 0 && process.group == process.foreground)
            kill(process.pid, SIGSTOP)
            await terminal.wait { _ in mail()?.isStopped == true }
            let release = await ProcessShield.releaseByForce(store: nil, configuration: bench.configuration)
            #expect(release.continued == [process.pid] && release.left.isEmpty && release.failed.isEmpty)
            #expect(mail()?.isStopped == false)
        }

        /// The processes are real, and what the table says of them is not.
        @Test("X-1: without a record what a debugger holds stays, and what has ended is no failure")
        func tracedAndEnded() async throws {
            let bench = try ShieldBench()
            let children = try (0..<3).map { _ in try Child(bench.chess, ["60"]) }
            for child in children { kill(child.pid, SIGSTOP) }
            let states: [(Character, tracer: Int)] = [("T", 0), ("T", 7), ("Z", 0)]
            for (child, state) in zip(children, states) {
                await child.wait { $0.isStopped }
                let folder = "proc/\(child.pid)"
                try bench.scratch.write(
                    "\(child.pid) (chess) \(state.0) 1 \(child.pid) \(child.pid) 0 -1 0 0 0 0 0 0 0 0 0 20 0 1 0 5 0 0\n",
                    to: "\(folder)/stat"
                )
                try bench.scratch.write(
                    "TracerPid:\t\(state.tracer)\nUid:\t77\t77\t77\t77\n",
                    to: "\(folder)/status"
                )
            }
            let release = await ProcessShield.releaseByForce(
                store: nil,
                configuration: ProcessShieldConfiguration(
                    catalogue: DesktopCatalogue(folders: [], searchPath: []),
                    users: [77],
                    processFolder: "\(bench.scratch.path)/proc",
                    controlGroupFolder: "\(bench.scratch.path)/cgroup"
                )
            )
            #expect(release.left == [children[1].pid])
            #expect(!children[0].isStopped && children[1].isStopped && children[2].isStopped)
            // The table goes on saying that the first one is stopped: that one was told and does not.
            #expect(release.failed == [children[0].pid] && release.continued.isEmpty)
        }

        @Test(
            "X-1: without a record a job that a shell has put aside is left, and nothing that only resembles one"
        )
        func jobs() async throws {
            let processes = try ProcessFolder()
            let shell = "\(processes.scratch.path)/bash"
            try processes.write(900_001, shell, session: 7)
            try processes.write(900_002, "\(processes.scratch.path)/other", session: 7)
            let bench = try ShieldBench()
            var children: [Child] = []
            var left: Set<Int32> = []
            for row in 0..<9 {
                let child = try Child(bench.chess, ["60"])
                kill(child.pid, SIGSTOP)
                await child.wait { $0.isStopped }
                children.append(child)
                // The first is a job; each of the others is none by one thing.
                try processes.write(
                    child.pid,
                    bench.chess,
                    parent: row == 1 ? 900_002 : row == 2 || row == 7 || row == 8 ? 1 : 900_001,
                    group: row == 3 ? 900_001 : row == 4 ? 99 : child.pid,
                    session: row == 5 ? 8 : 7,
                    terminal: row == 6 ? 0 : 3,
                    foreground: 99,
                    state: "T"
                )
                if row == 0 { left.insert(child.pid) }
            }
            // Others of the groups of the last two: one that the shell has started, and one that has ended.
            try processes.write(900_003, nil, parent: 900_001, group: children[7].pid, session: 7)
            left.insert(children[7].pid)
            try processes.write(900_004, nil, parent: 900_001, group: children[8].pid, session: 7, state: "Z")
            let release = await ProcessShield.releaseByForce(
                store: nil,
                configuration: ProcessShieldConfiguration(
                    catalogue: DesktopCatalogue(folders: [], searchPath: []),
                    users: [1_000],
                    processFolder: processes.table.folder,
                    controlGroupFolder: "\(processes.scratch.path)/cgroup"
                )
            )
            #expect(release.left == left)
            for child in children { #expect(child.isStopped == left.contains(child.pid)) }
        }

        @Test("X-1: with the record, what came into a recorded group goes on and is told, frozen units too")
        func recordedGroups() async throws {
            let bench = try ShieldBench()
            let chess = try Child(bench.chess, ["60"])
            let later = try Child(bench.chess, ["60"], group: chess.pid)
            try await bench.apply("chess.desktop")
            #expect(chess.isStopped && later.isStopped)
            await bench.shield.guards?.end()
            let scope = "/user.slice/app-mail-1.scope"
            try bench.scratch.write("1\n", to: "cgroup\(scope)/cgroup.freeze")
            var configuration = bench.configuration
            configuration.controlGroupFolder = "\(bench.scratch.path)/cgroup"
            let records = ShieldRecordStore(store: bench.store, configuration: configuration)
            _ = try await records.change { record in
                record.stopped = record.stopped.filter { $0.identity.pid == chess.pid }
                record.stopped.insert(StoppedProcess(identity: .init(pid: 2, start: 0), scope: scope))
            }
            let release = await ProcessShield.releaseByForce(store: bench.store, configuration: configuration)
            #expect(release.continued == [chess.pid, later.pid] && release.failed.isEmpty)
            #expect(!chess.isStopped && !later.isStopped)
            #expect(!ControlGroups(folder: configuration.controlGroupFolder).isFrozen(scope))
        }

        /// The process is real, and what the table says of it is not.
        @Test("X-1: with the record, what stays stopped for all signals stays recorded, with its group")
        func unmoved() async throws {
            let bench = try ShieldBench()
            let processes = try ProcessFolder()
            let child = try Child(bench.chess, ["60"])
            try processes.write(child.pid, bench.chess, state: "T")
            let configuration = ProcessShieldConfiguration(
                catalogue: DesktopCatalogue(folders: [], searchPath: []),
                users: [1_000],
                processFolder: processes.table.folder,
                controlGroupFolder: "\(processes.scratch.path)/cgroup"
            )
            let records = ShieldRecordStore(store: bench.store, configuration: configuration)
            let alone = StoppedProcess(identity: .init(pid: child.pid, start: 5))
            let member = StoppedProcess(
                identity: .init(pid: 900_001, start: 5),
                group: ProcessGroup(number: child.pid, session: 1, leader: 5)
            )
            let ended = StoppedProcess(identity: .init(pid: 900_002, start: 5))
            _ = try await records.change { $0.stopped = [alone, member, ended] }
            let release = await ProcessShield.releaseByForce(store: bench.store, configuration: configuration)
            #expect(release.recordError == nil && release.failed == [child.pid])
            #expect(try await records.read().stopped == [alone, member])
        }

        @Test("X-1: what somebody stops again at once, and what ends meanwhile, is no failure")
        func stoppedAgain() async throws {
            let bench = try ShieldBench()
            let chess = try Child(bench.chess, ["60"])
            let mail = try Child(bench.mail, ["60"])
            try await bench.apply("chess.desktop", "mail.desktop")
            #expect(chess.isStopped && mail.isStopped)
            let again = Task.detached {
                while !Task.isCancelled {
                    if chess.state == "S" { kill(chess.pid, SIGSTOP) }
                    if mail.state == "S" { kill(mail.pid, SIGKILL) }
                    try? await Task.sleep(for: .milliseconds(15))
                }
            }
            let release = await ProcessShield.releaseByForce(
                store: bench.store,
                configuration: bench.configuration
            )
            again.cancel()
            await again.value
            #expect(release.failed.isEmpty && release.continued.contains(chess.pid))
        }

        @Test("X-1: without a record the frozen control groups of the user's apps are thawed, and no others")
        func groups() async throws {
            let scratch = try Scratch()
            let slice = "/user.slice/user-1000.slice/user@1000.service/app.slice"
            for (group, frozen) in [
                ("\(slice)/app-chess-1.scope", 1), ("\(slice)/app-gnome-mail@1.service", 1),
                ("\(slice)/app-go-1.scope", 0), ("\(slice)/backup.service", 1),
                ("/user.slice/user-1001.slice/app-chess-1.scope", 1),
            ] {
                try scratch.write("\(frozen)\n", to: "cgroup\(group)/cgroup.freeze")
            }
            let release = await ProcessShield.releaseByForce(
                store: nil,
                configuration: ProcessShieldConfiguration(
                    catalogue: DesktopCatalogue(folders: [], searchPath: []),
                    users: [1_000],
                    processFolder: "\(scratch.path)/proc",
                    controlGroupFolder: "\(scratch.path)/cgroup"
                )
            )
            #expect(
                release.thawed == ["\(slice)/app-chess-1.scope", "\(slice)/app-gnome-mail@1.service"]
            )
        }
    }
}
#endif
