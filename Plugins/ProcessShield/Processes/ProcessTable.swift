/// The processes of the machine, as the kernel lists them in a folder.
///
/// Whatever ends while it is read is left out; nothing here fails for it.
struct ProcessTable: Sendable {
    /// The folder, `/proc` on a machine.
    let folder: String

    init(folder: String = "/proc") { self.folder = folder }

    /// All processes that can be read now, by number.
    func all() -> [Int32: RunningProcess] { look().processes }

    /// The same, and whether some ended while they were read: what they left behind may have been missed too.
    func look() -> (processes: [Int32: RunningProcess], isTorn: Bool) {
        // The latest first: they are the ones that may be gone soon.
        let numbers = SmallFiles.names(in: folder).compactMap { Int32($0) }.sorted(by: >)
        let read = numbers.compactMap(process)
        var processes = Dictionary(uniqueKeysWithValues: read.map { ($0.pid, $0) })
        let isTorn = read.count < numbers.count
        // One that starts another and ends, again and again, is never where the folder's list has it.
        if isTorn {
            for _ in 0..<20 {
                guard let latest = latest(), processes[latest] == nil, let process = process(latest) else {
                    continue
                }
                processes[latest] = process
            }
        }
        return (processes, isTorn)
    }

    /// The number of the process that was started last.
    private func latest() -> Int32? {
        SmallFiles.read("\(folder)/loadavg", limit: 128).flatMap { bytes in
            String(decoding: bytes, as: UTF8.self).split(whereSeparator: \.isWhitespace).last.flatMap {
                Int32($0)
            }
        }
    }

    /// One process; `nil` when there is none of this number.
    func process(_ pid: Int32) -> RunningProcess? {
        guard pid > 0, let stat = statistics(of: pid) else { return nil }
        var process = RunningProcess(
            identity: .init(pid: pid, start: stat.start),
            parent: stat.parent,
            group: stat.group,
            session: stat.session,
            terminal: stat.terminal,
            state: stat.state,
            isKernelThread: stat.isKernelThread,
            user: 0,
            executable: nil,
            executablePath: nil,
            controlGroup: "/",
            tableFolder: folder
        )
        if stat.isKernelThread || process.hasEnded { return process }
        guard let user = user(of: pid) else { return nil }
        process.user = user
        process.executable = FileID(path: "\(folder)/\(pid)/exe")
        process.executablePath = SmallFiles.link("\(folder)/\(pid)/exe").map(Self.withoutNote)
        process.controlGroup = controlGroup(of: pid)
        // The number may have gone to another process while this was read. The identity was read first and is looked
        // at again before a signal is sent, so that nobody is taken for somebody else.
        return process
    }

    /// Whether a process is still the one that was meant.
    func isAlive(_ identity: RunningProcess.Identity) -> Bool {
        guard let stat = statistics(of: identity.pid) else { return false }
        return stat.start == identity.start && stat.state != "Z" && stat.state != "X"
    }

    /// The kernel's note on the link of a program whose file was replaced or removed.
    private static func withoutNote(_ path: String) -> String {
        path.hasSuffix(" (deleted)") ? String(path.dropLast(10)) : path
    }

    struct Statistics: Equatable {
        var state: Character
        var parent: Int32
        var group: Int32
        var session: Int32
        var terminal: Int32
        var isKernelThread: Bool
        var start: UInt64

        /// Reads the line; a process's name in it may hold brackets, blanks and line breaks.
        init?(parsing bytes: [UInt8]) {
            guard let end = bytes.lastIndex(of: UInt8(ascii: ")")) else { return nil }
            let fields = bytes[(end + 1)...].split { $0 == UInt8(ascii: " ") || $0 == 0x0A }
                .map { String(decoding: $0, as: UTF8.self) }
            guard fields.count > 19, let state = fields[0].first, let parent = Int32(fields[1]),
                let group = Int32(fields[2]), let session = Int32(fields[3]), let terminal = Int32(fields[4]),
                let flags = UInt64(fields[6]), let start = UInt64(fields[19])
            else { return nil }
            self.state = state
            self.parent = parent
            self.group = group
            self.session = session
            self.terminal = terminal
            // PF_KTHREAD, which the kernel has not changed since it was introduced.
            self.isKernelThread = flags & 0x0020_0000 != 0
            self.start = start
        }
    }

    private func statistics(of pid: Int32) -> Statistics? {
        SmallFiles.read("\(folder)/\(pid)/stat", limit: 4_096).flatMap(Statistics.init)
    }

    private func user(of pid: Int32) -> UInt32? {
        guard let bytes = SmallFiles.read("\(folder)/\(pid)/status", limit: 4_096) else { return nil }
        for line in bytes.split(separator: 0x0A) where line.starts(with: Array("Uid:".utf8)) {
            return line.split { $0 == 0x09 || $0 == 0x20 }.dropFirst().first
                .flatMap { UInt32(String(decoding: $0, as: UTF8.self)) }
        }
        return nil
    }

    private func controlGroup(of pid: Int32) -> String {
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
