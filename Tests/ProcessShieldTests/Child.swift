#if os(Linux)
import Glibc
import Synchronization

@testable import ProcessShield

/// A process that a test has started, ended with it.
final class Child: Sendable {
    /// `POSIX_SPAWN_SETSID`, which is missing in Swift's module of the C library.
    private static let newSession: Int32 = 0x80

    let pid: Int32
    // Afterwards its number is somebody else's.
    private let isCollected = Mutex(false)

    /// Starts a program in a process group of its own.
    ///
    /// - Parameters:
    ///   - group: the group to join; 0: one of its own.
    ///   - output: what it writes to instead of nowhere.
    ///   - isElsewhere: whether it has a session of its own. SIGCONT needs no right within one session.
    init(
        _ program: String,
        _ arguments: [String] = [],
        group: Int32 = 0,
        output: Int32? = nil,
        isElsewhere: Bool = false
    ) throws {
        var attributes = posix_spawnattr_t()
        unsafe posix_spawnattr_init(&attributes)
        defer { unsafe posix_spawnattr_destroy(&attributes) }
        unsafe posix_spawnattr_setflags(
            &attributes,
            Int16(isElsewhere ? Self.newSession : POSIX_SPAWN_SETPGROUP) | Int16(POSIX_SPAWN_SETSIGMASK)
        )
        // Threads of the tests' runtime block most signals, and a program would start with that.
        var none = sigset_t()
        unsafe sigemptyset(&none)
        unsafe posix_spawnattr_setsigmask(&attributes, &none)
        unsafe posix_spawnattr_setpgroup(&attributes, group)
        var pid: pid_t = 0
        var texts = unsafe ([program] + arguments).map { unsafe strdup($0) } + [nil]
        defer { unsafe texts.forEach { unsafe free($0) } }
        var actions = unsafe posix_spawn_file_actions_t()
        unsafe posix_spawn_file_actions_init(&actions)
        defer { unsafe posix_spawn_file_actions_destroy(&actions) }
        // A child that outlives the tests would hold their output, and a reader of that would wait for its end.
        for descriptor in [STDOUT_FILENO, STDERR_FILENO] {
            unsafe posix_spawn_file_actions_addopen(&actions, descriptor, "/dev/null", O_WRONLY, 0)
        }
        if let output { unsafe posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO) }
        let result = unsafe posix_spawn(&pid, program, &actions, &attributes, &texts, environ)
        guard result == 0 else { throw Refused(error: result) }
        self.pid = pid
    }

    deinit { end() }

    /// The system's answer to an attempt to start a program.
    struct Refused: Error {
        let error: Int32
    }

    var state: Character? { ProcessTable().process(pid)?.state }
    var isStopped: Bool { state == "T" }

    /// Waits until it holds, and says how long that took; `nil`: it never did.
    @discardableResult
    func wait(limit: Duration = .seconds(60), until condition: (Child) -> Bool) async -> Duration? {
        // The kernel's work, which no clock of ours can move.
        let start = ContinuousClock.now
        while ContinuousClock.now - start < limit {
            if condition(self) { return ContinuousClock.now - start }
            try? await Task.sleep(for: .microseconds(200))
        }
        return nil
    }

    /// The exit status of one that has ended; more than 255 where a signal ended it.
    func collect() -> Int32 {
        isCollected.withLock { isCollected in
            var status: Int32 = 0
            unsafe waitpid(pid, &status, 0)
            isCollected = true
            return status & 0x7F == 0 ? status >> 8 : 256 + status & 0x7F
        }
    }

    func end() {
        if isCollected.withLock({ $0 }) { return }
        kill(pid, SIGKILL)
        _ = collect()
    }
}
#endif
