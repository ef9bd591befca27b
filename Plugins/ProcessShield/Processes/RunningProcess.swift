internal import LinuxSystem

/// A process as the process table showed it at one moment.
struct RunningProcess: Hashable, Sendable {
    /// Identifies a process, even after the kernel has given its number to a new process.
    struct Identity: Hashable, Sendable, Codable {
        var pid: Int32
        /// The clock ticks from boot to the process's start.
        var start: UInt64
    }

    var identity: Identity
    var parent: Int32
    var group: Int32
    var session: Int32
    /// The device number of the terminal of the process's session; 0 if the session has none.
    var terminal: Int32
    /// The process group in the foreground of the terminal; -1 if the session has no terminal.
    var foreground: Int32
    /// The state as a letter, as in ps(1): `T` is stopped, `Z` has ended.
    var state: Character
    var isKernelThread: Bool
    /// The real user; `nil` if only the `stat` file was read: see ``ProcessTable/outline(_:)``.
    var user: UInt32?
    var executable: FileID?
    var executablePath: String?
    /// The control group in the unified hierarchy, or else in systemd's hierarchy; `/` if there is none.
    var controlGroup: String
    /// The folder of the process table that lists the process.
    var tableFolder: String
    /// The number of a running thread, if the first thread has ended. In that case the files of the process
    /// itself contain less than the files of the thread.
    var thread: Int32? = nil
    /// Whether the file of the process's program has no name any more, as after an upgrade.
    var isReplaced = false
    /// The bytes of the arguments, if they were read with the process; see ``readArguments()``. If the
    /// arguments show none of the shielded programs, the value is empty. The bytes are not split here,
    /// because many short arguments would then need sixteen times the memory.
    var argumentBytes: [UInt8]? = nil
    /// The AppImages of shielded apps that the environment names; `nil` if the environment was not read.
    var images: [String]? = nil

    /// The folder of the process in the table.
    var folder: String {
        thread.map { "\(tableFolder)/\(pid)/task/\($0)" } ?? "\(tableFolder)/\(pid)"
    }
    var pid: Int32 { identity.pid }
    var isStopped: Bool { state == "T" || state == "t" }
    var hasEnded: Bool { state == "Z" || state == "X" }

    /// Whether the process has the same root folder as the shielding process, and not the root folder of a
    /// container.
    var isInOwnRoot: Bool {
        guard let root = FileStatus(held: "\(folder)/root")?.id else { return true }
        return root == FileID(path: "/")
    }

    /// Whether the process sees the same mounts as the shielding process. If the mounts differ, the same path
    /// may lead to two different files.
    var hasOwnMounts: Bool {
        guard let mounts = SmallFiles.link("\(folder)/ns/mnt") else { return true }
        return mounts == SmallFiles.link("\(tableFolder)/self/ns/mnt")
    }

    /// Whether the path of the process's program means the same to the shielding process.
    ///
    /// In another root an equal path leads to another file, so the path does not count there. If the process
    /// sees other mounts than the shielding process, the path may lead to another file too. In that case the
    /// path counts only if the process's file was replaced.
    var hasOwnPath: Bool { isInOwnRoot && (isReplaced || hasOwnMounts) }

    /// The name of the systemd unit that the process belongs to.
    var unit: String? { Self.unit(of: controlGroup) }

    /// The name of the systemd unit that a control group belongs to.
    static func unit(of controlGroup: String) -> String? {
        controlGroup.pathParts.last { $0.hasSuffix(".scope") || $0.hasSuffix(".service") }
            .map(String.init)
    }

    /// The arguments of the process, beginning with the name by which it was called. If ``argumentBytes`` is
    /// set, these are the arguments; if not, they are read now. The result is empty when the process has
    /// ended, or when its arguments cannot be read.
    func arguments() -> [String] {
        let bytes = argumentBytes ?? readArguments() ?? []
        let text = bytes.last == 0 ? bytes.dropLast() : bytes[...]
        guard !text.isEmpty else { return [] }
        return text.split(separator: 0, omittingEmptySubsequences: false).map {
            String(decoding: $0, as: UTF8.self)
        }
    }

    /// Reads the bytes of the arguments. The result is empty when the process has ended, and `nil` when the
    /// arguments cannot be read now.
    func readArguments() -> [UInt8]? { ProcessTable.content(of: "\(folder)/cmdline") }
}
