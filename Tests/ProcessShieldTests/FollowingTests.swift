#if os(Linux)
import GcryptKeystore
import Glibc
import PortcullisCore
import PortcullisTesting
import Testing

@testable import ProcessShield

extension RealProcesses {
    @Suite("Following what changes", .timeLimit(.minutes(5)))
    struct FollowingTests {
        @Test(
            "X-1: without connector and inotify a program that starts is stopped by the look of each second"
        )
        func scan() async throws {
            let bench = try ShieldBench(usesConnector: false, usesOpenings: false)
            try await bench.apply("chess.desktop")
            let chess = try Child(bench.chess, ["60"])
            #expect(await chess.wait(limit: .seconds(20)) { $0.isStopped } != nil)
        }

        @Test("X-1: what a later shield names in another way stays shut with one that cannot find it")
        func namedOtherwise() async throws {
            let bench = try ShieldBench()
            let chess = try Child(bench.chess, ["600"])
            let records = ShieldRecordStore(store: bench.store, configuration: bench.configuration)
            let game = CategoryToken("Game")
            let path = AppToken(bench.chess)
            // With the release of the first one nothing stops the app again.
            do {
                let first = bench.next()
                try await first.apply(ShieldSelection(apps: [AppToken("chess.desktop")]), as: bench.daily)
                let stopped = try await records.read().stopped
                #expect(
                    stopped.compactMap(\.selection) == [ShieldSelection(apps: [AppToken("chess.desktop")])]
                )
                // Two tokens of one program are recorded for one process.
                try await first.apply(ShieldSelection(categories: [game]), as: bench.daily)
                try await first.apply(ShieldSelection(apps: [path]), as: ShieldName("other"))
            }
            let stopped = try await records.read().stopped
            let selection = ShieldSelection(apps: [AppToken("chess.desktop"), path], categories: [game])
            #expect(stopped.compactMap(\.selection) == [selection])
            var configuration = bench.configuration
            configuration.users = [getuid() + 1]
            let other = ProcessShield(store: bench.store, configuration: configuration)
            try await other.reconcile()
            #expect(try await records.read().stopped == stopped)
            #expect(chess.isStopped)
            for (shield, isLast) in [(bench.daily, false), (ShieldName("other"), true)] {
                try await other.clear(shield)
                #expect(chess.isStopped == !isLast)
            }
        }

        @Test("X-1: an app that is installed while its category is shut is shut with it")
        func installed() async throws {
            let bench = try ShieldBench()
            try await bench.apply(categories: ["Game"])
            try bench.scratch.copy("/bin/sleep", to: "bin/go")
            let go = try Child("\(bench.scratch.path)/bin/go", ["60"])
            #expect(!go.isStopped)
            try bench.scratch.write(
                "[Desktop Entry]\nType=Application\nName=Go\nExec=go\nCategories=Game;\n",
                to: "applications/sub/go.desktop"
            )
            #expect(await go.wait(limit: .seconds(20)) { $0.isStopped } != nil)
            try await bench.shield.clear(bench.daily)
            #expect(!go.isStopped)
        }

        @Test(
            "X-1: a chosen program that was away for a while, with its folder or without, is stopped again",
            arguments: ["chess.desktop", "/bin/chess"],
            [false, true]
        )
        func away(token: String, takesFolder: Bool) async throws {
            let bench = try ShieldBench()
            // One that has an entry, and one that is chosen by its path.
            try await bench.apply(token.hasPrefix("/") ? bench.scratch.path + token : token)
            try bench.scratch.remove(takesFolder ? "bin" : "bin/chess")
            // The shield has to have seen that it is not there.
            try await BoundedWait.until("a shield without the program", every: .milliseconds(10)) {
                await bench.shield.resolved.programs.isEmpty
            }
            // The looks that follow a change of a folder are over, and the shield has to hear of the next one.
            try await Task.sleep(for: .milliseconds(300))
            try bench.scratch.copy("/bin/sleep", to: "bin/chess")
            let chess = try Child(bench.chess, ["60"])
            #expect(await chess.wait(limit: .seconds(20)) { $0.isStopped } != nil)
            try await bench.shield.clear(bench.daily)
            #expect(!chess.isStopped)
        }

