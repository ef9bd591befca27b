#if os(Linux)
import Foundation
import Glibc
import Testing

@testable import portcullis

@Suite("Who watches over a store")
struct FocusPresenceTests {
    @Test("A-11: a lock on a file that has another name as well says nothing of a run")
    func links() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "presence-\(UUID())").path
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let store = "\(folder)/store"
        guard let presence = FocusPresence(store: store) else { throw CocoaError(.fileWriteUnknown) }
        // Of its own locks a process is told nothing.
        await #expect(processExitsWith: .success) { [store = store as String] in
            guard FocusPresence.isThere(store: store) else { exit(3) }
        }
        try FileManager.default.linkItem(atPath: FocusPresence.path(of: store), toPath: "\(folder)/mailbox")
        await #expect(processExitsWith: .success) { [store = store as String] in
            guard !FocusPresence.isThere(store: store) else { exit(3) }
        }
        _ = consume presence
    }

    @Test("A-11: only processes of this program are asked to end")
    func programs() throws {
        #expect(FocusPresence.runsThisProgram(getpid()))
        let other = Process()
        other.executableURL = URL(fileURLWithPath: "/bin/sleep")
        other.arguments = ["1000"]
        try other.run()
        // Threads of the tests block most signals, and the program starts with that.
        defer { kill(other.processIdentifier, SIGKILL) }
        #expect(!FocusPresence.runsThisProgram(other.processIdentifier))
        #expect(!FocusPresence.runsThisProgram(0))
    }
}
#endif
