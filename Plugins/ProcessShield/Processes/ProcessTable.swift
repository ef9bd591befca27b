#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#endif

/// The processes of the machine, as the kernel lists them in a folder.
///
/// Whatever ends while it is read is left out; nothing here fails for it.
struct ProcessTable: Sendable {
    /// The folder, `/proc` on a machine.
    let folder: String

    init(folder: String = "/proc") { self.folder = folder }

    /// All processes that can be read now, by number, each looked at closely.
    func all() -> [Int32: RunningProcess] {
        Dictionary(uniqueKeysWithValues: numbers().compactMap(process).map { ($0.pid, $0) })
    }

    /// The processes there are, the latest first: they are the ones that may be gone soon.
    func numbers() -> [Int32] {
        SmallFiles.names(in: folder).compactMap { Int32($0) }.sorted(by: >)
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
        // The kernel's own table has an answer that takes one call and not three.
        if folder == "/proc" {
            let group = getpgid(pid)
            return group == -1 ? nil : group
        }
        #endif
        return outline(pid)?.group
    }

    /// One process as far as a single file tells: who started it, its group and its state.
    func outline(_ pid: Int32) -> RunningProcess? {
        guard var stat = statistics(of: pid) else { return nil }
        // The first thread may have ended while others go on: then those are the process.
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

    /// A thread of a process that has not ended, with its state.
    private func liveThread(of pid: Int32) -> (number: Int32, state: Character)? {
        for name in SmallFiles.names(in: "\(folder)/\(pid)/task") {
            let stat = SmallFiles.record("\(folder)/\(pid)/task/\(name)/stat", limit: 2_048)
                .flatMap(Statistics.init)
            if let stat, !stat.hasEnded, let number = Int32(name) { return (number, stat.state) }
        }
        return nil
    }

    /// One process; `nil` when there is none of this number.
    func process(_ pid: Int32) -> RunningProcess? {
        guard var process = outline(pid) else { return nil }
        if process.isKernelThread || process.hasEnded { return process }
        guard let user = user(of: pid) else { return nil }
        process.user = user
        let file = FileStatus(held: "\(process.folder)/exe")
        process.executable = file?.id
        process.isReplaced = file?.links == 0
        process.executablePath = program(linkedAt: "\(process.folder)/exe")
        // One that has let go of its memory is about to end, or has ended meanwhile: it says nothing about its group any more.
        if process.executablePath == nil, errno == ENOENT, isEnding(pid) { process.state = "X" }
        process.controlGroup = controlGroup(of: pid)
        // The number may have gone to another process while this was read. The identity was read first and is looked
        // at again before a signal is sent, so that no process is taken for another one.
        return process
    }

    /// Whether a process that has no program runs to its end, or is there no more.
    private func isEnding(_ pid: Int32) -> Bool {
        guard let now = statistics(of: pid) else { return true }
        return now.hasEnded || now.state == "R"
    }

    /// Whether a process is still the one that was meant.
    func isAlive(_ identity: RunningProcess.Identity) -> Bool {
        guard let process = outline(identity.pid), process.identity == identity else { return false }
        return !process.hasEnded
    }

    /// The path of the program that a process runs; `nil` where it has none, has ended, or it cannot be seen, as `errno`
    /// tells.
    func program(of pid: Int32) -> String? {
        if let path = program(linkedAt: "\(folder)/\(pid)/exe") { return path }
        let error = errno
        // The first thread of a process has no program any more when it has ended.
        if error == ENOENT, let process = outline(pid), process.thread != nil {
            return program(linkedAt: "\(process.folder)/exe")
        }
        errno = error
        return nil
    }

    private func program(linkedAt link: String) -> String? {
        guard let path = SmallFiles.link(link) else { return nil }
        guard path.hasSuffix(Self.note) else { return path }
        // Or the file is called so. The kernel holds the path of a file that is run.
        if let file = FileStatus(cached: path)?.id, file == FileStatus(held: link)?.id { return path }
        return String(path.dropLast(Self.note.count))
    }

    /// The kernel's note on the link of a program whose file was replaced or removed.
    private static let note = " (deleted)"

    struct Statistics: Equatable {
        var state: Character
        var parent: Int32
        var group: Int32
        var session: Int32
        var terminal: Int32
        var foreground: Int32
        var isKernelThread: Bool
        /// How many threads there are, the first one included when it has ended before others.
        var threads: Int
        var start: UInt64

        var hasEnded: Bool { state == "Z" || state == "X" }

        /// Reads the line; a process's name in it may hold brackets, blanks and line breaks.
        init?(parsing bytes: [UInt8]) {
            guard let end = bytes.lastIndex(of: UInt8(ascii: ")")) else { return nil }
            // All processes are read at each look, and most of a line is of no interest.
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
            // PF_KTHREAD, which the kernel has not changed since it was introduced.
            self.isKernelThread = flags & 0x0020_0000 != 0
            self.threads = threads
            self.start = start
        }
    }

    private func statistics(of pid: Int32) -> Statistics? {
        SmallFiles.record("\(folder)/\(pid)/stat", limit: 2_048).flatMap(Statistics.init)
    }

    private func user(of pid: Int32) -> UInt32? { field("Uid", of: pid) }

    /// The process that traces another one; 0 where none does, `nil` where that cannot be seen.
    func tracer(of pid: Int32) -> Int32? { field("TracerPid", of: pid) }

    /// The first number of a line of a process's status.
    private func field<Number: FixedWidthInteger>(_ name: String, of pid: Int32, radix: Int = 10) -> Number? {
        guard let bytes = SmallFiles.record("\(folder)/\(pid)/status", limit: 4_096) else { return nil }
        for line in bytes.split(separator: 0x0A) where line.starts(with: Array("\(name):".utf8)) {
            return line.split(separator: 0x09).dropFirst().first
                .flatMap { Number(String(decoding: $0, as: UTF8.self), radix: radix) }
        }
        return nil
    }

    /// Whether a process may look at each process, whatever rights that one has (`CAP_SYS_PTRACE`).
    func seesAll(_ pid: Int32) -> Bool {
        guard let rights: UInt64 = field("CapEff", of: pid, radix: 16) else { return false }
        return rights & 1 << 19 != 0
    }

    /// The control group of a process, as ``RunningProcess/controlGroup`` has it.
    func controlGroup(of pid: Int32) -> String {
        guard let bytes = SmallFiles.read("\(folder)/\(pid)/cgroup", limit: 16_384) else { return "/" }
        var named = "/"
        for line in String(decoding: bytes, as: UTF8.self).split(separator: "\n") {
            let parts = line.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false)
            guard parts.count == 3 else { continue }
            if parts[1].isEmpty, parts[2] != "/" { return String(parts[2]) }
            if parts[1] == "name=systemd" { named = String(parts[2]) }
        }
        return named
    }
}
