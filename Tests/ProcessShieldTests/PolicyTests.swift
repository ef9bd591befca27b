#if os(Linux)
import Glibc
import PortcullisCore
import Testing

@testable import ProcessShield

extension RealProcesses {
    @Suite("What becomes of what runs", .timeLimit(.minutes(5)))
    struct PolicyTests {
        @Test("X-1: an app that is to be terminated has ended when the shield is up, others are frozen")
        func terminate() async throws {
            let bench = try ShieldBench(
                policies: [AppToken("chess.desktop"): .terminate],
                grace: .seconds(20)
            )
            let chess = try Child(bench.chess, ["60"])
            let mail = try Child(bench.mail, ["60"])
            try await bench.apply("chess.desktop", "mail.desktop")
            #expect(chess.state == "Z" && mail.isStopped)
            #expect(chess.collect() == 256 + SIGTERM)
            let later = try Child(bench.chess, ["60"])
            #expect(await later.wait { $0.state == "Z" } != nil, "what starts later is ended too")
        }

        @Test("X-1: all that run are ended, but for one that a person has stopped")
        func several() async throws {
            let bench = try ShieldBench(defaultPolicy: .terminate, grace: .seconds(20))
            let all = try (0..<7).map { _ in try Child(bench.chess, ["60"]) }
            let byHand = all[3]
            kill(byHand.pid, SIGSTOP)
            await byHand.wait { $0.isStopped }
            try await bench.apply("chess.desktop")
            #expect(byHand.isStopped)
            for child in all where child.pid != byHand.pid { #expect(child.state == "Z") }
            try await bench.shield.clear(bench.daily)
            kill(byHand.pid, SIGCONT)
            // A signal that waits would end it before it runs again.
            #expect(await byHand.wait(limit: .seconds(20)) { $0.state == "S" } != nil)
        }

        @Test("X-1: a shield that another process has put up ends what it should when it is taken over")
        func terminateLater() async throws {
            let bench = try ShieldBench(defaultPolicy: .terminate, grace: .seconds(20))
            let chess = try Child(bench.chess, ["60"])
            let records = ShieldRecordStore(store: bench.store, configuration: bench.configuration)
            _ = try await records.change { record in
                record.shields[ShieldName("daily")] = ShieldSelection(apps: [AppToken("chess.desktop")])
            }
            try await bench.shield.reconcile()
            #expect(chess.state == "Z")
        }

        @Test(
            "X-1: unless told otherwise all that the kernel offers is used, and an app has two seconds to end"
        )
        func preset() {
            let catalogue = DesktopCatalogue(folders: [], searchPath: [])
            let preset = ProcessShieldConfiguration(catalogue: catalogue, users: [7])
            #expect(preset.usesConnector && preset.usesOpenings && preset.usesGate)
            #expect(preset.processFolder == "/proc" && preset.controlGroupFolder == "/sys/fs/cgroup")
            #expect(preset.defaultPolicy == .freeze && preset.policies.isEmpty)
            #expect(preset.grace == .seconds(2) && preset.users == [7])
        }

        @Test("X-1: an app that does not end when it is asked to is frozen, and goes on later")
        func stubborn() async throws {
            let bench = try ShieldBench(defaultPolicy: .terminate, grace: .milliseconds(50))
            let script = try bench.scratch.write(
                "#!/bin/sh\ntrap '' TERM\ntouch \(bench.scratch.path)/ready\nwhile :; do sleep 0.01; done\n",
                to: "bin/stubborn",
                mode: 0o755
            )
            let stubborn = try Child("/bin/sh", [script])
            await stubborn.wait { _ in FileStatus(path: "\(bench.scratch.path)/ready") != nil }
            try await bench.apply(script)
            // A shell that waits for a child which was stopped before its start is not stopped itself, and does nothing.
            #expect(stubborn.isStopped || stubborn.state == "D")
            try await bench.shield.clear(bench.daily)
            #expect(!stubborn.isStopped && stubborn.state != "Z")
        }

        @Test("X-1: an app that is to be left runs on; without a gate it is reported as not held")
        func leave() async throws {
            let bench = try ShieldBench(defaultPolicy: .leave)
            let chess = try Child(bench.chess, ["60"])
            try await bench.apply("chess.desktop")
            #expect(!chess.isStopped)
            let state = await bench.shield.coverage().apps[AppToken("chess.desktop")]
            #expect(state == ResolvedSelection.notHeld)
            #expect(try await bench.shield.report().coverage.apps[AppToken("chess.desktop")] == state)
        }

        @Test(
            "X-1: an app that is to be left runs on, and its next start is denied where there is a gate",
            .enabled("the kernel gives this process no permission events") { StartGate.isAllowed }
        )
        func leaveGated() async throws {
            let bench = try ShieldBench(usesGate: true, defaultPolicy: .leave)
            let chess = try Child(bench.chess, ["60"])
            let events = await bench.shield.events()
            try await bench.apply("chess.desktop")
            #expect(!chess.isStopped)
            #expect(await bench.shield.coverage().apps == [AppToken("chess.desktop"): .gated])
            #expect(throws: Child.Refused.self) { try Child(bench.chess, ["60"]) }
            var listened = events.makeAsyncIterator()
            guard case .denied(let app) = await listened.next() else {
                Issue.record("nobody was told of the denied start")
                return
            }
            #expect(app == AppToken("chess.desktop"))
        }
    }
}
#endif
