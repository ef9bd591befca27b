#if os(Linux)
import Foundation
import Glibc
import ProcessShield
import Testing

@testable import portcullis

@Suite("Who watches over a store")
struct FocusPresenceTests {
    @Test("A-11: a lock on a file that has another name as well says nothing of a run")
    func links() async throws {
        let home = try FocusHome()
        // A process is told nothing of its own locks, so another one runs.
        let run = try FocusChild(
            home,
            ["focus", "run", "--goal", "100", "--progress-stdin", "--app", FocusHome.token]
        )
        try await run.waitForProgress(0)
        let store = home.store.path
        #expect(WatchPresence.isThere(store: store))
        let other = "\(WatchPresence.path(of: store)).other"
        try FileManager.default.linkItem(atPath: WatchPresence.path(of: store), toPath: other)
        #expect(!WatchPresence.isThere(store: store))
        run.closeInput()
        #expect(try await run.end() == 0)
    }

    @Test("A-11: only processes of this program are asked to end")
    func programs() throws {
        #expect(WatchPresence.runsThisProgram(getpid()))
        let other = Process()
        other.executableURL = URL(fileURLWithPath: "/bin/sleep")
        other.arguments = ["1000"]
        try other.run()
        // Threads of the tests block most signals, and the program starts with that.
        defer { kill(other.processIdentifier, SIGKILL) }
        #expect(!WatchPresence.runsThisProgram(other.processIdentifier))
        #expect(!WatchPresence.runsThisProgram(0))
    }
}
#endif