        @Test(
            "X-1: a program whose file is renamed stays shut, and so does the file under its new name",
            arguments: ["chess.desktop", "/bin/chess", "Game"],
            [true, false]
        )
        func renamed(chosen: String, usesConnector: Bool) async throws {
            let bench = try ShieldBench(usesConnector: usesConnector)
            if chosen == "Game" {
                try await bench.apply(categories: [chosen])
            } else {
                try await bench.apply(chosen.hasPrefix("/") ? bench.scratch.path + chosen : chosen)
            }
            let first = try Child(bench.chess, ["60"])
            #expect(await first.wait(limit: .seconds(20)) { $0.isStopped } != nil)
            let aside = "\(bench.scratch.path)/bin/aside"
            try #require(unsafe rename(bench.chess, aside) == 0)
            try await BoundedWait.until("a shield without the program", every: .milliseconds(10)) {
                await bench.shield.resolved.programs.isEmpty
            }
            // The looks that follow the change of the folder are over.
            try await Task.sleep(for: .milliseconds(700))
            let second = try Child(aside, ["60"])
            #expect(await second.wait(limit: .seconds(20)) { $0.isStopped } != nil)
            #expect(first.isStopped)
            // Another file in its place takes nothing from that.
            try bench.scratch.copy("/bin/sleep", to: "bin/chess")
            let third = try Child(bench.chess, ["60"])
            #expect(await third.wait(limit: .seconds(20)) { $0.isStopped } != nil)
            let fourth = try Child(aside, ["60"])
            #expect(await fourth.wait(limit: .seconds(20)) { $0.isStopped } != nil)
            #expect(first.isStopped && second.isStopped)
            try await bench.shield.clear(bench.daily)
            #expect([first, second, third, fourth].allSatisfy { !$0.isStopped })
            // Chosen anew, the file under its old name alone is the app.
            try await bench.apply("chess.desktop")
            #expect(!first.isStopped && third.isStopped)
        }

        @Test(
            "X-1: an entry that has the app refused while it is shut frees nothing until the shield is lifted",
            arguments: [
                ("chess", "Exec=chess\nCategories=Game;TerminalEmulator;"),
                ("chess", "Exec=bash -l\nCategories=Game;"),
                ("other", "Exec=chess\nCategories=TerminalEmulator;"),
            ],
            [true, false]
        )
        func refusedLater(_ entry: (name: String, lines: String), byCategory: Bool) async throws {
            let bench = try ShieldBench()
            if byCategory {
                try await bench.apply(categories: ["Game"])
            } else {
                try await bench.apply("chess.desktop")
            }
            let first = try Child(bench.chess, ["60"])
            #expect(await first.wait(limit: .seconds(20)) { $0.isStopped } != nil)
            try bench.scratch.write(
                "[Desktop Entry]\nType=Application\nName=Chess\n\(entry.lines)\n",
                to: "applications/\(entry.name).desktop"
            )
            try await BoundedWait.until("a shield without the program", every: .milliseconds(10)) {
                await bench.shield.resolved.programs.isEmpty
            }
            // The looks that follow the change of the folder are over.
            try await Task.sleep(for: .milliseconds(700))
            let second = try Child(bench.chess, ["60"])
            #expect(await second.wait(limit: .seconds(20)) { $0.isStopped } != nil)
            #expect(first.isStopped)
            try await bench.shield.clear(bench.daily)
            #expect(!first.isStopped && !second.isStopped)
        }

        @Test(
            "X-1: a chosen program that may be executed only after it was written is stopped",
            arguments: [false, true]
        )
        func executableLater(byCategory: Bool) async throws {
            let bench = try ShieldBench()
            try bench.scratch.remove("bin/chess")
            if byCategory {
                try await bench.apply(categories: ["Game"])
            } else {
                try await bench.apply("chess.desktop")
            }
            try bench.scratch.copy("/bin/sleep", to: "bin/other")
            try #require(unsafe chmod("\(bench.scratch.path)/bin/other", 0o600) == 0)
            try #require(unsafe rename("\(bench.scratch.path)/bin/other", bench.chess) == 0)
            try await Task.sleep(for: .milliseconds(300))
            try #require(unsafe chmod(bench.chess, 0o755) == 0)
            let chess = try Child(bench.chess, ["60"])
            #expect(await chess.wait(limit: .seconds(20)) { $0.isStopped } != nil)
        }

