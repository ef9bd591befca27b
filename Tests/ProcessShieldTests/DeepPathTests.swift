#if os(Linux)
import Glibc
import PortcullisCore
import Testing

@testable import ProcessShield

extension RealProcesses {
    @Suite("Programs whose path is too long for the kernel", .timeLimit(.minutes(5)))
    struct DeepPathTests {
        @Test("X-1: a program that is moved to where its path is too long stays shut, and is stopped again")
        func moved() async throws {
            let bench = try ShieldBench()
            let chess = try Child(bench.chess, ["600"])
            try await bench.apply("chess.desktop")
            #expect(chess.isStopped)
            let name = String(repeating: "d", count: 250)
            let flags = O_RDONLY | O_DIRECTORY | O_CLOEXEC
            var folders = [unsafe open(bench.scratch.path, flags)]
            defer {
                for folder in folders.reversed() {
                    _ = unsafe unlinkat(folder, "chess", 0)
                    _ = unsafe unlinkat(folder, name, AT_REMOVEDIR)
                    close(folder)
                }
            }
            for _ in 0..<20 {
                try #require(unsafe mkdirat(folders[folders.count - 1], name, 0o700) == 0)
                folders.append(unsafe openat(folders[folders.count - 1], name, flags))
            }
            try #require(unsafe renameat(AT_FDCWD, bench.chess, folders[20], "chess") == 0)
            #expect(ProcessTable().program(of: chess.pid) == nil)
            try await bench.shield.reconcile()
            #expect(chess.isStopped)
            kill(chess.pid, SIGCONT)
            await chess.wait { !$0.isStopped }
            try await bench.shield.reconcile()
            #expect(chess.isStopped)
            try await bench.shield.clear(bench.daily)
            #expect(!chess.isStopped)
        }
    }
}
#endif
