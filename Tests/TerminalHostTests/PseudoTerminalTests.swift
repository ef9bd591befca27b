import CLinux
import Dispatch
import Foundation
import Synchronization
import Testing

@Suite("Pseudo-terminals", .timeLimit(.minutes(5)))
struct PseudoTerminalTests {
    @Test("P-24: of pseudo-terminals that many threads open at once, each has a path of its own")
    func paths() {
        let opened = Mutex<[(master: Int32, path: String)]>([])
        DispatchQueue.concurrentPerform(iterations: 8) { _ in
            for _ in 0..<16 {
                var path = [CChar](repeating: 0, count: 128)
                let master = unsafe clinux_open_pseudo_terminal(&path, path.count)
                let text = unsafe path.withUnsafeBufferPointer { unsafe String(cString: $0.baseAddress!) }
                opened.withLock { $0.append((master, text)) }
            }
        }
        let all = opened.withLock { $0 }
        defer { for (master, _) in all { close(master) } }
        #expect(all.allSatisfy { $0.master >= 0 && fcntl($0.master, F_GETFD) & FD_CLOEXEC != 0 })
        #expect(Set(all.map(\.path)).count == all.count)
    }

    @Test("a path that has no room is an error, and leaves nothing open")
    func noRoom() {
        var path = [CChar](repeating: 0, count: 4)
        #expect(unsafe clinux_open_pseudo_terminal(&path, path.count) == -1)
        #expect(errno == ERANGE)
    }
}
