#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#endif

/// The processes of the machine, as the kernel lists them in a folder.
///
/// A process that ends while it is read is left out and causes no error.
struct ProcessTable: Sendable {
    /// The folder of the table, usually `/proc`.
    let folder: String
    /// Whether the folder lists the processes of another namespace (pid_namespaces(7)). In the system calls
    /// of this process, the same numbers stand for other processes. So such a table counts as empty.
    let isForeign: Bool

    init(folder: String = "/proc") {
        self.folder = folder
        isForeign = SmallFiles.link("\(folder)/self").map { $0 != "\(getpid())" } ?? false
    }

    /// All readable processes by number, each with all its properties.
    func all() -> [Int32: RunningProcess] {
        Dictionary(uniqueKeysWithValues: numbers().compactMap(process).map { ($0.pid, $0) })
    }

    /// The numbers of all processes, the highest first, since the newest processes may end soonest.
    func numbers() -> [Int32] {
        if isForeign { return [] }
        return SmallFiles.names(in: folder).compactMap { Int32($0) }.sorted(by: >)
    }

    /// The number of the process that was started last.
    func latest() -> Int32? {
        SmallFiles.record("\(folder)/loadavg", limit: 128).flatMap { bytes in
            String(decoding: bytes, as: UTF8.self).split(whereSeparator: \.isWhitespace).last.flatMap {
                Int32($0)
            }
        }
    }

    /// The process group of a process.
    func group(of pid: Int32) -> Int32? {
        #if os(Linux)
        // `getpgid` is one system call, and reading the process's file takes three.
        if folder == "/proc" {
            let group = getpgid(pid)
            return group == -1 ? nil : group
        }
        #endif
        return outline(pid)?.group
    }

    /// Returns the properties of a process that its `stat` file contains, such as its parent, group and
    /// state; `nil` when no process has this number.
    func outline(_ pid: Int32) -> RunningProcess? {
        guard var stat = statistics(of: pid) else { return nil }
        // The first thread may have ended while other threads still run. In that case the state is read from
        // another thread.
        let thread = stat.hasEnded && stat.threads > 1 ? liveThread(of: pid) : nil
        if let thread { stat.state = thread.state }
        return RunningProcess(
            identity: .init(pid: pid, start: stat.start),
            parent: stat.parent,
            group: stat.group,
            session: stat.session,
            terminal: stat.terminal,
            foreground: stat.foreground,
            state: stat.state,
            isKernelThread: stat.isKernelThread,
            user: nil,
            executable: nil,
            executablePath: nil,
            controlGroup: "/",
            tableFolder: folder,
            thread: thread?.number
        )
    }

    /// Returns the ancestors of a process that this process can see; `nil` if one of them cannot be read now,
    /// for example while no descriptor is free.
    func ancestors(of process: RunningProcess) -> Set<RunningProcess.Identity>? {
        var found: Set<RunningProcess.Identity> = []
        var parent = process.parent
        while let ancestor = outline(parent) {
            guard found.insert(ancestor.identity).inserted else { return found }
            parent = ancestor.parent
        }
        // The loop has ended at a process without an outline. If that process does not exist or is hidden, as
        // a process of another user can be, the content of its file is empty. The result is then complete.
        let isWhole = Self.content(of: "\(folder)/\(parent)/stat", limit: 2_048)?.isEmpty == true
        return isWhole ? found : nil
    }

    /// Returns the number and the state of one thread that has not ended.
    private func liveThread(of pid: Int32) -> (number: Int32, state: Character)? {
        for name in SmallFiles.names(in: "\(folder)/\(pid)/task") {
            let stat = SmallFiles.record("\(folder)/\(pid)/task/\(name)/stat", limit: 2_048)
                .flatMap(Statistics.init)
            if let stat, !stat.hasEnded, let number = Int32(name) { return (number, stat.state) }
        }
        return nil
    }

