#if os(Linux)
import GcryptKeystore
import Glibc
import PortcullisCore
import Synchronization
import Testing

@testable import ProcessShield

extension RealProcesses {
    @Suite(
        "When the process that shields is killed or hangs",
        .timeLimit(.minutes(5)),
        .enabled(if: Shielding.executable != nil, "the process that is to be killed was not built")
    )
    struct CrashTests {
        @Test(
            "X-1: killed at any moment, the next one lets go on and stops what it should; nothing recorded is lost"
        )
        func killed() async throws {
            let bench = try ShieldBench()
            let store = try await Shielding.store(of: bench)
            let chess = try (0..<3).map { _ in try Child(bench.chess, ["600"]) }
            let mail = try Child(bench.mail, ["600"])
            let stranger = try Child("/bin/sleep", ["600"])
            let byHand = try Child(bench.chess, ["600"])
            kill(byHand.pid, SIGSTOP)
            await byHand.wait { $0.isStopped }
            let records = ShieldRecordStore(store: store, configuration: bench.configuration)
            var generator = SystemRandomNumberGenerator()
            var seen: Set<Bool> = []
            for round in 0..<25 {
                let shielding = try Shielding("churn", on: bench, store)
                #expect(await shielding.waits(for: "always"))
                // Real time: any moment of it is as good as any other.
                try await Task.sleep(for: .microseconds(Int.random(in: 0...60_000, using: &generator)))
                shielding.process.end()
                let record = try await records.read()
                #expect(
                    record.shields[ShieldName("always")] != nil,
                    "round \(round): what was said to be up is up"
                )
                let isUp = record.shields[ShieldName("daily")] != nil
                seen.insert(isUp)
                // What stands still was written down, each process by itself or with its group.
                for process in [mail] + chess where process.isStopped {
                    #expect(
                        record.stopped.contains {
                            $0.identity.pid == process.pid || $0.group?.number == process.pid
                        },
                        "round \(round)"
                    )
                }
                let next = ProcessShield(store: store, configuration: bench.configuration)
                try await next.reconcile()
                #expect(mail.isStopped, "round \(round)")
                #expect(chess.allSatisfy { $0.isStopped == isUp }, "round \(round), up: \(isUp)")
                #expect(!stranger.isStopped && byHand.isStopped)
                // Every other time the next one starts with a shield that is up.
                if round % 2 == 0 {
                    try await next.clear(ShieldName("daily"))
                    #expect(chess.allSatisfy { !$0.isStopped })
                }
            }
            #expect(seen.count == 2, "it was killed with the shield up and with the shield down")
            let last = ProcessShield(store: store, configuration: bench.configuration)
            for name in ["daily", "always"] { try await last.clear(ShieldName(name)) }
            #expect(([mail] + chess).allSatisfy { !$0.isStopped } && byHand.isStopped)
            #expect(try await records.read().stopped.isEmpty)
            await store.close()
        }

        @Test(
            "X-1: killed, a process that shields opens its gate, though it has a child with its descriptors"
        )
        func killedWithChild() async throws {
            guard StartGate.isAllowed else {
                print("skipped: the kernel gives this process no permission events")
                return
            }
            let bench = try ShieldBench()
            let store = try await Shielding.store(of: bench)
            #expect(unsafe mkfifo("\(bench.scratch.path)/pipe", 0o600) == 0)
            let shielding = try Shielding("child", on: bench, store)
            #expect(await shielding.waits(for: "up"))
            func child() -> RunningProcess? {
                ProcessTable().all().values.first { $0.parent == shielding.process.pid && !$0.hasEnded }
            }
            await shielding.process.wait { _ in child() != nil }
            let held = try #require(child())
            defer { kill(held.pid, SIGKILL) }
            #expect(throws: Child.Refused.self) { try Child(bench.chess, ["0"]) }
            shielding.process.end()
            #expect(ProcessTable().isAlive(held.identity), "the child is still there")
            // Not started here: a start that hangs would hang this process.
            let start = try Child("/bin/sh", ["-c", "exec \(bench.chess) 0"])
            #expect(await start.wait { $0.state == "Z" } != nil, "nobody is left waiting")
            #expect(start.collect() == 0)
            await store.close()
        }

        @Test(
            "X-1: a process that hangs holds back the shielded program and no other; killed, it lets it start"
        )
        func hung() async throws {
            guard StartGate.isAllowed else {
                print("skipped: the kernel gives this process no permission events")
                return
            }
            let bench = try ShieldBench()
            let store = try await Shielding.store(of: bench)
            let shielding = try Shielding("gate", on: bench, store)
            #expect(await shielding.waits(for: "up"))
            kill(shielding.process.pid, SIGSTOP)
            await shielding.process.wait { $0.isStopped }
            let start = try Child("/bin/sh", ["-c", "exec \(bench.chess) 0"])
            for _ in 0..<20 {
                let other = try Child(bench.mail, ["0"])
                #expect(await other.wait { $0.state == "Z" } != nil)
            }
            #expect(start.state != "Z", "it waits for an answer")
            shielding.process.end()
            #expect(await start.wait { $0.state == "Z" } != nil)
            await store.close()
        }

        @Test("X-1: a process that hangs with its gate up holds back no other that shields, and no way out")
        func hungBesideOthers() async throws {
            guard StartGate.isAllowed else {
                print("skipped: the kernel gives this process no permission events")
                return
            }
            let bench = try ShieldBench()
            let store = try await Shielding.store(of: bench)
            let hung = try Shielding("gate", on: bench, store)
            #expect(await hung.waits(for: "up"))
            kill(hung.process.pid, SIGSTOP)
            await hung.process.wait { $0.isStopped }
            // Each of these has to find out what the files are, and asks the one that hangs.
            let isDone = Mutex(false)
            let calls = Task {
                let shield = ProcessShield(store: store, configuration: bench.configuration)
                _ = await shield.catalogue()
                try await shield.apply(
                    ShieldSelection(apps: [AppToken("mail.desktop")]),
                    as: ShieldName("mail")
                )
                try await shield.clear(ShieldName("mail"))
                try await shield.clear(ShieldName("daily"))
                isDone.withLock { $0 = true }
            }
            let waited = await hung.process.wait(limit: .seconds(60)) { _ in isDone.withLock { $0 } }
            #expect(waited != nil)
            // What hangs would have this test hang with it.
            hung.process.end()
            try await calls.value
            await store.close()
        }
    }
}
#endif
