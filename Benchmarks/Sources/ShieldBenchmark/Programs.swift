import Foundation

/// The programs of a run.
struct Programs {
    let shielded: String
    let toucher: String
    let other: String
    /// Where ``toucher`` leaves a file for each run.
    let marks: String

    /// Starts a program in a process group of its own.
    ///
    /// - Returns: its process, or the system's error.
    static func start(_ program: String, _ arguments: [String] = []) -> Result<pid_t, POSIXError> {
        var attributes = posix_spawnattr_t()
        unsafe posix_spawnattr_init(&attributes)
        defer { unsafe posix_spawnattr_destroy(&attributes) }
        unsafe posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETPGROUP))
        unsafe posix_spawnattr_setpgroup(&attributes, 0)
        var texts = unsafe ([program] + arguments).map { unsafe strdup($0) } + [nil]
        defer { unsafe texts.forEach { unsafe free($0) } }
        var pid: pid_t = 0
        let result = unsafe posix_spawn(&pid, program, nil, &attributes, &texts, nil)
        return result == 0
            ? .success(pid) : .failure(POSIXError(POSIXErrorCode(rawValue: result) ?? .EINVAL))
    }

    /// Waits until a child is stopped; whether it was before the limit.
    static func waitForStop(_ pid: pid_t, limit: Duration = .seconds(5)) -> Bool {
        let start = ContinuousClock.now
        var status: Int32 = 0
        while ContinuousClock.now - start < limit {
            // Stopped is told by 0x7F in the lowest byte.
            if unsafe waitpid(pid, &status, WUNTRACED | WNOHANG) == pid { return status & 0xFF == 0x7F }
            usleep(20)
        }
        return false
    }

    static func end(_ pid: pid_t) {
        kill(pid, SIGKILL)
        wait(pid)
    }

    static func wait(_ pid: pid_t) {
        var status: Int32 = 0
        _ = unsafe waitpid(pid, &status, 0)
    }
}
