#if os(Linux)
internal import Glibc

/// Freezes control groups (version 2) through files below a folder.
struct ControlGroups: Sendable {
    /// The folder at which the unified hierarchy is mounted.
    let folder: String

    init(folder: String) {
        // If both versions of control groups (1 and 2) are mounted, version 2 is in the subfolder `unified`.
        let unified = "\(folder)/unified"
        let isHybrid =
            FileStatus(path: "\(folder)/cgroup.procs") == nil
            && FileStatus(path: "\(unified)/cgroup.procs") != nil
        self.folder = isHybrid ? unified : folder
    }

    /// The frozen control groups of apps below `group`, which may be the group of a user.
    func frozenApps(below group: String, depth: Int = 0) -> [String] {
        SmallFiles.names(in: "\(folder)\(group)").flatMap { name -> [String] in
            let path = "\(group)/\(name)"
            guard FileStatus(path: "\(folder)\(path)")?.isFolder == true, depth < 8 else { return [] }
            if SystemdUnit.mayBeApp(name), isFrozen(path) { return [path] }
            return frozenApps(below: path, depth: depth + 1)
        }
    }

    /// The processes in a group; `nil` if this process cannot freeze the group, or if the group contains
    /// other groups. Freezing would stop the processes of the other groups too.
    func members(of group: String) -> [Int32]? {
        let path = "\(folder)\(group)"
        let isGroup = { (name: String) in FileStatus(path: "\(path)/\(name)")?.isFolder == true }
        guard group != "/", unsafe access("\(path)/cgroup.freeze", W_OK) == 0,
            !SmallFiles.names(in: path).contains(where: isGroup),
            let bytes = SmallFiles.read("\(path)/cgroup.procs", limit: 1_048_576)
        else { return nil }
        return bytes.split(separator: 0x0A).compactMap { Int32(String(decoding: $0, as: UTF8.self)) }
    }

    /// Freezes or thaws a group. Returns whether the kernel accepted the request.
    @discardableResult
    func setFrozen(_ isFrozen: Bool, _ group: String) -> Bool {
        let file = unsafe open("\(folder)\(group)/cgroup.freeze", O_WRONLY | O_CLOEXEC)
        guard file >= 0 else { return false }
        defer { close(file) }
        var digit = UInt8(ascii: isFrozen ? "1" : "0")
        return unsafe write(file, &digit, 1) == 1
    }

    /// Whether the group is frozen, or exists and cannot be read.
    func mayBeFrozen(_ group: String) -> Bool {
        let file = "\(folder)\(group)/cgroup.freeze"
        guard let state = SmallFiles.read(file, limit: 16) else { return FileStatus(path: file) != nil }
        return state.first == UInt8(ascii: "1")
    }

    /// Whether a process has asked the kernel to freeze the group.
    func isFrozen(_ group: String) -> Bool {
        SmallFiles.read("\(folder)\(group)/cgroup.freeze", limit: 16)?.first == UInt8(ascii: "1")
    }
}
#endif
