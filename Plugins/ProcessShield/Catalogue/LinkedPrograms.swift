/// Protected programs of this machine by what the kernel calls their files: a hard link may have any name, and so may the
/// file that a symbolic link leads to.
///
/// The folders are looked through once, and for hard links only when a file has more than one name.
final class LinkedPrograms {
    private let commands: [String]
    private let users: Set<UInt32>
    private lazy var files = find(in: commands + Self.others, onlyLinks: false)
    private lazy var targets = find(in: commands, onlyLinks: true)

    /// - Parameter users: those whose symbolic links count: any other's own take nothing out of a shield.
    init(searchPath: [String], users: Set<UInt32>) {
        commands = searchPath + Self.common
        self.users = users
    }

    /// Why a file is never shielded, whatever this name of it says.
    func reason(for status: FileStatus) -> String? {
        targets[status.id] ?? (status.links > 1 ? files[status.id] : nil)
    }

    private static let common = ["/bin", "/sbin", "/usr/bin", "/usr/sbin", "/usr/local/bin"]

    /// What is there is no command, and called by the name of its file.
    private static let others = [
        "/usr/libexec", "/usr/lib/systemd", "/lib64", "/usr/lib64", "/usr/lib", "/lib",
    ]

    private func find(in folders: [String], onlyLinks: Bool) -> [FileID: String] {
        var seen: Set<FileID> = []
        var reasons: [FileID: String] = [:]
        func look(in folder: String) {
            guard let id = FileID(path: folder), seen.insert(id).inserted else { return }
            for name in SmallFiles.names(in: folder, onlyLinks: onlyLinks) {
                let path = "\(folder)/\(name)"
                // The loader is in a folder that is named for the machine's kind.
                if !onlyLinks, name.contains("-linux-"), FileStatus(path: path)?.isFolder == true {
                    look(in: path)
                }
                guard let reason = ProtectedPrograms.reason(for: name),
                    SmallFiles.owner(ofLink: path).map(users.contains) ?? !onlyLinks,
                    let id = FileID(path: path)
                else { continue }
                reasons[id] = reasons[id] ?? reason
            }
        }
        for folder in folders { look(in: folder) }
        return reasons
    }
}
