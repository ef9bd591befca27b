#if os(Linux)
import Glibc
import PortcullisCore
import PortcullisTesting
import Testing

@testable import ProcessShield

extension RealProcesses {
    @Suite(
        "Processes that cannot be stopped, and launchers that run a part of an app",
        .timeLimit(.minutes(5))
    )
    struct StuckProcessTests {
        private func write(_ name: String, _ command: String, on bench: ShieldBench) throws {
            try bench.scratch.write(
                "[Desktop Entry]\nType=Application\nName=\(name)\nExec=\(command)\n",
                to: "applications/\(name).desktop"
            )
        }

        @Test(
            "X-1: an app that is no longer shut goes on, though another one cannot be stopped"
        )
        func unstoppable() async throws {
            let bench = try ShieldBench()
            let program = try #require(Shielding.executable)
            try write("stuck", program, on: bench)
            #expect(unsafe mkfifo("\(bench.scratch.path)/pipe", 0o600) == 0)
            let mail = try Child(bench.mail, ["60"])
            try await bench.apply("mail.desktop")
            #expect(mail.isStopped)
            let stuck = try Child(program, ["stuck", bench.scratch.path])
            func child() -> RunningProcess? {
                ProcessTable().all().values.first { $0.parent == stuck.pid && !$0.hasEnded }
            }
            await stuck.wait { $0.state == "D" && child() != nil }
            let held = try #require(child())
            defer { kill(held.pid, SIGKILL) }
            let events = await bench.shield.events()
            try await bench.apply("stuck.desktop")
            #expect(stuck.state == "D" && !mail.isStopped)
            var iterator = events.makeAsyncIterator()
            var problem: ShieldError?
            while problem == nil, let event = await iterator.next() {
                if case .problem(let error) = event { problem = error }
            }
            #expect(problem?.code == .systemFailure)
            try await bench.shield.clear(bench.daily)
        }

        @Test(
            "X-1: a launcher in an app's process group is stopped with the app; a shell is not"
        )
        func launcher() async throws {
            for (name, isPart) in [("java", true), ("bash", false)] {
                let bench = try ShieldBench()
                let game = try bench.scratch.copy("/bin/sh", to: "bin/adventure")
                let helper = try bench.scratch.copy("/bin/sleep", to: "opt/\(name)")
                try write("adventure", "adventure", on: bench)
                let app = try Child(game, ["-c", "\(helper) 60 & wait"])
                func part() -> RunningProcess? {
                    ProcessTable().all().values.first { $0.parent == app.pid && $0.executablePath == helper }
                }
                await app.wait { _ in part() != nil }
                let started = try #require(part())
                defer { kill(started.pid, SIGKILL) }
                try await bench.apply("adventure.desktop")
                #expect(app.isStopped)
                #expect((part()?.state == "T") == isPart, "\(name)")
                try await bench.shield.clear(bench.daily)
                #expect(!app.isStopped && part()?.state != "T")
            }
        }
    }
}
#endif