    /// A process with all its properties; `nil` when no process has this number or the process cannot be
    /// read. A kernel thread and an ended process have neither a user nor a program.
    func process(_ pid: Int32) -> RunningProcess? {
        guard var process = outline(pid) else { return nil }
        if process.isKernelThread || process.hasEnded { return process }
        guard let user = user(of: pid) else { return nil }
        process.user = user
        let file = FileStatus(held: "\(process.folder)/exe")
        process.executable = file?.id
        process.isReplaced = file?.links == 0
        process.executablePath = program(linkedAt: "\(process.folder)/exe")
        // A process that has released its memory is about to end or has ended. It names no program any more,
        // and would keep its process group from being stopped as a whole. So it counts as ended.
        if process.executablePath == nil, errno == ENOENT, isEnding(pid) { process.state = "X" }
        guard let scope = controlGroup(of: pid) else { return nil }
        process.controlGroup = scope
        // The process's number may have gone to another process during the reading. The identity was read
        // first and is checked again before a signal is sent, so the signal reaches the right process.
        return process
    }

    /// Whether a process that has released its program has ended or is about to end. Such a process only
    /// carries out its own end. So the state `R` (running) means that it is about to end.
    private func isEnding(_ pid: Int32) -> Bool {
        guard let now = statistics(of: pid) else { return true }
        return now.hasEnded || now.state == "R"
    }

    /// Whether the process with this identity still runs.
    func isAlive(_ identity: RunningProcess.Identity) -> Bool {
        guard let process = outline(identity.pid), process.identity == identity else { return false }
        return !process.hasEnded
    }

    /// Whether a process has this number, even if its files cannot be read.
    func exists(_ pid: Int32) -> Bool {
        #if os(Linux)
        // The system call needs no descriptor and no memory, so it also works when neither is left.
        if folder == "/proc" { return kill(pid, 0) == 0 || errno != ESRCH }
        #endif
        return FileStatus(path: "\(folder)/\(pid)") != nil
    }

    /// Whether this process may signal the process with this number.
    func maySignal(_ pid: Int32) -> Bool {
        #if os(Linux)
        if folder == "/proc" { return kill(pid, 0) == 0 }
        #endif
        return exists(pid)
    }

    /// Whether the process with this identity cannot be read but may still exist. For example, this process
    /// may have no free descriptor.
    func isUnreadable(_ identity: RunningProcess.Identity) -> Bool {
        outline(identity.pid) == nil && exists(identity.pid)
    }

    /// Whether the process with this identity is stopped.
    func isStopped(_ identity: RunningProcess.Identity) -> Bool {
        guard let process = outline(identity.pid), process.identity == identity else { return false }
        return process.isStopped
    }

    /// The path of the program that a process runs. The result is `nil` if the process has no program, has
    /// ended or cannot be examined. In that case `errno` gives the cause.
    func program(of pid: Int32) -> String? {
        if let path = program(linkedAt: "\(folder)/\(pid)/exe") { return path }
        let error = errno
        // Once the first thread of a process has ended, the process's own files name no program. In that case
        // the program is read from another thread.
        if error == ENOENT, let process = outline(pid), process.thread != nil {
            return program(linkedAt: "\(process.folder)/exe")
        }
        errno = error
        return nil
    }

    private func program(linkedAt link: String) -> String? {
        guard let path = SmallFiles.link(link) else { return nil }
        guard path.hasSuffix(Self.note) else { return path }
        // The kernel adds ` (deleted)` to the path of a removed file, but the name of a file may itself have
        // this ending. If the whole path leads to the running file, the ending is part of the name. The
        // kernel's cache contains the path of each running file, so no file system is asked.
        if let file = FileStatus(cached: path)?.id, file == FileStatus(held: link)?.id { return path }
        return String(path.dropLast(Self.note.count))
    }

    /// The text that the kernel adds to the link of a program whose file was replaced or removed.
    private static let note = " (deleted)"

    struct Statistics: Equatable {
        var state: Character
        var parent: Int32
        var group: Int32
        var session: Int32
        var terminal: Int32
        var foreground: Int32
        var isKernelThread: Bool
        /// The number of threads. The first thread is included even if it has ended before the other threads.
        var threads: Int
        var start: UInt64

        var hasEnded: Bool { state == "Z" || state == "X" }

