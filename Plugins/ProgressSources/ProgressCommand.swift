#if os(Linux)
internal import CLinux
internal import Glibc
internal import LinuxSystem
internal import PortcullisCore

/// A shell command that prints the day's progress.
///
/// The command runs as `/bin/sh -c`, in a session of its own, without input and without a terminal. If the
/// command of another user had root's terminal, it could simulate typed input there. If the command exceeds
/// its limits of time or output, its whole process group is killed. When this process ends in any way, the
/// group is killed, too. The signal that the kernel can send at the death of a parent process
/// (`PR_SET_PDEATHSIG`) would not suffice. It reaches only the shell, and not the processes that the shell
/// has started.
struct ProgressCommand: Sendable {
    /// The largest size of the output in bytes.
    static let outputLimit = 65_536
    /// `POSIX_SPAWN_SETSID`, which is missing in Swift's module of the C library. The value is the same in
    /// glibc and musl.
    private static let newSession: Int32 = 0x80
    /// How many bytes of the diagnostics are kept for a message. The last bytes are kept.
    private static let tail = 400

    /// The shell script that starts the command, and a watcher beside it. The watcher reads descriptor 3,
    /// which is a pipe. When this process ends, the pipe is closed, and the watcher kills the process
    /// group.
    private static let guarded =
        "( read -r end; kill -KILL 0 ) <&3 >/dev/null 2>&1 & exec 3<&-; exec /bin/sh -c \"$0\""

    /// The text of the command.
    let text: String
    /// The account that the command belongs to, never root.
    let account: SystemAccount
    /// The longest time for a run.
    let limit: Duration
    /// The environment variables of this process.
    let environment: [String: String]
    /// Waits for the end of the command's process.
    var end = CommandEnd()

    /// The arguments that start the command. If the command belongs to another account than that of this
    /// process, another program runs first, which drops all of root's rights. The value is `nil` if that
    /// program is missing.
    private var arguments: [String]? {
        let shell = ["/bin/sh", "-c", Self.guarded, text]
        if account.isCurrent { return shell }
        let places = ["/usr/bin/setpriv", "/bin/setpriv", "/usr/sbin/setpriv"]
        guard let setpriv = places.first(where: { unsafe access($0, X_OK) == 0 }) else { return nil }
        return [
            setpriv, "--reuid", "\(account.id)", "--regid", "\(account.group)",
            account.isKnown ? "--init-groups" : "--clear-groups",
            "--inh-caps", "-all", "--no-new-privs", "--",
        ] + shell
    }

    private var variables: [String] {
        guard !account.isCurrent else { return environment.map { "\($0)=\($1)" } }
        // Of root's variables, a command of another account gets only those that every program needs.
        var kept = environment.filter { name, _ in
            ["PATH", "LANG", "LANGUAGE", "TZ", "TERM"].contains(name) || name.hasPrefix("LC_")
        }
        kept["HOME"] = account.home
        kept["USER"] = account.name
        kept["LOGNAME"] = account.name
        return kept.map { "\($0)=\($1)" }
    }

    /// Runs the command until it ends, and blocks the calling thread meanwhile. If the command cannot be
    /// killed, this call ends nevertheless, and the next calls fail until the command has ended.
    ///
    /// For a command of another account, the calling thread gets a new, empty session keyring.
    ///
    /// - Parameters:
    ///   - clock: measures the limit.
    ///   - stop: ends the run early when it is raised.
    /// - Returns: the output; `nil` if the run was ended early.
    /// - Throws: ``ProgressTrouble`` if the command could not be started, failed, printed too much, took
    ///   too long, or cannot be killed.
    func run(by clock: any LockClock, until stop: Wake) throws(ProgressTrouble) -> [UInt8]? {
        if let left = end.left { throw Self.failed("still runs as process \(left) and cannot be killed") }
        let pipes = (0..<3).compactMap { _ in Descriptors.makePipe() }
        guard pipes.count == 3 else {
            for pipe in pipes { for end in [pipe.read, pipe.write] { close(end) } }
            throw Self.failed("cannot run: no pipe can be opened")
        }
        let (output, errors, life) = (pipes[0], pipes[1], pipes[2])
        defer { for end in [output.read, errors.read, life.write] { close(end) } }
        // The command's ends of the pipes are set to block, as programs expect.
        for end in [output.write, errors.write, life.read] { _ = fcntl(end, F_SETFL, 0) }
        let spawned = Result { () throws(ProgressTrouble) in
            try spawn(output: output.write, errors: errors.write, life: life.read)
        }
        for end in [output.write, errors.write, life.read] { close(end) }
        let started = try spawned.get()
        let handle = clinux_open_process(started)
        var collector = Collector(process: handle, output: output.read, errors: errors.read, stop: stop)
        let outcome =
            handle < 0
            ? .lost : collector.collect(until: clock.now.sinceBoot + limit, by: clock)
        defer { if handle >= 0 { close(handle) } }
        // The signal kills the command, if it still runs, and all other processes of its group. The number
        // of the group becomes free only after `waitpid`, so no other group can have it yet. If SIGCHLD is
        // ignored, the system reaps the command by itself. Even then the number is in use, because the
        // watcher is still a member of the group.
        kill(-started, SIGKILL)
        guard case .ended(let status) = end.standing(of: started, handle) else {
            if outcome == .stopped { return nil }
            throw Self.failed("runs on as process \(started) and cannot be killed")
        }
        switch outcome {
        case .stopped: return nil
        case .lost: throw Self.failed("cannot be watched")
        case .timedOut:
            let seconds = limit.components.seconds
            throw ProgressTrouble(
                reason: .timedOut,
                message: "the progress command took longer than \(seconds) s"
            )
        case .tooLong:
            throw ProgressTrouble(
                reason: .tooLong,
                message: "the progress command printed more than \(Self.outputLimit / 1_024) KiB"
            )
        case .ended: break
        }
        guard let status else {
            throw Self.failed("ended, and SIGCHLD is ignored here: its status is unknown")
        }
        let signal = status & 0x7F
        guard status == 0 else {
            let how = signal == 0 ? "exit status \((status >> 8) & 0xFF)" : "signal \(signal)"
            throw Self.failed("ended with \(how)\(collector.complaint)")
        }
        return collector.bytes
    }

