#if os(Linux)
import GcryptKeystore
import Glibc
import PortcullisCore
import Testing

@testable import ProcessShield

extension RealProcesses {
    @Suite(
        "Several that shield over one store",
        .timeLimit(.minutes(5)),
        .enabled(if: Shielding.executable != nil, "the process that shields was not built")
    )
    struct SeveralTests {
        @Test("X-1: sixteen at once all come up, and follow when one takes their shield down")
        func crowd() async throws {
            let bench = try ShieldBench()
            let store = try await Shielding.store(of: bench)
            let chess = try Child("/bin/sh", ["-c", "exec \(bench.chess) 600"])
            await chess.wait { ProcessTable().process($0.pid)?.executablePath == bench.chess }
            let all = try (0..<16).map { _ in try Shielding("gate", on: bench, store) }
            for shielding in all { #expect(await shielding.waits(for: "up")) }
            #expect(chess.isStopped)
            let records = ShieldRecordStore(store: store, configuration: bench.configuration)
            let keepers = try await records.read().keepers
            #expect(keepers.isSuperset(of: []) && keepers.count == 16)
            let here = ProcessShield(store: store, configuration: bench.configuration)
            try await here.clear(ShieldName("daily"))
            for shielding in all {
                #expect(await opens(shielding), "its gate is open without a start that asks")
            }
            // One that looked just before may stop it once more, sees that the shield is down, and lets it go on.
            #expect(await chess.wait(limit: .seconds(30)) { !$0.isStopped } != nil)
            await store.close()
        }

        @Test(
            "X-1: a clear by one of two is followed by the other's gate and watch, with nobody who starts anything"
        )
        func followed() async throws {
            let bench = try ShieldBench()
            let store = try await Shielding.store(of: bench)
            let other = try Shielding("gate", on: bench, store)
            #expect(await other.waits(for: "up"))
            if StartGate.isAllowed {
                #expect(throws: Child.Refused.self) { try Child(bench.chess, ["0"]) }
            }
            let here = ProcessShield(store: store, configuration: bench.configuration)
            try await here.clear(ShieldName("daily"))
            #expect(await opens(other))
            let chess = try Child(bench.chess, ["0.05"])
            #expect(await chess.wait { $0.state == "Z" } != nil, "neither denied nor stopped")
            // And the other way round: what is put up here the other one holds too.
            try await here.apply(ShieldSelection(apps: [AppToken("mail.desktop")]), as: ShieldName("mail"))
            #expect(
                await other.process.wait(limit: .seconds(20)) { _ in
                    !StartGate.isAllowed || Self.marks(of: other) == 1
                } != nil
            )
            try await here.clear(ShieldName("mail"))
            await store.close()
        }

        private func opens(_ shielding: Shielding) async -> Bool {
            await shielding.process.wait(limit: .seconds(30)) { _ in Self.marks(of: shielding) == 0 } != nil
        }

        /// How many files a process has behind its gate, which is in a table of descriptors that only some of its threads
        /// have.
        private static func marks(of shielding: Shielding) -> Int {
            let tasks = "/proc/\(shielding.process.pid)/task"
            var most = 0
            for task in SmallFiles.names(in: tasks) {
                let folder = "\(tasks)/\(task)/fdinfo"
                for name in SmallFiles.names(in: folder) {
                    let text =
                        SmallFiles.read("\(folder)/\(name)").map { String(decoding: $0, as: UTF8.self) } ?? ""
                    most = max(most, text.split(separator: "\n").count { $0.hasPrefix("fanotify ino:") })
                }
            }
            return most
        }

        @Test(
            "X-1: in a mount namespace of its own, on a file system of its own, the gate holds and opens with its process",
            .enabled(if: getuid() == 0, "only root may mount a file system")
        )
        func secluded() async throws {
            guard StartGate.isAllowed, let program = Shielding.executable else {
                print("skipped: the kernel gives this process no permission events")
                return
            }
            let bench = try ShieldBench()
            let script = try bench.scratch.write(
                """
                set -e
                cd "$1" && mkdir private && mount -t tmpfs none private && cd private
                cp -r ../applications ../bin .
                # Whatever hangs is ended, and with the last of this namespace its file system goes.
                timeout -s KILL 60 "$2" gate "$PWD" >out &
                shield=$!
                until grep -q up out; do kill -0 $shield; sleep 0.02; done
                if bin/chess 0 2>/dev/null; then exit 11; fi
                if cp bin/chess copy 2>/dev/null; then exit 12; fi
                bin/mail 0 || exit 13
                kill -KILL $(cat /proc/$shield/task/*/children)
                for _ in $(seq 500); do bin/chess 0 2>/dev/null && exit 0; sleep 0.02; done
                exit 14

                """,
                to: "secluded.sh"
            )
            let run = try Child(
                "/usr/bin/unshare",
                [
                    "-m", "--propagation", "private", "/usr/bin/timeout", "-s", "KILL", "90", "/bin/bash",
                    script,
                    bench.scratch.path, program,
                ]
            )
            #expect(await run.wait(limit: .seconds(100)) { $0.state == "Z" } != nil)
            let status = run.collect()
            if status == 1 || status == 32 {
                print("skipped: no file system can be mounted here")
                return
            }
            #expect(status == 0)
        }
    }
}
#endif
