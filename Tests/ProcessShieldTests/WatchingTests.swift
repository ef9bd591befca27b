#if os(Linux)
import Glibc
import PortcullisCore
import PortcullisTesting
import Synchronization
import Testing

@testable import ProcessShield

extension RealProcesses {
    @Suite("Seeing what starts", .timeLimit(.minutes(5)))
    struct WatchingTests {
        @Test("X-1: a program that starts later is stopped", arguments: [true, false])
        func starts(usesConnector: Bool) async throws {
            let bench = try ShieldBench(usesConnector: usesConnector)
            try await bench.apply("chess.desktop")
            for _ in 0..<20 {
                let chess = try Child(bench.chess, ["60"])
                #expect(await chess.wait { $0.isStopped } != nil)
            }
            try await bench.shield.clear(bench.daily)
            let chess = try Child(bench.chess, ["0.1"])
            #expect(await chess.wait { $0.state == "Z" } != nil, "after the shield it runs to its end")
        }

        @Test("X-1: programs that start while the shield goes up are all stopped")
        func race() async throws {
            let bench = try ShieldBench()
            let children = Task.detached { try (0..<30).map { _ in try Child(bench.chess, ["60"]) } }
            try await bench.apply("chess.desktop")
            for child in try await children.value { #expect(await child.wait { $0.isStopped } != nil) }
        }

        @Test(
            "X-1: what starts while a change waits for the store is stopped if the change fails",
            arguments: [[], ["mail.desktop"]] as [[String]]
        )
        func failedChange(_ apps: [String]) async throws {
            let bench = try ShieldBench()
            let started = Mutex<Child?>(nil)
            let store = InterruptedSecretStore(bench.store, before: .write, number: 1) {
                started.withLock { $0 = try? Child(bench.chess, ["600"]) }
                // Real time: the start is reported meanwhile.
                try? await Task.sleep(for: .milliseconds(100))
                bench.store.failNext(.write, with: SecretStoreError(code: .diskFull, message: "full"))
            }
            let shield = ProcessShield(store: store, configuration: bench.configuration)
            try await shield.apply(ShieldSelection(apps: [AppToken("chess.desktop")]), as: bench.daily)
            let next = ShieldSelection(apps: Set(apps.map(AppToken.init)))
            await #expect(throws: ShieldError.self) { try await shield.apply(next, as: bench.daily) }
            let found = started.withLock { $0 }
            let chess = try #require(found)
            #expect(await chess.wait(limit: .seconds(30)) { $0.isStopped } != nil)
        }

        @Test("X-1: a program that is replaced stays shut", arguments: [true, false])
        func replaced(usesConnector: Bool) async throws {
            let bench = try ShieldBench(usesConnector: usesConnector)
            try await bench.apply("chess.desktop")
            for _ in 0..<2 {
                try bench.scratch.copy("/bin/sleep", to: "bin/new")
                #expect(unsafe rename("\(bench.scratch.path)/bin/new", bench.chess) == 0)
                // Real time: the kernel's word that the old file is gone has to come first.
                try await Task.sleep(for: .milliseconds(100))
                let chess = try Child(bench.chess, ["60"])
                #expect(await chess.wait { $0.isStopped } != nil)
            }
        }

        @Test("X-1: a reported start has the chosen files compared, and the look of each second does not")
        func unreported() async throws {
            let bench = try ShieldBench()
            try await bench.apply("chess.desktop")
            // From here on no guard reports the change.
            await bench.shield.guards?.end()
            let before = await bench.shield.resolved
            try bench.scratch.copy("/bin/sleep", to: "bin/new")
            try #require(unsafe rename("\(bench.scratch.path)/bin/new", bench.chess) == 0)
            await bench.shield.started(nil, isReported: false)
            #expect(await bench.shield.resolved == before)
            await bench.shield.started(nil)
            #expect(await bench.shield.resolved != before)
        }

        @Test("X-1: nothing runs while nothing starts", arguments: [true, false])
        func idle(usesConnector: Bool) async {
            // In a process of its own, which runs no other test.
            await #expect(processExitsWith: .success) { [usesConnector = usesConnector as Bool] in
                let bench = try ShieldBench(usesConnector: usesConnector)
                try await bench.apply("chess.desktop")
                let before = try WatchingTests.usage()
                // Real time: that nothing happens in it is the point.
                try await Task.sleep(for: .milliseconds(500))
                let after = try WatchingTests.usage()
                // Other programs of the machine may start meanwhile, of which the connector tells.
                let started = after.started - before.started
                #expect(after.switches - before.switches < 100 + 10 * started)
            }
        }

        /// How often this process has slept, and how many processes and threads the machine has started.
        static func usage() throws -> (switches: Int, started: Int) {
            var usage = rusage()
            unsafe getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
            let bytes = try #require(SmallFiles.read("/proc/stat", limit: 1 << 20))
            let statistics = String(decoding: bytes, as: UTF8.self)
            let line = try #require(statistics.split(separator: "\n").first { $0.hasPrefix("processes ") })
            return (usage.ru_nvcsw, try #require(Int(line.dropFirst("processes ".count))))
        }
    }
}
#endif