    private static func failed(_ how: String) -> ProgressTrouble {
        ProgressTrouble(reason: .failed, message: "the progress command \(how)")
    }

    private func spawn(output: Int32, errors: Int32, life: Int32) throws(ProgressTrouble) -> pid_t {
        guard let arguments else { throw Self.failed("needs setpriv (util-linux) to run as \(account.name)") }
        // A program inherits the session keyring of the thread that starts it, also as another user, and may
        // read the keys in it. If the system refuses keyrings to this process, it also refuses them to the
        // command.
        if !account.isCurrent, clinux_leave_session_keyring() < 0, errno != ENOSYS, errno != EPERM {
            throw Self.failed("cannot get a session keyring: \(unsafe String(cString: strerror(errno)))")
        }
        var actions = unsafe posix_spawn_file_actions_t()
        var attributes = posix_spawnattr_t()
        unsafe posix_spawn_file_actions_init(&actions)
        unsafe posix_spawnattr_init(&attributes)
        defer {
            unsafe posix_spawn_file_actions_destroy(&actions)
            unsafe posix_spawnattr_destroy(&attributes)
        }
        unsafe posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
        unsafe posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO)
        unsafe posix_spawn_file_actions_adddup2(&actions, errors, STDERR_FILENO)
        // This must be the last action, because it overwrites descriptor 3, which may be one of the
        // descriptors that the earlier actions copy.
        unsafe posix_spawn_file_actions_adddup2(&actions, life, 3)
        var all = sigset_t()
        var none = sigset_t()
        unsafe sigfillset(&all)
        unsafe sigemptyset(&none)
        unsafe posix_spawnattr_setsigdefault(&attributes, &all)
        unsafe posix_spawnattr_setsigmask(&attributes, &none)
        // With the new session the command gets a process group of its own.
        let flags = Self.newSession | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK
        unsafe posix_spawnattr_setflags(&attributes, Int16(flags))
        var words: [UnsafeMutablePointer<CChar>?] = unsafe arguments.map { unsafe strdup($0) }
        unsafe words.append(nil)
        var variables: [UnsafeMutablePointer<CChar>?] = unsafe self.variables.map { unsafe strdup($0) }
        unsafe variables.append(nil)
        defer {
            for index in unsafe words.indices { unsafe free(words[index]) }
            for index in unsafe variables.indices { unsafe free(variables[index]) }
        }
        var process: pid_t = 0
        let failure = unsafe posix_spawn(&process, arguments[0], &actions, &attributes, words, variables)
        guard failure == 0 else {
            throw Self.failed("cannot be started: \(unsafe String(cString: strerror(failure)))")
        }
        return process
    }
}

extension ProgressCommand {
    fileprivate enum Outcome { case ended, timedOut, tooLong, stopped, lost }

    /// Reads the output of a running command.
    fileprivate struct Collector {
        let process: Int32
        var output: Int32
        var errors: Int32
        let stop: Wake
        var bytes: [UInt8] = []
        var diagnostics: [UInt8] = []

        init(process: Int32, output: Int32, errors: Int32, stop: Wake) {
            (self.process, self.output, self.errors, self.stop) = (process, output, errors, stop)
        }

        /// The end of the command's diagnostics, for a message.
        var complaint: String {
            let text = ForeignText.line(String(decoding: diagnostics.suffix(tail), as: UTF8.self))
            let words = text.split(separator: " ").joined(separator: " ")
            return words.isEmpty ? "" : ": \(words)"
        }

        mutating func collect(until deadline: Duration, by clock: any LockClock) -> Outcome {
            while true {
                let left = deadline - clock.now.sinceBoot
                guard left > .zero else { return .timedOut }
                var wait = DescriptorWait()
                wait.add(output)
                wait.add(errors)
                let ended = wait.add(process)
                let stopped = wait.add(stop.descriptor)
                _ = wait.wait(atMost: left)
                if !wait[stopped].isEmpty { return .stopped }
                drain()
                if bytes.count > outputLimit { return .tooLong }
                // The output is read before this check, so the last output of an ended command is not lost.
                if !wait[ended].isEmpty { return .ended }
            }
        }

        private mutating func drain() {
            var buffer = [UInt8](repeating: 0, count: 16_384)
            reading: while output >= 0, bytes.count <= outputLimit {
                switch unsafe buffer.withUnsafeMutableBytes({ unsafe Descriptors.read(output, into: $0) }) {
                case .bytes(let count): bytes += buffer[..<count]
                case .nothing: break reading
                case .end, .failed: output = -1
                }
            }
            reading: while errors >= 0 {
                switch unsafe buffer.withUnsafeMutableBytes({ unsafe Descriptors.read(errors, into: $0) }) {
                case .bytes(let count):
                    diagnostics = (diagnostics + buffer[..<count]).suffix(tail)
                    // Only one read is made. If the loop read all diagnostics, a command with endless
                    // diagnostics could keep the loop running for ever.
                    break reading
                case .nothing: break reading
                case .end, .failed: errors = -1
                }
            }
        }
    }
}
#endif
