#if os(Linux)
import Dispatch
import Foundation
import Glibc
import Synchronization
import Testing

@testable import ProcessShield

/// A mounted file system that answers nothing, like a lost network share.
private final class SilentMount: Sendable {
    let path: String
    private let server: Int32

    /// `nil` where this process may not mount one.
    init?(on path: String) {
        self.path = path
        server = unsafe open("/dev/fuse", O_RDWR | O_CLOEXEC)
        guard server >= 0 else { return nil }
        let options = "fd=\(server),rootmode=40000,user_id=\(getuid()),group_id=\(getgid())"
        guard unsafe mount("silent", path, "fuse", 0, options) == 0 else {
            close(server)
            return nil
        }
    }

    /// Ends it: whatever still waits for an answer has an error then.
    deinit {
        close(server)
        unsafe umount2(path, Int32(MNT_DETACH))
    }

    static var isAllowed: Bool {
        guard let scratch = try? Scratch(), (try? scratch.write("", to: "mount/file")) != nil else {
            return false
        }
        return SilentMount(on: "\(scratch.path)/mount") != nil
    }
}

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
#endif
