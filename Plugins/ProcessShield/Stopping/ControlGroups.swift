#if os(Linux)
internal import Glibc

/// Freezing of control groups (version 2), as files below a folder.
struct ControlGroups: Sendable {
    /// Where the unified hierarchy is mounted.
    let folder: String

    init(folder: String) {
        // Where both versions are mounted the unified one has a folder of its own.
        let unified = "\(folder)/unified"
        let isHybrid =
            FileStatus(path: "\(folder)/cgroup.procs") == nil
            && FileStatus(path: "\(unified)/cgroup.procs") != nil
        self.folder = isHybrid ? unified : folder
    }

    /// The control groups of apps that are asked to be frozen, below a group such as that of a user.
    func frozenApps(below group: String, depth: Int = 0) -> [String] {
        SmallFiles.names(in: "\(folder)\(group)").flatMap { name -> [String] in
            let path = "\(group)/\(name)"
            guard FileStatus(path: "\(folder)\(path)")?.isFolder == true, depth < 8 else { return [] }
            let isApp = name.hasPrefix("app-") && (name.hasSuffix(".scope") || name.hasSuffix(".service"))
            if isApp, isFrozen(path) { return [path] }
            return frozenApps(below: path, depth: depth + 1)
        }
    }

    /// The processes in a group; `nil` where it cannot be frozen: it is none, or not ours to change.
    func members(of group: String) -> [Int32]? {
        guard group != "/", unsafe access("\(folder)\(group)/cgroup.freeze", W_OK) == 0,
            let bytes = SmallFiles.read("\(folder)\(group)/cgroup.procs", limit: 1_048_576)
        else { return nil }
        return bytes.split(separator: 0x0A).compactMap { Int32(String(decoding: $0, as: UTF8.self)) }
    }

    /// Freezes a group or thaws it; whether that could be asked for.
    @discardableResult
    func setFrozen(_ isFrozen: Bool, _ group: String) -> Bool {
        let file = unsafe open("\(folder)\(group)/cgroup.freeze", O_WRONLY | O_CLOEXEC)
        guard file >= 0 else { return false }
        defer { close(file) }
        var digit = UInt8(ascii: isFrozen ? "1" : "0")
        return unsafe write(file, &digit, 1) == 1
    }

    /// Whether a group is asked to be frozen.
    func isFrozen(_ group: String) -> Bool {
        SmallFiles.read("\(folder)\(group)/cgroup.freeze", limit: 16)?.first == UInt8(ascii: "1")
    }
}
#endif