        /// Parses the text of a `stat` file. The process's name in the text may contain brackets, blanks and
        /// line breaks.
        init?(parsing bytes: [UInt8]) {
            guard let end = bytes.lastIndex(of: UInt8(ascii: ")")) else { return nil }
            // The split stops after the fields that are needed, since each search reads the lines of all
            // processes.
            let fields = bytes[(end + 1)...].split(maxSplits: 20) { $0 == UInt8(ascii: " ") || $0 == 0x0A }
            func number<Number: FixedWidthInteger>(_ index: Int) -> Number? {
                Number(String(decoding: fields[index], as: UTF8.self))
            }
            guard fields.count > 19, let state = fields[0].first, let parent: Int32 = number(1),
                let group: Int32 = number(2), let session: Int32 = number(3),
                let terminal: Int32 = number(4), let foreground: Int32 = number(5),
                let flags: UInt64 = number(6), let threads: Int = number(17), let start: UInt64 = number(19)
            else { return nil }
            self.state = Character(Unicode.Scalar(state))
            self.parent = parent
            self.group = group
            self.session = session
            self.terminal = terminal
            self.foreground = foreground
            // The flag is PF_KTHREAD, whose value the kernel has never changed.
            self.isKernelThread = flags & 0x0020_0000 != 0
            self.threads = threads
            self.start = start
        }
    }

    private func statistics(of pid: Int32) -> Statistics? {
        if isForeign { return nil }
        return SmallFiles.record("\(folder)/\(pid)/stat", limit: 2_048).flatMap(Statistics.init)
    }

    /// The real user of a process; `nil` if it cannot be read.
    func user(of pid: Int32) -> UInt32? { field("Uid", of: pid) }

    /// The number of the process that traces a process; 0 if no process traces it, `nil` if the number cannot
    /// be read.
    func tracer(of pid: Int32) -> Int32? { field("TracerPid", of: pid) }

    /// The first number in one line of a process's `status` file. The line begins with `name` and a colon.
    private func field<Number: FixedWidthInteger>(_ name: String, of pid: Int32, radix: Int = 10) -> Number? {
        guard let bytes = SmallFiles.record("\(folder)/\(pid)/status", limit: 4_096) else { return nil }
        for line in bytes.split(separator: 0x0A) where line.starts(with: Array("\(name):".utf8)) {
            return line.split(separator: 0x09).dropFirst().first
                .flatMap { Number(String(decoding: $0, as: UTF8.self), radix: radix) }
        }
        return nil
    }

    /// Whether a process has the capability `CAP_SYS_PTRACE`. With it, the process may examine every other
    /// process, whatever rights the other process has.
    func seesAll(_ pid: Int32) -> Bool {
        guard let rights: UInt64 = field("CapEff", of: pid, radix: 16) else { return false }
        return rights & 1 << 19 != 0
    }

    /// The control group of a process, in the form of ``RunningProcess/controlGroup``. The result is `nil` if
    /// the control group cannot be read now, for example while no descriptor is free.
    func controlGroup(of pid: Int32) -> String? {
        guard let bytes = Self.content(of: "\(folder)/\(pid)/cgroup", limit: 16_384) else { return nil }
        var named = "/"
        for line in String(decoding: bytes, as: UTF8.self).split(separator: "\n") {
            let parts = line.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false)
            guard parts.count == 3 else { continue }
            if parts[1].isEmpty, parts[2] != "/" { return String(parts[2]) }
            if parts[1] == "name=systemd" { named = String(parts[2]) }
        }
        return named
    }

    /// Returns the first bytes of a file of a process. The result is empty if the process has ended or the
    /// file can never be read. The result is `nil` if the file cannot be read now, for example while no
    /// descriptor is free.
    static func content(of file: String, limit: Int = 65_536) -> [UInt8]? {
        if let bytes = SmallFiles.read(file, limit: limit) { return bytes }
        // EMFILE, ENFILE and ENOMEM may be gone at the next read. EISDIR occurs only in a table made for a
        // test, where a folder stands for a file that cannot be read now.
        let error = errno
        return [EMFILE, ENFILE, ENOMEM, EISDIR].contains(error) ? nil : []
    }
}
