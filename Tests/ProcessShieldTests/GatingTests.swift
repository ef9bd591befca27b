#if os(Linux)
import GcryptKeystore
import Glibc
import PortcullisCore
import PortcullisTesting
import Synchronization
import Testing

@testable import ProcessShield

extension RealProcesses {
    /// The files are copies that only the test opens: a gate that hangs hangs nobody else.
    @Suite(
        "Denying starts",
        .timeLimit(.minutes(5)),
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

        @Test(
            "X-1: while the process that looks after the shields may stop, its gate is open, and shut afterwards"
        )
        func openGate() async throws {
            let bench = try ShieldBench(usesGate: true)
            try await bench.apply("chess.desktop")
            let started = Mutex<Child?>(nil)
            await bench.shield.withOpenGate {
                started.withLock { $0 = try? Child(bench.chess, ["60"]) }
            }
            let found = started.withLock { $0 }
            let chess = try #require(found, "the start was denied")
            #expect(chess.state == "T")
            #expect(throws: Child.Refused.self) { try Child(bench.chess, ["60"]) }
        }

        @Test("X-1: a stopped process that looks after the shields goes on when they are taken down")
        func stoppedKeeper() async throws {
            let bench = try ShieldBench()
            let child = try Child(bench.mail, ["60"])
            kill(child.pid, SIGSTOP)
            _ = await child.wait { $0.isStopped }
            let identity = try #require(ProcessTable().process(child.pid)).identity
            let other = ShieldKeeper(identity: .init(pid: child.pid, start: identity.start + 1), denies: true)
            let stopper = ProcessStopper(bench.configuration)
            #expect(stopper.resume([other]).continued.isEmpty && child.state == "T")
            let answer = stopper.resume([ShieldKeeper(identity: identity, denies: true)])
            #expect(answer.continued == [child.pid] && answer.refused.isEmpty)
            #expect(await child.wait { !$0.isStopped } != nil)
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

        @Test("X-1: whoever asks again and again while nobody listens is denied every time")
        func flood() async throws {
            let bench = try ShieldBench()
            let id = try #require(FileID(path: bench.chess))
            let isHeld = Mutex(true)
            // Denials are told one after the other; here the first one takes as long as the test wants.
            let gate = try #require(
                await StartGate(users: [getuid()]) { _, _ in
                    while isHeld.withLock({ $0 }) { Threads.sleep(microseconds: 1_000) }
                }
            )
            await gate.keep([id: bench.chess])
            // Each denial waits with an open file: more of them than a process may have.
            let most = try await outcome(
                "/bin/bash",
                [
                    "-c",
                    "ulimit -n 256; for i in {1..6000}; do exec 5<\(bench.chess) && exit 1; done 2>/dev/null; exit 0",
                ]
            )
            #expect(most == 0, "none was let through")
            let refused = #expect(throws: Child.Refused.self) { try Child(bench.chess, ["0"]) }
            #expect(refused?.error == EPERM)
            isHeld.withLock { $0 = false }
            withExtendedLifetime(gate) {}
        }

        @Test("X-1: however many openings wait for an answer, none is allowed for want of room in the queue")
        func queue() async throws {
            let bench = try ShieldBench()
            let id = try #require(FileID(path: bench.chess))
            let gate = try #require(await StartGate(users: [getuid()]))
            await gate.keep([id: bench.chess])
            // The gate is in a table of descriptors that only some threads have. 0x10 is FAN_UNLIMITED_QUEUE.
            var flags: [UInt32] = []
            for task in SmallFiles.names(in: "/proc/self/task") {
                let folder = "/proc/self/task/\(task)/fdinfo"
                for name in SmallFiles.names(in: folder) {
                    let text = SmallFiles.read("\(folder)/\(name)") ?? []
                    for line in String(decoding: text, as: UTF8.self).split(separator: "\n") {
                        guard line.hasPrefix("fanotify flags:") else { continue }
                        let digits = line.dropFirst("fanotify flags:".count).prefix { $0 != " " }
                        flags.append(try #require(UInt32(digits, radix: 16)))
                    }
                }
            }
            #expect(!flags.isEmpty && flags.allSatisfy { $0 & 0x10 != 0 })
            withExtendedLifetime(gate) {}
        }

        @Test("X-1: files that were to be put behind an open gate stay free until the opening has ended")
        func opening() async throws {
            let bench = try ShieldBench()
            let id = try #require(FileID(path: bench.chess))
            let gate = try #require(await StartGate(users: [getuid()]))
            await gate.keep([id: bench.chess])
            await gate.open()
            #expect(gate.kept.isEmpty)
            // By a look that began before.
            await gate.keep([id: bench.chess])
            #expect(gate.kept.isEmpty)
            #expect(try await outcome(bench.chess, ["0"]) == 0)
            gate.endOpening()
            await gate.keep([id: bench.chess])
            #expect(gate.kept == [id])
            #expect(throws: Child.Refused.self) { try Child(bench.chess, ["0"]) }
        }

        @Test("X-1: another name of a file that was replaced is free when the shield lifts")
        func otherName() async throws {
            let bench = try ShieldBench(usesGate: true)
            let other = "\(bench.scratch.path)/bin/old"
            #expect(unsafe link(bench.chess, other) == 0)
            try await bench.apply("chess.desktop", "mail.desktop")
            #expect(throws: Child.Refused.self) { try Child(other, ["0"]) }
            try bench.scratch.copy("/bin/sleep", to: "bin/new")
            #expect(unsafe rename("\(bench.scratch.path)/bin/new", bench.chess) == 0)
            try await bench.apply("mail.desktop")
            #expect(try await outcome(other, ["0"]) == 0)
            #expect(throws: Child.Refused.self, "the one that stays shut does") {
                try Child(bench.mail, ["0"])
            }
        }

        @Test("X-1: another run of the same program finds out what a script is behind this one's gate")
        func otherRun() async throws {
            guard Shielding.executable != nil else {
                print("skipped: the process that shields was not built")
                return
            }
            let bench = try ShieldBench()
            // The wrapper's own program is known only to those who may read the wrapper.
            let game = try bench.scratch.copy("/bin/sleep", to: "lib/game")
            unsafe unlink(bench.chess)
            try bench.scratch.write("#!/bin/sh\nexec \(game) \"$@\"\n", to: "bin/chess", mode: 0o755)
            let store = try await Shielding.store(of: bench)
            let first = try Shielding("gate", on: bench, store)
            #expect(await first.waits(for: "up"))
            let second = try Shielding("gate", on: bench, store)
            #expect(await second.waits(for: "up"))
            first.process.end()
            let refused = #expect(throws: Child.Refused.self) { try Child(game, ["0"]) }
            #expect(refused?.error == EPERM)
            await store.close()
        }

        @Test("X-1: a file behind the gate of another program is taken for a script as well")
        func unreadable() async throws {
            let bench = try ShieldBench()
            let script = try bench.scratch.write("#!/bin/sh\nexit 0\n", to: "bin/play", mode: 0o755)
            let resolver = ProgramResolver(catalogue: bench.configuration.catalogue)
            let known = resolver.scripts.read(script)
            #expect(known == .script("#!/bin/sh\nexit 0\n") && resolver.scripts.read(bench.chess) == .program)
            try bench.scratch.write("x", to: "bin/play", mode: 0o755)
            #expect(resolver.scripts.read(script) == .data, "a file that was changed is read again")
            #expect(resolver.scripts.read("\(script)-none") == .unreadable)
        }

        @Test(
            "X-1: a shield that could not be written down denies nothing, and one before it goes on denying"
        )
        func failed() async throws {
            let bench = try ShieldBench(usesGate: true)
            try await bench.apply("mail.desktop")
            bench.store.failNext(.write, with: SecretStoreError(code: .diskFull, message: "full"))
            await #expect(throws: ShieldError.self) { try await bench.apply("chess.desktop") }
            #expect(try await outcome(bench.chess, ["0"]) == 0)
            #expect(throws: Child.Refused.self) { try Child(bench.mail, ["0"]) }
        }

        @Test("X-1: what a launcher runs is not behind the gate, and a report says so of each")
        func reports() async throws {
            let bench = try ShieldBench(usesGate: true)
            try bench.scratch.copy("/bin/sleep", to: "bin/perl")
            try bench.scratch.write(
                "[Desktop Entry]\nName=Go\nExec=perl -e go\n",
                to: "applications/go.desktop"
            )
            try await bench.apply("chess.desktop", "go.desktop")
            let states: [AppToken: ShieldCoverage.State] = [
                AppToken("chess.desktop"): .gated, AppToken("go.desktop"): .reactive,
            ]
            #expect(await bench.shield.coverage().apps == states)
            #expect(try await bench.shield.report().coverage.apps == states)
            #expect(
                try await bench.next().report().coverage.apps == states,
                "as the one that has the gate says"
            )
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
                #expect(gate.kept.isEmpty)
                #expect(try await outcome(bench.chess, ["0"]) == 0)
                await gate.keep([id: bench.chess, FileID(device: 1, inode: 1, born: 1): bench.mail])
                #expect(gate.kept == [id])
                #expect(throws: Child.Refused.self) { try Child(bench.chess, ["0"]) }
            }
            // The thread that answers ends a moment after the gate was let go.
            var status: Int32?
            for _ in 0..<10_000 where status == nil {
                status = try? await outcome(bench.chess, ["0"])
                if status == nil { try await Task.sleep(for: .milliseconds(2)) }
            }
            #expect(status == 0)
        }
    }
}
#endif
