#if os(Linux)
import Dispatch
import Foundation
import Glibc
import PortcullisCore
import SilentMount
import Synchronization
import Testing

@testable import ProcessShield

@Suite(
    "Programs on a file system that does not answer",
    .timeLimit(.minutes(5)),
    .enabled("this process may not mount one") { SilentMount.isAllowed }
)
struct SilentFileSystemTests {
    /// What something comes to; `nil` when it does not return.
    private func answer<Answer: Sendable>(_ body: @escaping @Sendable () -> Answer) -> Answer? {
        let found = Found<Answer>()
        let done = DispatchSemaphore(value: 0)
        Thread.detachNewThread {
            let answer = body()
            found.answer.withLock { $0 = answer }
            done.signal()
        }
        guard done.wait(timeout: .now() + .seconds(30)) == .success else { return nil }
        return found.answer.withLock(\.self)
    }

    private final class Found<Answer: Sendable>: Sendable {
        let answer = Mutex<Answer?>(nil)
    }

    @Test(
        "X-1: a process whose program is on one is told from an app, and keeps no look waiting",
        arguments: ["share", "share (deleted)"]
    )
    func looks(_ name: String) throws {
        let processes = try ProcessFolder()
        let chess = try processes.scratch.write("chess", to: "bin/chess", mode: 0o755)
        try processes.scratch.write("", to: "\(name)/file")
        let mount = try #require(SilentMount(on: "\(processes.scratch.path)/\(name)"))
        try processes.write(500, mount.path)
        try processes.write(501, chess)
        let app = Program(files: [try #require(FileID(path: chess)): chess])
        let (table, path) = (processes.table, mount.path)
        #expect(answer { ProcessGlance(for: [app], in: table).verdict(on: 500) } == .other)
        #expect(answer { table.process(500)?.executablePath } == path)
        #expect(answer { table.process(500)?.executable != nil } == true)
        #expect(answer { Set(table.look(for: [app]).processes.keys) } == [501])
    }
}

extension RealProcesses {
    @Suite(
        "Shields while a folder of desktop entries does not answer",
        .timeLimit(.minutes(5)),
        .enabled("this process may not mount one") { SilentMount.isAllowed }
    )
    struct SilentCatalogueTests {
        @Test("A-9: the last shield comes down, and what it stopped goes on")
        func clear() async throws {
            let bench = try ShieldBench()
            let chess = try Child(bench.chess, ["60"])
            let mail = try Child(bench.mail, ["60"])
            try await bench.apply("chess.desktop")
            try await bench.shield.apply(
                ShieldSelection(apps: [AppToken("mail.desktop")]),
                as: ShieldName("other")
            )
            try await bench.shield.clear(ShieldName("other"))
            #expect(chess.isStopped && !mail.isStopped)
            try bench.scratch.write("", to: "share/applications/file")
            let mount = try #require(SilentMount(on: "\(bench.scratch.path)/share"))
            var configuration = bench.configuration
            configuration.catalogue = DesktopCatalogue(
                folders: ["\(mount.path)/applications"] + bench.configuration.catalogue.folders,
                searchPath: bench.configuration.catalogue.searchPath
            )
            let isDone = Mutex(false)
            let shield = ProcessShield(store: bench.store, configuration: configuration)
            let clearing = Task {
                try await shield.clear(bench.daily)
                isDone.withLock { $0 = true }
            }
            #expect(await chess.wait(limit: .seconds(30)) { _ in isDone.withLock(\.self) } != nil)
            #expect(!chess.isStopped)
            // From here on the file system answers with errors, so that nothing is left waiting.
            withExtendedLifetime(mount) {}
            clearing.cancel()
        }
    }
}
#endif
