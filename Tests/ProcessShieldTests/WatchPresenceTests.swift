#if os(Linux)
import Glibc
import LinuxSystem
import Testing

@testable import ProcessShield

@Suite("The sign of a process that watches (A-10)", .timeLimit(.minutes(5)))
struct WatchPresenceTests {
    /// Whether the kernel lists a lock of this process on a file.
    private func isLocked(_ path: String) throws -> Bool {
        var status = stat()
        try #require(unsafe stat(path, &status) == 0)
        let locks = String(decoding: SmallFiles.read("/proc/locks", limit: 1 << 20) ?? [], as: UTF8.self)
        return locks.split(separator: "\n").contains { line in
            let words = line.split(separator: " ")
            return words.contains("\(getpid())") && words.contains { $0.hasSuffix(":\(status.st_ino)") }
        }
    }

    @Test("A-10: a process that asks whether one watches keeps its own sign, and has it once")
    func own() throws {
        let scratch = try Scratch()
        let store = "\(scratch.path)/store"
        #expect(!WatchPresence.isThere(store: store))
        try hold(store)
        #expect(!WatchPresence.isThere(store: store))
    }

    private func hold(_ store: String) throws {
        let presence = WatchPresence(store: store)
        let isHeld = presence != nil
        #expect(isHeld)
        #expect(WatchPresence.isThere(store: store))
        let isHeldTwice = WatchPresence(store: store) != nil
        #expect(!isHeldTwice)
        #expect(WatchPresence.endAll(store: store, within: .zero).isEmpty)
        #expect(try isLocked(WatchPresence.path(of: store)))
        _ = consume presence
    }
}
#endif