        @Test(
            "X-1: a program that is replaced is behind the gate again before anybody starts it",
            .enabled("the kernel gives this process no permission events") { StartGate.isAllowed }
        )
        func replaced() async throws {
            let bench = try ShieldBench(usesGate: true)
            try await bench.apply("chess.desktop")
            try bench.scratch.copy("/bin/sleep", to: "bin/new")
            #expect(unsafe rename("\(bench.scratch.path)/bin/new", bench.chess) == 0)
            let mail = try Child(bench.mail, ["60"])
            // Starts would have the shield look for itself; the new mark is all that is waited for.
            let id = try #require(FileID(path: bench.chess))
            var isGated = false
            for _ in 0..<2_000 where !isGated {
                isGated = await bench.shield.guards?.gatedFiles.contains(id) == true
                if !isGated { await mail.wait(limit: .milliseconds(10)) { _ in false } }
            }
            #expect(isGated)
            let refused = #expect(throws: Child.Refused.self) { try Child(bench.chess, ["60"]) }
            #expect(refused?.error == EPERM)
        }

        @Test(
            "X-1: a shield that another process took down over a shared store stops nobody who starts later"
        )
        func otherProcess() async throws {
            guard Shielding.executable != nil else {
                print("skipped: the process that shields was not built")
                return
            }
            let bench = try ShieldBench()
            let store = try await Shielding.store(of: bench)
            let shielding = try Shielding("gate", on: bench, store)
            #expect(await shielding.waits(for: "up"))
            let chess = try? Child(bench.chess, ["60"])
            if let chess { #expect(await chess.wait { $0.isStopped } != nil) }
            let release = await ProcessShield.releaseByForce(
                store: store,
                configuration: bench.configuration
            )
            #expect(release.recordError == nil)
            // The first start has the other process look, if its store has not told it.
            _ = try? Child(bench.chess, ["0"])
            var status: Int32?
            for _ in 0..<5_000 where status == nil {
                guard let later = try? Child("/bin/sh", ["-c", "exec \(bench.chess) 0"]) else { continue }
                await later.wait { $0.state == "Z" }
                if later.state == "Z", later.collect() == 0 { status = 0 }
            }
            #expect(status == 0)
            await store.close()
        }

        @Test(
            "X-1: an app's own control group is really frozen and thawed",
            .enabled("this process may make no control groups") {
                FollowingTests.hierarchy != nil
            }
        )
        func freezer() async throws {
            let root = try #require(Self.hierarchy)
            let group = "/app-chess-\(getpid()).scope"
            try #require(unsafe mkdir("\(root)\(group)", 0o755) == 0)
            defer { unsafe rmdir("\(root)\(group)") }
            let bench = try ShieldBench()
            let chess = try Child(bench.chess, ["600"])
            let helper = try Child(bench.chess, ["600"])
            for child in [chess, helper] {
                try #require(Self.write("\(child.pid)", to: "\(root)\(group)/cgroup.procs"))
            }
            try await bench.apply("chess.desktop")
            let groups = ControlGroups(folder: "/sys/fs/cgroup")
            #expect(groups.isFrozen(group))
            let report = try await bench.next().report()
            #expect(report.frozen == 2 && report.signalled == 0)
            // The next controller adopts what is frozen, and thaws it.
            try await bench.next().clear(bench.daily)
            #expect(!groups.isFrozen(group))
            try await bench.apply("chess.desktop")
            let release = await ProcessShield.releaseByForce(
                store: bench.store,
                configuration: bench.configuration
            )
            #expect(release.thawed == [group] && !groups.isFrozen(group))
            chess.end()
            helper.end()
        }

        private static let hierarchy: String? = {
            let folder = ControlGroups(folder: "/sys/fs/cgroup").folder
            let probe = "\(folder)/portcullis-\(getpid())"
            guard unsafe mkdir(probe, 0o755) == 0 else { return nil }
            defer { unsafe rmdir(probe) }
            return FileStatus(path: "\(probe)/cgroup.freeze") == nil ? nil : folder
        }()

        private static func write(_ text: String, to path: String) -> Bool {
            let file = unsafe open(path, O_WRONLY | O_CLOEXEC)
            guard file >= 0 else { return false }
            defer { close(file) }
            let bytes = Array(text.utf8)
            return unsafe Glibc.write(file, bytes, bytes.count) == bytes.count
        }
    }
}
#endif
