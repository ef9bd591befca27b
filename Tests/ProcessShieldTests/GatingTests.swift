#if os(Linux)
import Glibc
import PortcullisCore
import Testing

@testable import ProcessShield

extension RealProcesses {
    /// The files are copies that only the test opens: a gate that hangs hangs nobody else.
    @Suite(
        "Denying starts",
        .timeLimit(.minutes(1)),
        .enabled("the kernel gives this process no permission events") { await StartGate(users: []) != nil }
    )
    struct GatingTests {
        /// What a program came to: its exit status, or that it could not be started.
        private func outcome(_ program: String, _ arguments: [String]) async throws -> Int32 {
            let child = try Child(program, arguments)
            _ = await child.wait { $0.state == "Z" }
            return child.collect()
        }

        @Test("X-1: a shielded program cannot be started, and others can; afterwards it can again")
        func starts() async throws {
            let bench = try ShieldBench(usesGate: true)
            try await bench.apply("chess.desktop", categories: ["Game"])
            let coverage = await bench.shield.coverage()
            #expect(coverage.apps == [AppToken("chess.desktop"): .gated])
            #expect(coverage.categories == [CategoryToken("Game"): .gated])
            let refused = #expect(throws: Child.Refused.self) { try Child(bench.chess, ["60"]) }
            #expect(refused?.error == EPERM)
            #expect(try await outcome(bench.mail, ["0"]) == 0)
            try await bench.shield.clear(bench.daily)
            #expect(try await outcome(bench.chess, ["0"]) == 0)
        }

        @Test("X-1: not by the loader, not as a copy, not by its interpreter, not by another name")
        func detours() async throws {
            let bench = try ShieldBench(usesGate: true)
            let script = try bench.scratch.write("exit 0\n", to: "bin/play", mode: 0o755)
            #expect(try await outcome("/bin/sh", [script]) == 0)
            try bench.scratch.link("bin/patience", to: bench.chess)
            try await bench.apply("chess.desktop", script)
            #expect(try await outcome("/bin/sh", [script]) != 0)
            #expect(try await outcome("/bin/cp", [bench.chess, "\(bench.scratch.path)/copy"]) != 0)
            #expect(throws: Child.Refused.self) { try Child("\(bench.scratch.path)/bin/patience", ["0"]) }
            if let loader = SmallFiles.realPath("/lib64/ld-linux-x86-64.so.2") {
                #expect(try await outcome(loader, [bench.mail, "0"]) == 0)
                #expect(try await outcome(loader, [bench.chess, "0"]) != 0)
            }
        }

        @Test("X-1: a program that is replaced is behind the gate again once it was seen")
        func replaced() async throws {
            let bench = try ShieldBench(usesGate: true)
            try await bench.apply("chess.desktop")
            try bench.scratch.copy("/bin/sleep", to: "bin/new")
            #expect(unsafe rename("\(bench.scratch.path)/bin/new", bench.chess) == 0)
            let chess = try Child(bench.chess, ["60"])
            #expect(await chess.wait { $0.isStopped } != nil)
            #expect(await bench.shield.coverage().apps[AppToken("chess.desktop")] == .gated)
            #expect(throws: Child.Refused.self) { try Child(bench.chess, ["0"]) }
        }

        @Test("X-1: other users and the shield itself may open the file")
        func others() async throws {
            let bench = try ShieldBench(usesGate: true, users: [getuid() + 1])
            try await bench.apply("chess.desktop")
            #expect(try await outcome(bench.chess, ["0"]) == 0)
            let own = try ShieldBench(usesGate: true)
            try await own.apply("chess.desktop")
            #expect(SmallFiles.read(own.chess) != nil)
        }

        @Test(
            "X-1: what ran before is stopped behind the gate, and the gate opens when the shield's process goes"
        )
        func lifetime() async throws {
            let bench = try ShieldBench()
            let id = try #require(FileID(path: bench.chess))
            do {
                let gate = try #require(await StartGate(users: [getuid()]))
                await gate.keep([id: bench.chess])
                #expect(gate.kept == [id])
                #expect(throws: Child.Refused.self) { try Child(bench.chess, ["0"]) }
                await gate.keep([:])
                #expect(try await outcome(bench.chess, ["0"]) == 0)
                await gate.keep([id: bench.chess])
            }
            // The thread that answers ends a moment after the gate was let go.
            var status: Int32?
            for _ in 0..<500 where status == nil {
                status = try? await outcome(bench.chess, ["0"])
                if status == nil { try await Task.sleep(for: .milliseconds(2)) }
            }
            #expect(status == 0)
        }
    }
}
#endif
