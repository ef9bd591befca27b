/// A process as it was when the process table was read.
struct RunningProcess: Hashable, Sendable {
    /// A process that cannot be taken for a later one with the same number.
    struct Identity: Hashable, Sendable, Codable {
        var pid: Int32
        /// Clock ticks from boot to its start.
        var start: UInt64
    }

    var identity: Identity
    var parent: Int32
    var group: Int32
    var session: Int32
    /// The device number of the terminal that its session is on; 0 where it has none.
    var terminal: Int32
    /// The group that its terminal listens to; -1 where it has none.
    var foreground: Int32
    /// A letter as in ps(1): `T` is stopped, `Z` has ended.
    var state: Character
    var isKernelThread: Bool
    /// The real user; `nil` where it was not looked at closely.
    var user: UInt32?
    var executable: FileID?
    var executablePath: String?
    /// The control group of the unified hierarchy, or the one that systemd named; `/` where there is none.
    var controlGroup: String
    /// The folder of the process table it is from.
    var tableFolder: String
    /// A thread that goes on where the first one has ended, with which the table's files of the process say less.
    var thread: Int32? = nil
    /// Whether the file of its program has no name any more, as after an upgrade.
    var isReplaced = false

    /// What the table has of it.
    var folder: String {
        thread.map { "\(tableFolder)/\(pid)/task/\($0)" } ?? "\(tableFolder)/\(pid)"
    }
    var pid: Int32 { identity.pid }
    var isStopped: Bool { state == "T" || state == "t" }
    var hasEnded: Bool { state == "Z" || state == "X" }

    /// Whether its paths mean the files that they mean here, and not those of a container.
    var isInOwnRoot: Bool {
        guard let root = FileStatus(held: "\(folder)/root")?.id else { return true }
        return root == FileID(path: "/")
    }

    /// Whether it sees the same mounts as this process: elsewhere another file may be mounted at a path.
    var hasOwnMounts: Bool {
        guard let mounts = SmallFiles.link("\(folder)/ns/mnt") else { return true }
        return mounts == SmallFiles.link("\(tableFolder)/self/ns/mnt")
    }

    /// The name of the systemd unit it belongs to.
    var unit: String? { Self.unit(of: controlGroup) }

    /// The name of the systemd unit that a control group belongs to.
    static func unit(of controlGroup: String) -> String? {
        controlGroup.split(separator: "/").last { $0.hasSuffix(".scope") || $0.hasSuffix(".service") }
            .map(String.init)
    }

    /// Its arguments, its name first; empty when it has ended.
    func arguments() -> [String] {
        guard let bytes = SmallFiles.read("\(folder)/cmdline") else { return [] }
        let text = bytes.last == 0 ? bytes.dropLast() : bytes[...]
        guard !text.isEmpty else { return [] }
        return text.split(separator: 0, omittingEmptySubsequences: false).map {
            String(decoding: $0, as: UTF8.self)
        }
    }
}
