#if os(Linux)
import Glibc
import PortcullisCore
import Testing

@testable import ProcessShield

extension RealProcesses {
    @Suite("Stopping process groups", .timeLimit(.minutes(5)))
    struct GroupTests {
        private func members(_ group: Int32) -> [RunningProcess] {
            ProcessTable().all().values.filter { $0.group == group && !$0.hasEnded }
        }

        @Test(
            "X-1: a program that goes from process to process is stopped with its group, and goes on with it"
        )
        func hops() async throws {
            let bench = try ShieldBench()
            let hopper = try bench.scratch.copy(try #require(Shielding.hopper), to: "bin/hopper")
            for round in 0..<15 {
                let first = try Child(hopper)
                defer { kill(-first.pid, SIGKILL) }
                #expect(await first.wait { $0.state == "Z" } != nil, "it has gone on to another process")
                try await bench.apply(hopper)
                // When the call returns there is somebody, and nobody who runs.
                let stopped = Set(members(first.pid).filter(\.isStopped).map(\.identity))
                #expect(!stopped.isEmpty, "round \(round)")
                // Real time: what has escaped hops many times meanwhile. A process that had forked just before the signal
                // came may have been reaped since, but nobody has come.
                try await Task.sleep(for: .milliseconds(20))
                let later = members(first.pid)
                #expect(!later.isEmpty && later.allSatisfy(\.isStopped), "round \(round)")
                #expect(Set(later.map(\.identity)).isSubset(of: stopped), "round \(round)")
                try await bench.shield.clear(bench.daily)
                let ran = await first.wait { _ in
                    stopped.allSatisfy { !ProcessTable().isAlive($0) }
                }
                #expect(ran != nil, "it hops on")
                kill(-first.pid, SIGKILL)
            }
        }

        @Test("X-1: thousands that have ended and were not collected do not hide one that hops")
        func hopsAmongEnded() async throws {
            let bench = try ShieldBench()
            let hopper = try bench.scratch.copy(try #require(Shielding.hopper), to: "bin/hopper")
            // A look at so many takes longer than the search for one that hops.
            let ended = try (0..<3_000).map { _ in try Child(bench.chess, ["0"]) }
            for child in ended { #expect(await child.wait { $0.state == "Z" } != nil) }
            let first = try Child(hopper)
            defer { kill(-first.pid, SIGKILL) }
            await first.wait { $0.state == "Z" }
            try await bench.apply(hopper)
            let members = members(first.pid)
            #expect(!members.isEmpty && members.allSatisfy(\.isStopped))
        }

        @Test(
            "X-1: one that is started while its shield is up is stopped where the watch is given time, whatever sees it",
            arguments: [true, false]
        )
        func startsHopping(usesConnector: Bool) async throws {
            let bench = try ShieldBench(usesConnector: usesConnector)
            let hopper = try bench.scratch.copy(try #require(Shielding.hopper), to: "bin/hopper")
            try await bench.apply(hopper)
            var caught = 0
            for _ in 0..<5 {
                let first = try Child(hopper)
                defer { kill(-first.pid, SIGKILL) }
                let stopped = await first.wait { _ in
                    let members = members(first.pid)
                    return !members.isEmpty && members.allSatisfy(\.isStopped)
                }
                if stopped != nil { caught += 1 }
            }
            // It is there for a moment only, in which a busy machine may give the watch no time.
            #expect(caught >= 3)
        }

        @Test("X-1: the next controller knows a group by more than the process that was seen in it")
        func knowsGroup() async throws {
            let bench = try ShieldBench()
            let hopper = try bench.scratch.copy(try #require(Shielding.hopper), to: "bin/hopper")
            let first = try Child(hopper)
            defer { kill(-first.pid, SIGKILL) }
            await first.wait { $0.state == "Z" }
            try await bench.apply(hopper)
            // As if the one that was seen had ended before the signal came.
            let records = ShieldRecordStore(store: bench.store, configuration: bench.configuration)
            _ = try await records.change { record in
                record.stopped = Set(
                    record.stopped.map { stopped in
                        var stopped = stopped
                        stopped.identity.start += 1
                        return stopped
                    }
                )
            }
            let next = bench.next()
            try await next.reconcile()
            let stopped = members(first.pid)
            #expect(!stopped.isEmpty && stopped.allSatisfy { $0.isStopped })
            try await next.clear(bench.daily)
            let ran = await first.wait { _ in stopped.allSatisfy { !ProcessTable().isAlive($0.identity) } }
            #expect(ran != nil)
            kill(-first.pid, SIGKILL)
        }

        @Test("X-1: a group in which somebody was stopped by hand gets no signal for all of it")
        func byHand() async throws {
            let bench = try ShieldBench()
            let chess = try Child(bench.chess, ["60"])
            let other = try Child(bench.chess, ["60"], group: chess.pid)
            kill(other.pid, SIGSTOP)
            await other.wait { $0.isStopped }
            try await bench.apply("chess.desktop")
            #expect(chess.isStopped)
            try await bench.shield.clear(bench.daily)
            #expect(!chess.isStopped && other.isStopped)
        }
    }
}
#endif
